import type { ApiResponse } from '../support/api.js';
import { shareServices } from '../support/shared-services.js';
import { TableAdministration } from '../support/table-administration.js';
import { column, keyAt, manyRows, Tables, text, unique } from '../support/tables.js';

const ROWS = 30;
const READS = 60;
/** The writer is slower than the readers if the machine is busy. */
const ROUNDS = 8;
const READERS = 3;

/**
 * Two instances: one changes all rows with each revision, the other reads answers that several statements could
 * compose.
 */
let reader: TableAdministration;
let writer: Tables;
let locations: string;
let assets: string;

beforeAll(async () => {
  const { services } = await shareServices(2);
  const me = await services[0]!.provision();
  [reader, writer] = [TableAdministration.for(Tables.of(services[0]!, me)), Tables.of(services[1]!, me)];
  [locations, assets] = [unique('Snapshot'), unique('Snapshot')];
  const columns = [text('Key'), text('Name'), column('Parent', 'hierarchyParent')];
  await writer.bulk('locations', { name: locations, columns, items: [] });
  const options = { target: { entity: 'location', table: locations } };
  const indexed = column('Rank', 'number', { options: { indexed: true } });
  const link = column('Link', 'reference', { options });
  await writer.bulk('assets', { name: assets, columns: [text('Key'), text('Name'), indexed, link], items: [] });
  await reader.setTitle('locations', locations);
  await reader.indexIs('assets', assets, 'rank', 'ready');
}, 60_000);

/** All rows of both tables with the same name. An odd round has half as many assets. */
const write = (round: number) => {
  const name = `round ${round}`;
  const sites = manyRows(ROWS, (at) => ({ key: keyAt(at), name, parent: at === 0 ? null : keyAt(at - 1) }));
  // A third of the ranks are equal, a third differ, and a third are empty.
  const rank = (at: number) => (at % 3 === 0 ? 1 : at % 3 === 1 ? at : null);
  const pumps = manyRows(ROWS, (at) => ({ key: keyAt(at), name, rank: rank(at), link: keyAt(at) }));
  return writer.bulkAll([
    { type: 'location', name: locations, items: sites },
    { type: 'asset', name: assets, items: round % 2 === 0 ? pumps : pumps.slice(0, ROWS / 2) },
  ]);
};

/** Reads until the reads and the writes are done, while the other instance writes. */
async function race(read: () => Promise<unknown>, change: (round: number) => Promise<unknown>): Promise<void> {
  let isReading = true;
  let rounds = 0;
  const writing = (async () => {
    for (; isReading; rounds++) await change(rounds);
  })();
  const reading = manyRows(READERS, async () => {
    for (let count = 0; isReading && (count < READS || rounds < ROUNDS); count++) await read();
  });
  await Promise.all(reading).finally(() => (isReading = false));
  await writing;
}

const dataOf = ({ status, body }: ApiResponse) => {
  expect(status).toBe(200);
  return body.data;
};
const namesOf = (items: { name: string }[]) => new Set(items.map(({ name }) => name));

describe('while another instance changes all rows with each revision', () => {
  it('a page after a cursor contains rows of one revision, that of its ETag', async () => {
    await write(0);
    const all = (round: number) =>
      writer.bulk('assets', {
        name: assets,
        items: manyRows(ROWS, (at) => ({ key: keyAt(at), name: `round ${round}` })),
      });
    const query = { sort: 'rank', limit: 5 };
    const { nextCursor } = dataOf(await reader.read('assets', assets, query));
    const revisions = new Map<number, Set<string>>();
    await race(
      async () => {
        const answer = await reader.read('assets', assets, { ...query, limit: ROWS, cursor: nextCursor as string });
        const { table, items } = dataOf(answer);
        expect(items).toHaveLength(ROWS - 5);
        expect(Number.parseInt(answer.headers.get('ETag')!.slice(1))).toBe(table.revision);
        const seen = revisions.get(table.revision as number);
        revisions.set(table.revision as number, new Set([...(seen ?? []), ...namesOf(items)]));
      },
      (round) => all(round + 1),
    );
    expect(revisions.size).toBeGreaterThan(5);
    for (const [revision, names] of revisions) expect([revision, names.size]).toEqual([revision, 1]);
  }, 120_000);

  it('a page of rows has one ETag per set of columns, also while they change', async () => {
    await write(0);
    const key = unique('Note').replaceAll(' ', '_').toLowerCase();
    const noted = (round: number) => manyRows(ROWS, (at) => ({ key: keyAt(at), [key]: `round ${round}` }));
    const add = (round: number) =>
      writer.bulk('assets', { name: assets, columns: [text(key, { key })], items: noted(round) });
    const pages = new Map<string, Set<string>>();
    await race(
      async () => {
        const answer = await reader.read('assets', assets, { limit: ROWS });
        const { items } = dataOf(answer);
        const etag = answer.headers.get('ETag')!;
        pages.set(etag, (pages.get(etag) ?? new Set()).add(JSON.stringify(items)));
      },
      (round) => (round % 2 === 0 ? add(round) : reader.dropColumn('assets', assets, key)),
    );
    expect(pages.size).toBeGreaterThan(5);
    for (const [etag, contents] of pages) expect([etag, contents.size]).toEqual([etag, 1]);
  }, 120_000);

  it('the number of rows is that of the page', async () => {
    await write(0);
    const keys = manyRows(ROWS / 2, (at) => keyAt(at));
    const path = `${reader.pathOf('assets', assets)}/items/delete`;
    await race(
      async () => {
        const { items, total } = dataOf(await reader.read('assets', assets, { count: 'exact', limit: ROWS }));
        expect(items).toHaveLength(total as number);
      },
      (round) => (round % 2 === 0 ? writer.api.post(path, { keys }) : write(0)),
    );
  }, 120_000);

  it('the titles of expand are those of the rows, and exist', async () => {
    await race(
      async () => {
        const { items, expanded } = dataOf(await reader.read('assets', assets, { expand: 'link', limit: ROWS / 2 }));
        const titles = Object.values<{ title: string }>(expanded.link).map(({ title }) => title);
        expect([...namesOf(items)]).toEqual([...new Set(titles)]);
      },
      (round) => write(2 * round),
    );
  }, 120_000);

  it('a path has the revision of its table', async () => {
    const names = new Map<number, Set<string>>();
    await race(
      async () => {
        const path = `${reader.pathOf('locations', locations)}/items/${keyAt(9)}/path`;
        const { table, path: steps } = dataOf(await reader.api.get(path));
        const titles = (steps as { title: string }[]).map(({ title }) => title);
        names.set(table.revision as number, new Set([...(names.get(table.revision as number) ?? []), ...titles]));
      },
      (round) => write(2 * round),
    );
    for (const [revision, titles] of names) expect([revision, titles.size]).toEqual([revision, 1]);
  }, 120_000);
});
