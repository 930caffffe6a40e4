import { randomUUID } from 'node:crypto';
import type { ApiResponse } from '../support/api.js';
import { importRecord, lines, NDJSON, sendFile } from '../support/imports.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { column, type Item, keyAt, manyRows, Tables, text, unique } from '../support/tables.js';

let service: SharedService;
let tables: Tables;

beforeAll(async () => {
  ({ service } = await shareService());
  tables = Tables.of(service, await service.provision());
}, 60_000);

const COLUMNS = [text('Key'), text('Plant'), text('Name'), column('Parent', 'hierarchyParent')];

async function createTable(items: unknown[]): Promise<string> {
  const name = unique('Replace');
  expect((await tables.bulk('locations', { name, columns: COLUMNS, items })).status).toBe(201);
  return name;
}

const replace = (table: string, items: unknown[], query: Record<string, string> = {}) =>
  sendFile(tables, table, lines(items), { surface: 'locations', query: { mode: 'replace', ...query } });
const keys = async (table: string) => (await tables.rows('locations', table)).map((row: Item) => row['key']);
const totals = ({ body }: ApiResponse) => body.data.totals;
const guard = ({ body }: ApiResponse) => body.data.tables[0].guard;
const rowsOf = (...names: string[]) => names.map((key) => ({ key }));

/** AT10 and DE20, each with a child and a grandchild. */
const HIERARCHY = [
  { key: 'AT10', plant: '1000', parent: null },
  { key: 'AT10-A', plant: '1000', parent: 'AT10' },
  { key: 'AT10-A-1', plant: '1000', parent: 'AT10-A' },
  { key: 'DE20', plant: '2000', parent: null },
  { key: 'DE20-A', plant: '2000', parent: 'DE20' },
];

describe('an import that replaces the table', () => {
  it('upserts the rows of the file, deletes the others, and moves the revision once', async () => {
    const table = await createTable(manyRows(20, (at) => ({ key: keyAt(at), name: 'old' })));
    const file = [...manyRows(18, (at) => ({ key: keyAt(at), name: at < 5 ? 'new' : 'old' })), { key: 'N' }];
    const answer = await replace(table, file);
    expect(answer.status).toBe(200);
    expect(totals(answer)).toEqual({ received: 19, created: 1, updated: 5, unchanged: 13, failed: 0, deleted: 2 });
    expect(answer.body.data).toMatchObject({
      revision: 2,
      tables: [{ deleted: 2, guard: { limit: 2, deletions: 2, exceeded: false } }],
    });
    expect(await keys(table)).toEqual([...manyRows(18, keyAt), 'N']);
    const { items } = (await tables.api.get(`${tables.path}/locations/${encodeURIComponent(table)}/changes?since=1`))
      .body.data;
    expect(items).toHaveLength(8);
    expect(items.filter(({ deleted }: any) => deleted).map(({ key, revision }: any) => [key, revision])).toEqual([
      [keyAt(18), 2],
      [keyAt(19), 2],
    ]);
    expect(totals(await replace(table, file))).toMatchObject({ unchanged: 19, deleted: 0 });
    expect(await tables.revision('locations', table)).toBe(2);
  });

  it('rejects more deletions than 10 % of the rows, or than maxDeletions', async () => {
    const table = await createTable(manyRows(30, (at) => ({ key: keyAt(at) })));
    const file = manyRows(26, (at) => ({ key: keyAt(at), name: 'new' }));
    const importId = randomUUID();
    const answer = await replace(table, file, { importId });
    expect(answer).toMatchObject({
      status: 409,
      body: { error: 'too_many_deletions', details: { limit: 3, actual: 4, total: 30 } },
    });
    expect(await importRecord(tables, importId)).toMatchObject({
      status: 'failed',
      error: { code: 'too_many_deletions' },
    });
    expect((await replace(table, file, { maxDeletions: '3' })).status).toBe(409);
    expect(await keys(table)).toHaveLength(30);
    const dry = await replace(table, file, { dryRun: 'true' });
    expect([dry.status, guard(dry)]).toEqual([200, { limit: 3, deletions: 4, exceeded: true }]);
    expect(totals(dry)).toMatchObject({ updated: 26, deleted: 4 });
    expect(await tables.revision('locations', table)).toBe(1);
    expect(totals(await replace(table, file, { maxDeletions: '4' }))).toMatchObject({ updated: 26, deleted: 4 });
  });

  it('never deletes all rows for a file without rows', async () => {
    const table = await createTable(rowsOf('a'));
    expect(await replace(table, [], { maxDeletions: '100%' })).toMatchObject({
      status: 409,
      body: { error: 'too_many_deletions', message: 'The file has no rows; nothing was stored. Check the file.' },
    });
    expect(guard(await replace(table, [], { maxDeletions: '100%', dryRun: 'true' }))).toMatchObject({ exceeded: true });
    const empty = await createTable([]);
    expect((await replace(empty, [])).status).toBe(409);
    expect(totals(await replace(empty, rowsOf('a')))).toMatchObject({ created: 1, deleted: 0 });
  });

  it('does not delete rejected rows of the file, nor any row if keys cannot be read', async () => {
    const table = await createTable([...rowsOf('a', 'b', 'c', 'd'), ...manyRows(40, (at) => ({ key: keyAt(at) }))]);
    const others = manyRows(40, (at) => ({ key: keyAt(at) }));
    const file = [{ key: 'a' }, { key: 'b', colour: 'red' }, { key: 'c' }, { key: 'c' }, ...others];
    const answer = await replace(table, file, { onError: 'continue' });
    expect(answer.status).toBe(207);
    expect(totals(answer)).toMatchObject({ failed: 3, deleted: 1 });
    expect((await keys(table)).slice(-3)).toEqual(['a', 'b', 'c']);
    // A row with too few cells, and rows without a key.
    const replaceByCsv = (name: string, rows: string) =>
      sendFile(tables, name, `key,name\n${rows}`, {
        surface: 'locations',
        type: 'text/csv',
        query: { mode: 'replace', onError: 'continue', maxDeletions: '100%' },
      });
    for (const rows of ['a,x\nb\n', 'a,x\n,y\n', 'a,x\n" ",y\n'])
      expect(await replaceByCsv(table, rows)).toMatchObject({ status: 422, body: { error: 'invalid_rows' } });
    expect(await keys(table)).toHaveLength(43);
    // It would delete no row, so the key that cannot be read is that of no stored row.
    const [complete, empty] = [await createTable(rowsOf('a')), await createTable([])];
    for (const [name, created] of [
      [complete, 1],
      [empty, 2],
    ] as const) {
      const stored = await replaceByCsv(name, 'a,x\nb\nc,z\n');
      expect([stored.status, totals(stored)]).toEqual([
        207,
        expect.objectContaining({ created, failed: 1, deleted: 0 }),
      ]);
    }
  });

  it('stores nothing if a row is invalid', async () => {
    const table = await createTable(manyRows(20, (at) => ({ key: keyAt(at) })));
    const file = [...manyRows(19, (at) => ({ key: keyAt(at), name: 'new' })), { key: 'x', colour: 'red' }];
    expect((await replace(table, file)).status).toBe(422);
    expect(await tables.revision('locations', table)).toBe(1);
  });

  it('reports references to deleted rows as unresolved, and a row created again starts empty', async () => {
    const table = await createTable(HIERARCHY);
    const file = [...HIERARCHY.slice(0, 3), { key: 'DE20-A', plant: '2000', parent: 'DE20' }];
    const answer = await replace(table, file, { maxDeletions: '1' });
    expect(answer.body.data.tables[0].unresolved).toMatchObject({ total: 1, first: [{ value: 'DE20', line: 4 }] });
    await tables.bulk('locations', { name: table, items: [{ key: 'DE20' }] });
    expect(await tables.rows('locations', table)).toContainEqual({
      key: 'DE20',
      plant: null,
      name: null,
      parent: null,
    });
  });
});

describe('an import that replaces a part of the table', () => {
  it('deletes only below the row of `under`', async () => {
    const table = await createTable(HIERARCHY);
    const file = [HIERARCHY[0], { key: 'AT10-B', plant: '1000', parent: 'AT10' }];
    expect(await replace(table, file, { under: 'AT10', maxDeletions: '50%' })).toMatchObject({ status: 409 });
    const answer = await replace(table, file, { under: 'AT10', maxDeletions: '67%' });
    expect(totals(answer)).toEqual({ received: 2, created: 1, updated: 0, unchanged: 1, failed: 0, deleted: 2 });
    expect(guard(answer)).toEqual({ limit: 2, deletions: 2, exceeded: false });
    expect(await keys(table)).toEqual(['AT10', 'AT10-B', 'DE20', 'DE20-A']);
  });

  it('deletes only rows that match the filter', async () => {
    const table = await createTable(HIERARCHY);
    const answer = await replace(table, [HIERARCHY[3]], { 'filter[plant]': '2000', maxDeletions: '1' });
    expect(totals(answer)).toMatchObject({ unchanged: 1, deleted: 1 });
    expect(await keys(table)).toEqual(['AT10', 'AT10-A', 'AT10-A-1', 'DE20']);
  });

  it('stores the valid rows of an empty table although others are outside of it, and others violate a constraint', async () => {
    const name = unique('Replace');
    const columns = [text('Key'), text('Plant'), column('Code', 'text', { options: { unique: true } })];
    expect((await tables.bulk('locations', { name, columns, items: [] })).status).toBe(201);
    const row = (key: string, plant: string, code = key) => ({ key, plant, code });
    const file = [
      row('K1', 'A'),
      row('K2', 'A'),
      row('K3', 'B'),
      row('K4', 'B'),
      row('K5', 'A', 'x'),
      row('K6', 'A', 'x'),
    ];
    const answer = await replace(name, file, { 'filter[plant]': 'A', onError: 'continue' });
    expect(totals(answer)).toMatchObject({ received: 6, created: 2, unchanged: 0, failed: 4 });
    expect(await keys(name)).toEqual(['K1', 'K2']);
  });

  it('rejects rows of the file outside of it, with onError=continue only these', async () => {
    const table = await createTable(HIERARCHY);
    const moved = [
      HIERARCHY[0],
      HIERARCHY[1],
      HIERARCHY[2],
      { key: 'AT11', plant: '1000' },
      { key: 'AT11-A', parent: 'AT11' },
    ];
    const answer = await replace(table, moved, { under: 'AT10' });
    expect(answer.status).toBe(422);
    expect(answer.body.details.summary).toEqual([{ code: 'outside_scope', count: 2 }]);
    expect(answer.body.details.errors.map(({ line, key }: any) => [line, key])).toEqual([
      [4, 'AT11'],
      [5, 'AT11-A'],
    ]);
    const importId = randomUUID();
    const others = [
      ...moved,
      { key: 'AT10-C', plant: '1000', name: 'new', parent: 'AT10' },
      { key: 'DE20', name: 'x' },
    ];
    const stored = await replace(table, others, { under: 'AT10', onError: 'continue', importId });
    expect(totals(stored)).toEqual({ received: 7, created: 1, updated: 0, unchanged: 3, failed: 3, deleted: 0 });
    expect(await keys(table)).toEqual(['AT10', 'AT10-A', 'AT10-A-1', 'AT10-C', 'DE20', 'DE20-A']);
    const errors = await tables.api.get(`${tables.path}/imports/${importId}/errors`, { Accept: NDJSON });
    expect(String(errors.body).match(/"code":"outside_scope"/g)).toHaveLength(3);
  });

  it('rejects a scope without mode=replace, and invalid scopes', async () => {
    const table = await createTable(HIERARCHY);
    const send = (query: Record<string, string>) =>
      sendFile(tables, table, lines([HIERARCHY[0]]), { surface: 'locations', query });
    expect((await send({ under: 'AT10' })).status).toBe(400);
    expect((await send({ maxDeletions: '10%' })).status).toBe(400);
    expect((await send({ mode: 'replace', maxDeletions: 'all' })).status).toBe(400);
    expect((await send({ mode: 'replace', 'filter[colour]': 'red' })).status).toBe(400);
    expect((await send({ mode: 'replace', depth: '1' })).status).toBe(400);
    expect(await tables.revision('locations', table)).toBe(1);
  });
});

describe('a scope without a condition', () => {
  const SCOPES: Record<string, string>[] = [
    { filter: '{}' },
    { filter: '{"plant":{}}' },
    { filter: '{"plant":{},"key":"AT10"}' },
    { 'filter[plant]': '{}' },
    { filter: '{}', under: 'AT10' },
    { 'filter[constructor]': 'x' },
    { 'filter[toString][eq]': 'x' },
    { filter: '{"__proto__":"x"}' },
  ];

  it.each(SCOPES)('%j is rejected by an import and by a comparison, and deletes nothing', async (scope) => {
    const table = await createTable(HIERARCHY);
    const answer = await replace(table, [HIERARCHY[0]], { ...scope, maxDeletions: '100%' });
    expect(answer.status).toBe(400);
    expect(await keys(table)).toHaveLength(HIERARCHY.length);
    const path = `${tables.path}/locations/${encodeURIComponent(table)}/items/compare?${new URLSearchParams(scope).toString()}`;
    const headers = { 'Content-Type': NDJSON };
    const compared = await tables.api.send(path, { method: 'POST', body: lines([HIERARCHY[0]]), headers });
    expect(compared.status).toBe(400);
  });
});

describe('replacements and other writers', () => {
  it('of disjoint parts at the same time leave the rows of each other', async () => {
    const items = (plant: string, from: number, count: number) =>
      manyRows(count, (at) => ({ key: `${plant}-${keyAt(from + at)}`, plant }));
    const table = await createTable([...items('1', 0, 200), ...items('2', 0, 200)]);
    const run = (plant: string) =>
      replace(table, items(plant, 100, 200), { 'filter[plant]': plant, maxDeletions: '100' });
    const answers = await Promise.all([run('1'), run('2')]);
    for (const answer of answers) expect(totals(answer)).toMatchObject({ created: 100, unchanged: 100, deleted: 100 });
    expect(await keys(table)).toEqual([...items('1', 100, 200), ...items('2', 100, 200)].map(({ key }) => key));
  });

  it('do not delete rows that others wrote after the import began', async () => {
    const table = await createTable(manyRows(40, (at) => ({ key: keyAt(at) })));
    const path = `${tables.path}/locations/${encodeURIComponent(table)}/items`;
    const body = lines(manyRows(39, (at) => ({ key: keyAt(at) })));
    // The request begins, others write, and the rest of the file follows.
    let release: () => void = () => undefined;
    const written = new Promise<void>((resolve) => (release = resolve));
    const stream = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from(body.slice(0, 100)));
        await written;
        controller.enqueue(Buffer.from(body.slice(100)));
        controller.close();
      },
    });
    const importId = randomUUID();
    const request = fetch(`${tables.api.baseUrl}${path}/import?mode=replace&importId=${importId}`, {
      method: 'POST',
      headers: { ...tables.api.headers, 'Content-Type': NDJSON },
      body: stream,
      duplex: 'half',
    });
    while ((await importRecord(tables, importId))?.status !== 'receiving')
      await new Promise((done) => setTimeout(done, 50));
    await tables.api.put(`${path}/${keyAt(39)}`, { name: 'changed' });
    await tables.api.put(`${path}/later`, { name: 'new' });
    release();
    const answer = (await (await request).json()) as any;
    expect(answer.data.totals).toMatchObject({ unchanged: 39, deleted: 0 });
    expect(await keys(table)).toEqual([...manyRows(40, keyAt), 'later']);
  });
});
