import { lines, sendFile } from '../support/imports.js';
import { type SharedService, shareServices } from '../support/shared-services.js';
import { column, type Item, keyAt, manyRows, Tables, text, unique } from '../support/tables.js';

const ROUNDS = 8;
const ROWS = 300;

let services: SharedService[];
/** One caller on two instances. */
let instances: Tables[];
let tables: Tables;

beforeAll(async () => {
  ({ services } = await shareServices(2));
  const credentials = await services[0]!.provision();
  instances = services.map((service) => Tables.of(service, credentials));
  tables = instances[0]!;
}, 60_000);

afterAll(() => {
  for (const service of services)
    expect(service.output.join('')).not.toMatch(/internal_error|40P01|Unhandled|uncaught/i);
});

const COLUMNS = [text('Key'), text('Name'), text('Plant'), column('Weight', 'number')];

async function createTable(items: unknown[]): Promise<string> {
  const name = unique('Race');
  expect((await tables.bulk('assets', { name, columns: COLUMNS, items })).status).toBe(201);
  return name;
}

const replace = (caller: Tables, table: string, items: unknown[], query: Record<string, string> = {}) =>
  sendFile(caller, table, lines(items), { query: { mode: 'replace', maxDeletions: '100%', ...query } });
const valuesOf = (rows: readonly Item[], name: string) => [...new Set(rows.map((row) => row[name]))];

describe('concurrent synchronization on two instances', () => {
  it('an undo and a bulk request for the same rows have the effect of one after the other', async () => {
    const statuses = new Set<number>();
    for (let round = 0; round < ROUNDS; round++) {
      const name = await createTable(manyRows(ROWS, (at) => ({ key: keyAt(at), name: 'old' })));
      const changed = await tables.bulk('assets', {
        name,
        items: manyRows(ROWS, (at) => ({ key: keyAt(at), name: 'new' })),
      });
      const path = `${tables.path}/batches/${changed.body.data.batchId}/undo`;
      const half = manyRows(ROWS / 2, (at) => ({ key: keyAt(2 * at), weight: round }));
      const [undo, bulk] = await Promise.all([
        instances[round % 2]!.api.post(path),
        instances[1 - (round % 2)]!.bulk('assets', { name, items: half }),
      ]);
      statuses.add(undo.status);
      expect([bulk.status, bulk.body.data.totals.updated]).toEqual([200, ROWS / 2]);
      const rows = await tables.rows('assets', name);
      expect(rows).toHaveLength(ROWS);
      expect(rows.filter(({ weight }) => weight === round)).toHaveLength(ROWS / 2);
      if (undo.status === 409)
        expect(undo.body).toMatchObject({ error: 'batch_conflict', details: { total: ROWS / 2 } });
      expect(valuesOf(rows, 'name')).toEqual([undo.status === 200 ? 'old' : 'new']);
    }
    for (const status of statuses) expect([200, 409]).toContain(status);
  });

  it('two replacements of disjoint parts of a table do not affect each other', async () => {
    const plant = (number: number, round: number) =>
      manyRows(ROWS, (at) => ({ key: `${number}-${keyAt(at + round)}`, plant: String(number), weight: round }));
    const name = await createTable([...plant(1, 0), ...plant(2, 0)]);
    for (let round = 1; round <= ROUNDS; round++) {
      const files = [plant(1, round), plant(2, round)];
      const answers = await Promise.all(
        files.map((file, at) => replace(instances[at]!, name, file, { 'filter[plant]': String(at + 1) })),
      );
      for (const { status, body } of answers)
        expect([status, body.data.totals.created, body.data.totals.deleted]).toEqual([200, 1, 1]);
      const rows = await tables.rows('assets', name);
      expect(rows.map(({ key }) => key)).toEqual(files.flat().map(({ key }) => key));
      expect(valuesOf(rows, 'weight')).toEqual([round]);
    }
  });

  it('a replacement and writes of single rows leave each row as one of them wrote it', async () => {
    const file = manyRows(ROWS, (at) => ({ key: keyAt(at), name: 'file' }));
    const name = await createTable(manyRows(ROWS + 20, (at) => ({ key: keyAt(at), name: 'old' })));
    for (let round = 0; round < ROUNDS; round++) {
      const row = (key: string) => `${tables.path}/assets/${encodeURIComponent(name)}/items/${key}`;
      const [replaced, ...written] = await Promise.all([
        replace(instances[0]!, name, file),
        ...manyRows(20, (at) => instances[1]!.api.put(row(keyAt(ROWS - 10 + at)), { name: `single ${round}` })),
      ]);
      expect(replaced.status).toBe(200);
      for (const { status } of written) expect([200, 201]).toContain(status);
      const rows = await tables.rows('assets', name);
      const [inFile, others] = [rows.slice(0, ROWS), rows.slice(ROWS)];
      expect(inFile.map(({ key }) => key)).toEqual(file.map(({ key }) => key));
      expect(valuesOf(inFile.slice(0, ROWS - 10), 'name')).toEqual(['file']);
      for (const { name: value } of inFile.slice(-10)) expect(['file', `single ${round}`]).toContain(value);
      // A row that the file lacks remains only if it was written after the import began.
      for (const { name: value } of others) expect(value).toBe(`single ${round}`);
      const { body } = await tables.api.get(
        `${tables.path}/assets/${encodeURIComponent(name)}/changes?since=0&limit=1000`,
      );
      const fed = body.data.items.filter(({ deleted }: any) => !deleted).map(({ item }: any) => item as Item);
      expect(fed.toSorted((a: Item, b: Item) => (a['key']! < b['key']! ? -1 : 1))).toEqual(rows);
    }
  });
});
