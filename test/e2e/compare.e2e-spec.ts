import { gzipSync } from 'node:zlib';
import { lines, NDJSON, sendFile } from '../support/imports.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { column, manyRows, keyAt, Tables, text, unique } from '../support/tables.js';

let service: SharedService;
let tables: Tables;

beforeAll(async () => {
  ({ service } = await shareService());
  tables = Tables.of(service, await service.provision());
}, 60_000);

const COLUMNS = [
  text('Key'),
  text('Plant'),
  text('Name'),
  column('Weight', 'number'),
  column('Active', 'checkbox'),
  column('Parent', 'hierarchyParent'),
];

async function createTable(items: unknown[]): Promise<string> {
  const name = unique('Compare');
  expect((await tables.bulk('locations', { name, columns: COLUMNS, items })).status).toBe(201);
  return name;
}

interface Sent {
  type?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
}

const send = (table: string, body: string | Uint8Array, { type = NDJSON, query = {}, headers = {} }: Sent = {}) =>
  tables.api.send(
    `${tables.path}/locations/${encodeURIComponent(table)}/items/compare?${new URLSearchParams(query).toString()}`,
    { method: 'POST', body, headers: { 'Content-Type': type, ...headers } },
  );

/** The lines of the response; the last one is the summary. */
async function compare(table: string, body: string | Uint8Array, sent: Sent = {}): Promise<any[]> {
  const answer = await send(table, body, sent);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  // One line is a JSON body by itself.
  if (typeof answer.body !== 'string') return [answer.body];
  return answer.body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const summary = (counts: object) => ({
  summary: { create: 0, update: 0, delete: 0, unchanged: 0, error: 0, ...counts },
});

describe('POST …/items/compare', () => {
  it('lists what a replacement would change, in the order of the keys, and writes nothing', async () => {
    const table = await createTable([
      { key: 'a', name: 'same', weight: 1 },
      { key: 'b', name: 'old', weight: 2.5, active: true },
      { key: 'd', name: 'gone "é\t\\"' },
    ]);
    const file = [
      { key: 'c', name: 'new', active: false },
      { key: 'b', name: 'new\n', weight: null },
      { key: 'a', name: 'same', weight: 1 },
    ];
    const expected = [
      {
        change: 'update',
        key: 'b',
        columns: { name: { from: 'old', to: 'new\n' }, weight: { from: 2.5, to: null } },
      },
      {
        change: 'create',
        key: 'c',
        columns: { name: { from: null, to: 'new' }, active: { from: null, to: false } },
      },
      { change: 'delete', key: 'd', columns: { name: { from: 'gone "é\t\\"', to: null } } },
      summary({ create: 1, update: 1, delete: 1, unchanged: 1 }),
    ];
    expect(await compare(table, lines(file))).toEqual(expected);
    expect(await tables.revision('locations', table)).toBe(1);
    const query = { mode: 'replace', maxDeletions: '100%' };
    const replaced = await sendFile(tables, table, lines(file), { surface: 'locations', query });
    expect(replaced.body.data.totals).toMatchObject({ created: 1, updated: 1, deleted: 1, unchanged: 1 });
    expect(await compare(table, lines(file))).toEqual([summary({ unchanged: 3 })]);
  });

  it('lists row errors as an import does, and goes on', async () => {
    const table = await createTable([{ key: 'a' }, { key: 'b' }, { key: 'c' }, { key: 'x', parent: 'c' }]);
    const file = [
      { key: 'a', weight: 'heavy' },
      { key: 'b', name: '1' },
      { key: 'b', name: '2' },
      { key: 'c', parent: 'x' },
      { key: 'n', name: 'new' },
    ];
    const found = await compare(table, lines(file));
    expect(found.slice(0, 4)).toEqual([
      {
        change: 'error',
        type: 'location',
        table,
        index: 0,
        line: 1,
        key: 'a',
        column: 'weight',
        code: 'type_mismatch',
        message: expect.any(String),
        sent: JSON.stringify(file[0]),
      },
      expect.objectContaining({ change: 'error', line: 2, key: 'b', code: 'duplicate_in_batch' }),
      expect.objectContaining({ change: 'error', line: 3, key: 'b', code: 'duplicate_in_batch' }),
      expect.objectContaining({ change: 'error', line: 4, key: 'c', code: 'hierarchy_cycle' }),
    ]);
    expect(found.slice(4)).toEqual([
      { change: 'create', key: 'n', columns: { name: { from: null, to: 'new' } } },
      { change: 'delete', key: 'x', columns: { parent: { from: 'c', to: null } } },
      summary({ create: 1, delete: 1, error: 4 }),
    ]);
    const imported = await sendFile(tables, table, lines(file), {
      surface: 'locations',
      query: { dryRun: 'true', onError: 'continue' },
    });
    expect(imported.body.data.errors.map(({ code, line }: any) => [code, line])).toEqual(
      found.slice(0, 4).map(({ code, line }) => [code, line]),
    );
  });

  it('compares with a part of the table, by the rows as they would be after an import', async () => {
    const table = await createTable([
      { key: 'AT', plant: '1' },
      { key: 'AT-1', plant: '1', parent: 'AT' },
      { key: 'DE', plant: '2' },
      { key: 'DE-1', plant: '2', parent: 'DE' },
    ]);
    const file = [
      { key: 'AT' },
      { key: 'AT-2', plant: '1', parent: 'AT' },
      { key: 'DE-1', parent: 'AT' },
      { key: 'O' },
    ];
    const byParent = await compare(table, lines(file), { query: { under: 'AT' } });
    expect(byParent).toEqual([
      expect.objectContaining({ change: 'error', key: 'O', code: 'outside_scope' }),
      expect.objectContaining({ change: 'delete', key: 'AT-1' }),
      expect.objectContaining({ change: 'create', key: 'AT-2' }),
      { change: 'update', key: 'DE-1', columns: { parent: { from: 'DE', to: 'AT' } } },
      summary({ create: 1, update: 1, delete: 1, unchanged: 1, error: 1 }),
    ]);
    const byPlant = await compare(table, lines([{ key: 'AT' }, { key: 'DE-1' }]), { query: { 'filter[plant]': '1' } });
    expect(byPlant).toEqual([
      expect.objectContaining({ change: 'error', key: 'DE-1', code: 'outside_scope' }),
      expect.objectContaining({ change: 'delete', key: 'AT-1' }),
      summary({ delete: 1, unchanged: 1, error: 1 }),
    ]);
  });

  it('reads the formats of imports, compressed files, and any number of rows', async () => {
    const table = await createTable(manyRows(3_000, (at) => ({ key: keyAt(at), weight: at })));
    const csv = ['Schlüssel;Weight', ...manyRows(3_000, (at) => `${keyAt(at)};${at},${at % 2 === 0 ? '0' : '5'}`)].join(
      '\n',
    );
    const query = { delimiter: ';', decimal: ',', columns: 'Schlüssel:key' };
    const sent = { type: 'text/csv', query, headers: { 'Content-Encoding': 'gzip' } };
    const found = await compare(table, gzipSync(csv), sent);
    expect(found).toHaveLength(1_501);
    expect(found[0]).toEqual({ change: 'update', key: keyAt(1), columns: { weight: { from: 1, to: 1.5 } } });
    expect(found.at(-1)).toEqual(summary({ update: 1_500, unchanged: 1_500 }));
  });

  it('rejects what an import rejects, and does not need the permission to write', async () => {
    const table = await createTable([{ key: 'a' }]);
    expect(await send(table, '{"key":')).toMatchObject({ status: 400, body: { error: 'malformed_import' } });
    expect(await send(table, 'a', { type: 'application/json' })).toMatchObject({ status: 415 });
    expect(await send(table, lines([]), { query: { dryRun: 'true' } })).toMatchObject({ status: 400 });
    expect(await send(table, lines([]), { query: { under: 'a', 'filter[nope]': '1' } })).toMatchObject({ status: 400 });
    expect(await send('absent', lines([]))).toMatchObject({ status: 404 });
    expect(await send(table, 'nope\n1', { type: 'text/csv' })).toMatchObject({
      status: 422,
      body: { error: 'invalid_header' },
    });
    expect(await compare(table, lines([]))).toEqual([
      { change: 'delete', key: 'a', columns: {} },
      summary({ delete: 1 }),
    ]);
  });
});
