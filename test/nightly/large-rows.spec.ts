import { gzipSync } from 'node:zlib';
import { Api, type ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { preload, TestDatabase, TestService } from '../support/service.js';
import { column, manyRows, Tables, text } from '../support/tables.js';
import { until } from '../support/until.js';

/** A request that read all its texts at once would need more than this heap. */
const HEAP_MB = 256;
const LONG = 'a'.repeat(100_000);
const CELLS = manyRows(9, (at) => `C${at}`);
const ROWS = 150;
/** A character of two bytes, in PostgreSQL and in the heap. */
const WIDE = 'ж';
const NDJSON = { 'Content-Type': 'application/x-ndjson', 'Content-Encoding': 'gzip' };

jest.setTimeout(300_000);

let database: TestDatabase;
let service: TestService;
let me: Credentials;
let api: Api;
let tables: Tables;

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await TestService.start(database, {
    NODE_OPTIONS: `${preload()} --max-old-space-size=${HEAP_MB}`,
    // On a busy machine, a statement that reads too much would end by its time, before the heap is full.
    DATABASE_STATEMENT_TIMEOUT_MS: '100000',
  });
  me = await service.provision();
  api = new Api(service.baseUrl).withKey(me.apiKey);
  tables = Tables.of(service, me);
});

afterEach(async () => expect((await new Api(service.baseUrl).get('/health/live')).status).toBe(200));

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const pathOf = (name: string) => `${tables.path}/lists/${name}`;

async function create(name: string, columns: object[], items: object[] = []): Promise<void> {
  const { status, body } = await tables.bulk('lists', { name, columns: [text('K'), ...columns] as never, items });
  expect([status, body.details]).toEqual([201, undefined]);
}

/** Sends rows with a long text in each cell, compressed. */
function load(name: string, rows: number, cells: readonly string[], query = ''): Promise<ApiResponse> {
  const values = Object.fromEntries(cells.map((cell) => [cell, LONG]));
  return importRows(`${pathOf(name)}/items/import${query}`, rows, () => values);
}

function importRows(path: string, rows: number, toValues: (position: number) => object): Promise<ApiResponse> {
  const lines = manyRows(rows, (at) => JSON.stringify({ K: `k${at}`, ...toValues(at) }));
  return api.send(path, { method: 'POST', headers: NDJSON, body: gzipSync(lines.join('\n')) });
}

it('titles of referenced rows are shortened', async () => {
  await create('Titles', [text('Name')]);
  await api.put(pathOf('Titles'), { options: { title: 'name' } });
  expect((await load('Titles', 3_000, ['Name'])).body.data.totals.created).toBe(3_000);
  const reference = (name: string) => ({
    ...column(name, 'reference'),
    options: { target: { entity: 'list', table: 'Titles' } },
  });
  const keys = manyRows(3_000, (at) => ({ k: `r${at}`, a: `k${at}`, b: `k${at}` }));
  await create('Refs', [reference('A'), reference('B')], keys);
  const { status, body } = await api.get(`${pathOf('Refs')}/items?limit=5000&expand=a,b&fields=k`);
  expect([status, body.data.items.length]).toEqual([200, 3_000]);
  expect(Object.keys(body.data.expanded.a)).toHaveLength(3_000);
  expect(body.data.expanded.b.k7.title).toBe(`${'a'.repeat(255)}…`);
});

it('rows that violate constraints are listed by the beginnings of their values', async () => {
  const constrained = CELLS.map((name) => ({ ...text(name), options: { maxLength: 5, pattern: '^b' } }));
  await create('Constrained', constrained);
  const { status, body } = await load('Constrained', ROWS, CELLS);
  expect([status, body.error, body.details.total]).toEqual([422, 'invalid_rows', ROWS * CELLS.length * 2]);
  expect(body.details.errors[0].message).toContain('aaa…" has more.');
});

it('the changes of a proposal are read in pages', async () => {
  await create(
    'Approved',
    CELLS.map((name) => text(name)),
  );
  await api.put(pathOf('Approved'), { options: { approval: { required: true } } });
  const proposed = await load('Approved', ROWS, CELLS);
  expect(proposed.status).toBe(202);
  const path = `${tables.path}/proposals/${proposed.body.data.proposalId}`;
  const response = await fetch(`${service.baseUrl}${path}/differences`, { headers: api.headers });
  let bytes = 0;
  for await (const chunk of response.body!) bytes += (chunk as Uint8Array).length;
  expect(bytes).toBeGreaterThan(ROWS * CELLS.length * LONG.length);
  expect((await api.post(`${path}/approve`, {})).status).toBe(200);
});

it('a restoration of too many bytes is rejected', async () => {
  await create(
    'Restored',
    CELLS.map((name) => text(name)),
  );
  expect((await load('Restored', ROWS, CELLS)).status).toBe(200);
  const { revision } = (await api.get(`${pathOf('Restored')}/items?limit=1`)).body.data.table;
  const keys = manyRows(ROWS, (at) => `k${at}`);
  expect((await api.post(`${pathOf('Restored')}/items/delete`, { keys })).status).toBe(200);
  const restore = (filter: object) => api.post(`${pathOf('Restored')}/restore`, { asOf: String(revision), filter });
  const { status, body } = await restore({ k: { null: false } });
  expect([status, body.error, body.details]).toEqual([413, 'too_large', { limit: 16 * 1024 * 1024 }]);
  expect((await restore({ k: { in: keys.slice(0, 10) } })).body.data.totals.created).toBe(10);
});

it('versions of a row that are larger than a page are listed', async () => {
  const names = manyRows(30, (at) => `C${at}`);
  await create(
    'Wide',
    names.map((name) => text(name)),
  );
  const wide = '日'.repeat(100_000);
  // A request has at most 1 MiB, a row may become larger.
  for (const [at, name] of names.entries()) {
    const { status } = await (at === 0
      ? api.put(`${pathOf('Wide')}/items/w`, { [name.toLowerCase()]: wide })
      : api.patch(`${pathOf('Wide')}/items/w`, { [name.toLowerCase()]: wide }));
    expect([200, 201]).toContain(status);
  }
  await api.patch(`${pathOf('Wide')}/items/w`, { c0: 'x' });
  const { status, body } = await api.get(`${pathOf('Wide')}/items/w/history?limit=200`);
  expect([status, body.data.hasMore, body.data.items[0].columns.c0.to]).toEqual([200, true, 'x']);
  const cursor = encodeURIComponent(body.data.nextCursor as string);
  const next = await api.get(`${pathOf('Wide')}/items/w/history?limit=200&cursor=${cursor}`);
  expect([next.status, next.body.data.items[0].change]).toEqual([200, 'updated']);
});

it('versions of a row are listed in pages', async () => {
  await create(
    'Versions',
    CELLS.map((name) => text(name)),
  );
  for (let at = 0; at < 40; at++) {
    const values = Object.fromEntries(CELLS.map((name) => [name.toLowerCase(), `${at}${LONG.slice(3)}`]));
    expect([200, 201]).toContain((await api.put(`${pathOf('Versions')}/items/v`, values)).status);
  }
  const revisions: number[] = [];
  let pages = 0;
  for (let next = ''; ; pages++) {
    const { body } = await api.get(`${pathOf('Versions')}/items/v/history?limit=200${next}`);
    for (const { revision, change } of body.data.items) {
      revisions.push(revision as number);
      expect(change).toBe(revisions.length === 40 ? 'created' : 'updated');
    }
    if (!body.data.hasMore) break;
    next = `&cursor=${encodeURIComponent(body.data.nextCursor as string)}`;
  }
  expect(pages).toBeGreaterThan(2);
  expect(revisions).toHaveLength(40);
});

/** Copies a record with other values: one request per record would take too long. @param values of the copy `n`. */
async function copy(table: string, id: string | number, count: number, values: string): Promise<void> {
  await database.query(
    `INSERT INTO ${table} SELECT copy.* FROM ${table} t, generate_series(1, $2) n,
            LATERAL jsonb_populate_record(t, jsonb_build_object(${values})) copy WHERE t.id = $1`,
    [id, count],
  );
}

function dataOf({ body }: ApiResponse): any {
  expect(body.error).toBeUndefined();
  return body.data;
}

const post = async (path: string, body: object) => dataOf(await api.post(path, body));

/** Searches until the index contains everything. @returns the number of hits, and whether there are others. */
async function search(kinds: string, q: string): Promise<[number, boolean]> {
  const path = `/v2/api/workspaces/${me.workspaceId}/search?kinds=${kinds}&limit=50&q=${q}`;
  const { groups } = await until(
    async () => dataOf(await api.get(path)),
    ({ isCurrent }) => isCurrent,
    120_000,
  );
  return [groups[0].items.length, groups[0].hasMore];
}

const createTour = async () => {
  const { id: projectId } = await post('/v1/api/projects', { name: 'Works' });
  return post('/v1/api/tours', { projectId, title: 'Pump' });
};

describe('tours of 2 MB', () => {
  const TOURS = 150;
  let projectId: string;

  beforeAll(async () => {
    const { id, ...tour } = await createTour();
    ({ projectId } = tour);
    await database.query(
      `UPDATE tours SET scenes = (
         SELECT jsonb_agg(jsonb_build_object('id', n || repeat('${WIDE}', 250), 'label', repeat('${WIDE}', 255)))
           FROM generate_series(1, 2000) n) WHERE id = $1`,
      [id],
    );
    await copy('tours', id, TOURS, `'id', gen_random_uuid(), 'external_id', 'T' || n`);
  });

  it('are updated by one bulk request', async () => {
    const items = manyRows(TOURS, (at) => ({ projectId, title: at < 5 ? 'Motor' : 'Pump', externalId: `T${at + 1}` }));
    const report = await post('/v1/api/tours/bulk?dryRun=true', { items });
    expect(report).toMatchObject({ updated: 5, unchanged: TOURS - 5 });
  });

  it('are found by the search', async () => {
    expect(await search('tours', 'pump')).toEqual([50, true]);
  });
});

it('notes with many different words are found by the search', async () => {
  const NOTES = 25;
  const WORDS = 4_000;
  const notes = `/v2/api/workspaces/${me.workspaceId}/notes`;
  const toWord = (note: number, at: number) => {
    const digits = (note * WORDS + at).toString(26).padStart(16, '0');
    return [...digits].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('');
  };
  for (let note = 0; note < NOTES; note++)
    await post(notes, { title: 'Dictionary', description: manyRows(WORDS, (at) => toWord(note, at)).join(' ') });
  expect(await search('notes', 'dictionary')).toEqual([NOTES, false]);
});

it('notes of 200 kB are found by the search after a change', async () => {
  const NOTES = 1_000;
  const notes = `/v2/api/workspaces/${me.workspaceId}/notes`;
  const { id } = await post(notes, { title: 'Pump' });
  await database.query(`UPDATE notes SET description = repeat('${WIDE}', 50000) WHERE id = $1`, [id]);
  await copy('notes', id, NOTES, `'id', gen_random_uuid(), 'number', 1000 + n, 'external_id', 'N' || n`);
  // Creates the index, so that the changed notes are indexed by their events.
  await search('notes', 'pump');
  const items = manyRows(NOTES, (at) => ({ title: 'Valve', externalId: `N${at + 1}` }));
  expect(await post(`${notes}/bulk`, { items })).toMatchObject({ updated: NOTES });
  expect(await search('notes', 'valve')).toEqual([50, true]);
});

describe('tags of 200 kB', () => {
  const TAGS = 1_500;
  const FIRST_COPY = 1_000_000;
  let first: number;

  beforeAll(async () => {
    const columns = [column('Parent', 'hierarchyParent'), column('Tag', 'locationTag')];
    const cells = manyRows(TAGS, (at) => ({ k: `k${at}`, parent: 'root', tag: String(FIRST_COPY + at + 1) }));
    const items = [{ k: 'root' }, ...cells];
    expect((await tables.bulk('locations', { name: 'Halls', columns: [text('K'), ...columns], items })).status).toBe(
      201,
    );
    const { id: tourId } = await createTour();
    ({ id: first } = await post('/v1/api/tags', { tourId, label: 'Door', location: 'root' }));
    await database.query(`UPDATE tags SET description = repeat('${WIDE}', 100000) WHERE id = $1`, [first]);
    await copy('tags', first, TAGS, `'id', ${FIRST_COPY} + n, 'external_id', 'G' || n`);
  });

  it('are expanded', async () => {
    const { expanded } = dataOf(await tables.read('locations', 'Halls', { limit: 5_000, expand: 'tag' }));
    expect(Object.keys(expanded.tag as object)).toHaveLength(TAGS);
  });

  it('are parents of the notes of a location', async () => {
    await post('/v1/api/notes', { title: 'At a door', tagId: FIRST_COPY + 1 });
    const { items } = dataOf(await api.get(`/v2/api/workspaces/${me.workspaceId}/notes?under=root`));
    expect(items).toMatchObject([{ title: 'At a door' }]);
  });

  it('refer to a row whose key changes', async () => {
    await post(`${tables.path}/locations/Halls/items/root/rename`, { key: 'roof' });
    const tag = dataOf(await api.get(`/v1/api/tags/${FIRST_COPY + 1}`));
    expect(tag).toMatchObject({ location: { key: 'roof' } });
  });
});

it('texts that are not IDs of tags are not read for the notes of a location', async () => {
  const columns = [text('K'), column('Parent', 'hierarchyParent'), column('Tag', 'locationTag')];
  await tables.bulk('locations', { name: 'Texts', columns, items: [{ k: 'top' }] });
  const path = `${tables.path}/locations/Texts/items/import`;
  const loaded = await importRows(path, 1_500, (at) => ({ Parent: 'top', Tag: `${at} ${WIDE.repeat(99_990)}` }));
  expect(dataOf(loaded).totals.created).toBe(1_500);
  expect(dataOf(await api.get(`/v2/api/workspaces/${me.workspaceId}/notes?under=top`)).items).toEqual([]);
});
