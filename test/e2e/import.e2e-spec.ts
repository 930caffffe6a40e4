import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { eventually, importRecord, lines, NDJSON, type Sent, sendFile } from '../support/imports.js';
import { TestDatabase, TestService } from '../support/service.js';
import {
  column,
  type ColumnInput,
  type Item,
  keyAt,
  manyRows,
  type Surface,
  Tables,
  text,
  unique,
} from '../support/tables.js';

const CSV = 'text/csv';
const MIB = 1024 * 1024;

let database: TestDatabase;
let service: TestService;
let credentials: Credentials;
let tables: Tables;

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await TestService.start(database, { IMPORT_MAX_BYTES: String(16 * MIB), IMPORT_MAX_OPEN: '5' });
  credentials = await service.provision();
  tables = Tables.of(service, credentials);
}, 60_000);

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const EQUIPMENT: ColumnInput[] = [text('EQUNR', { primaryKey: true }), text('Name'), column('Weight', 'number')];

/** Sends a file to a table. */
const send = (table: string, body: string | Uint8Array, { of = tables, ...sent }: Sent & { of?: Tables } = {}) =>
  sendFile(of, table, body, sent);

const csv = (table: string, body: string | Uint8Array, sent: Sent = {}) => send(table, body, { type: CSV, ...sent });
const CONTINUE = { query: { onError: 'continue' } };

async function createTable(columns = EQUIPMENT, items: unknown[] = [], surface: Surface = 'assets'): Promise<string> {
  const name = unique('Table');
  expect((await tables.bulk(surface, { name, columns, items })).status).toBe(201);
  return name;
}

const countsOf = ({ received, created, updated, unchanged, failed }: Record<string, number>) => [
  received,
  created,
  updated,
  unchanged,
  failed,
];
const totals = (answer: ApiResponse) => countsOf(answer.body.data.totals);
const errorsOf = (answer: ApiResponse): Record<string, unknown>[] =>
  answer.body.details?.errors ?? answer.body.data.errors;
const brief = (answer: ApiResponse) => errorsOf(answer).map(({ line, code }) => [line, code]);

const recordOf = (id: string) => importRecord(tables, id);
const listTemporaryFiles = () => readdirSync(join(service.env['DATA_DIR']!, 'temporary'));

/** Fails if an import left anything on disk or in the database. */
async function expectNothingLeft(): Promise<void> {
  await eventually(listTemporaryFiles, (files) => files.length === 0);
  const staging = () => database.query(`SELECT oid FROM pg_class WHERE relname LIKE 'import\\_%'`);
  await eventually(staging, (found) => found.length === 0);
}

/** The physical table of a table. */
const physical = (workspaceId: string, id: string) =>
  `ws_${workspaceId.replaceAll('-', '')}.t_${id.replaceAll('-', '')}`;

/** Locks the tables in the catalog, as a slow writer does. */
const lockTables = () => database.lockTables(credentials);

/** Sends only the headers and a part of the body of a request. */
function sendPart(table: string, head: Record<string, string>, part: string, query = ''): ReturnType<typeof connect> {
  const path = `${tables.path}/assets/${encodeURIComponent(table)}/items/import${query}`;
  const headers = { Host: 'x', 'X-API-Key': credentials.apiKey, 'Content-Type': NDJSON, ...head };
  const written = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`POST ${path} HTTP/1.1\r\n${written.join('')}\r\n${part}`);
  return socket;
}

describe('a file of rows', () => {
  it.each<Surface>(['locations', 'assets', 'lists'])('imports a file into a table of %s', async (surface) => {
    const table = await createTable(EQUIPMENT, [{ equnr: '2', name: 'old' }], surface);
    const answer = await send(
      table,
      lines([
        { equnr: '2', name: 'new' },
        { EQUNR: '1', weight: '1.50' },
      ]),
      { surface },
    );
    expect(answer.status).toBe(200);
    expect(totals(answer)).toEqual([2, 1, 1, 0, 0]);
    expect(answer.body.data.tables[0]).toMatchObject({ name: table, type: surface.slice(0, -1), revision: 2 });
    expect(await tables.rows(surface, table)).toEqual([
      { equnr: '1', name: null, weight: 1.5 },
      { equnr: '2', name: 'new', weight: null },
    ]);
  });

  it('changes nothing if a file is imported again, not even the revision', async () => {
    const table = await createTable();
    const file = lines(manyRows(2_500, (at) => ({ equnr: keyAt(at), name: `Pump ${at}`, weight: at })));
    expect(totals(await send(table, file))).toEqual([2_500, 2_500, 0, 0, 0]);
    const again = await send(table, file);
    expect(totals(again)).toEqual([2_500, 0, 0, 2_500, 0]);
    expect(again.body.data.revision).toBe(2);
  });

  it('merges rows: null clears a value, omitted columns are unchanged', async () => {
    const table = await createTable(EQUIPMENT, [
      { equnr: '1', name: 'a', weight: 1 },
      { equnr: '2', name: 'b', weight: 2 },
      { equnr: '3', name: 'c', weight: 3 },
    ]);
    const items = [{ equnr: '1', name: null }, { equnr: '2', weight: 9 }, { equnr: '3' }, { equnr: '4', weight: 4 }];
    expect(totals(await send(table, lines(items)))).toEqual([4, 1, 2, 1, 0]);
    expect(await tables.rows('assets', table)).toEqual([
      { equnr: '1', name: null, weight: 1 },
      { equnr: '2', name: 'b', weight: 9 },
      { equnr: '3', name: 'c', weight: 3 },
      { equnr: '4', name: null, weight: 4 },
    ]);
  });

  it('imports a file that is compressed with gzip', async () => {
    const table = await createTable();
    const file = gzipSync(lines(manyRows(5_000, (at) => ({ equnr: keyAt(at) }))));
    expect(totals(await send(table, file, { headers: { 'Content-Encoding': 'gzip' } }))[1]).toBe(5_000);
  });

  it('an import has the result of a bulk request for mixed rows in any order', async () => {
    const columns = [...EQUIPMENT, column('On', 'date'), column('Active', 'checkbox'), text('Note')];
    const [imported, bulked] = [await createTable(columns), await createTable(columns)];
    const items = manyRows(3_000, (at) => {
      const item: Item = { equnr: keyAt((at * 7_919) % 3_000) };
      if (at % 2) item['name'] = `Kühl"wasser\\, 🙂\n${at}`;
      if (at % 3) item['weight'] = at % 5 ? at / 7 : null;
      if (at % 4) Object.assign(item, { on: '20250131', active: at % 8 ? 'yes' : 0, note: '\t' });
      return item;
    });
    await tables.bulk('assets', { name: bulked, items });
    expect((await send(imported, lines(items))).status).toBe(200);
    expect(await tables.rows('assets', imported)).toEqual(await tables.rows('assets', bulked));
    const changed = items.map((item, at) => ({ equnr: item['equnr'], ...(at % 5 ? {} : { name: 'x', note: null }) }));
    const both = [await send(imported, lines(changed)), await tables.bulk('assets', { name: bulked, items: changed })];
    expect(totals(both[0]!)).toEqual(totals(both[1]!));
    expect(await tables.rows('assets', imported)).toEqual(await tables.rows('assets', bulked));
  });

  it('creates a deleted row again, with empty values', async () => {
    const table = await createTable(EQUIPMENT, [{ equnr: '1', name: 'a', weight: 1 }]);
    await tables.api.delete(`${tables.path}/assets/${encodeURIComponent(table)}/items/1`);
    expect(totals(await send(table, lines([{ equnr: '1', weight: 2 }])))).toEqual([1, 1, 0, 0, 0]);
    expect(await tables.rows('assets', table)).toEqual([{ equnr: '1', name: null, weight: 2 }]);
  });

  it('imports a file that is empty or consists of empty lines', async () => {
    const table = await createTable();
    for (const file of ['', '\n\r\n  \n']) {
      const answer = await send(table, file);
      expect([answer.status, ...totals(answer)]).toEqual([200, 0, 0, 0, 0, 0]);
    }
    expect(await tables.revision('assets', table)).toBe(1);
  });
});

describe('CSV', () => {
  it('accepts CSV with column keys or names in its header; an empty cell is null, one with quotes an empty text', async () => {
    const table = await createTable(
      [...EQUIPMENT, text('Maker')],
      [{ equnr: '1', name: 'a', weight: 1, maker: 'ABB' }],
    );
    const answer = await csv(table, '\uFEFF Weight ,EQUNR,name\r\n,1,""\r\n"1.5","0002","say ""hi"", twice"\r\n');
    expect(totals(answer)).toEqual([2, 1, 1, 0, 0]);
    expect(await tables.rows('assets', table)).toEqual([
      { equnr: '0002', name: 'say "hi", twice', weight: 1.5, maker: null },
      { equnr: '1', name: '', weight: null, maker: 'ABB' },
    ]);
  });

  it('counts CSV lines as an editor does, including line breaks in quotes', async () => {
    const table = await createTable();
    const file = 'equnr,name,weight\n1,"two\nlines\r\nthree",1\n\n2,"x",heavy\r\n3\n4,b,5,6\n"5","y\n",z';
    const answer = await csv(table, file, CONTINUE);
    expect(answer.status).toBe(207);
    expect(totals(answer)).toEqual([5, 1, 0, 0, 4]);
    expect(errorsOf(answer)).toMatchObject([
      { line: 6, index: 1, key: '2', column: 'weight', code: 'type_mismatch' },
      { line: 7, index: 2, code: 'cell_count', message: 'The header has 3 cells; this row has 1 cell.' },
      { line: 8, index: 3, code: 'cell_count' },
      { line: 9, index: 4, key: '5', code: 'type_mismatch' },
    ]);
    expect(await tables.rows('assets', table)).toEqual([{ equnr: '1', name: 'two\nlines\r\nthree', weight: 1 }]);
  });

  it('rejects a CSV row with a surplus empty cell, unless all rows have it', async () => {
    const columns = [text('EQUNR', { primaryKey: true }), text('Name'), text('Maker'), text('Plant')];
    // Without quotes, the separator of "Valve; big" moves the maker into the column of the plant.
    const rows = ['1;Pump;ABB;', '2;Valve; big;ABB;', '3;Fan;ABB', ';;;', '4;Motor;;AT10'];
    const differs = (cells: number, line: number, others: number): string =>
      `This row has ${cells} cells; line ${line} has ${others} cells. ` +
      'Quote a text that contains the delimiter, or end all rows with one.';
    const short = 'The header has 4 cells; this row has 3 cells.';
    const read = async (lines: string[]) => {
      const table = await createTable(columns);
      const file = ['equnr;name;maker;plant', ...lines].join('\n');
      const answer = await csv(table, file, { query: { ...CONTINUE.query, delimiter: ';' } });
      const errors = (errorsOf(answer) ?? []).map(({ line, message }: any) => [line, message]);
      return { errors, keys: (await tables.rows('assets', table)).map(({ equnr }) => equnr) };
    };
    const [pump, valve, fan, blank, motor] = rows as [string, string, string, string, string];
    expect(await read(rows)).toEqual({
      errors: [
        [3, differs(5, 2, 4)],
        [4, short],
      ],
      keys: ['1', '4'],
    });
    // The first row is the shifted one: the motor, which has a plant, shows that rows do not end with a separator.
    expect(await read([valve, pump, fan, blank, motor])).toEqual({
      errors: [
        [2, differs(5, 6, 4)],
        [4, short],
      ],
      keys: ['1', '4'],
    });
    // Each of two rows may be the wrong one.
    expect(await read([valve, pump])).toEqual({
      errors: [
        [2, differs(5, 3, 4)],
        [3, differs(4, 2, 5)],
      ],
      keys: [],
    });
    const ended = Array.from({ length: 20_000 }, (_, index) => `${index};Pump;;;`);
    const last = '20001;Valve; big;ABB;;';
    const all = await read(['M;Motor;;AT10;', ...ended, last]);
    expect(all.errors).toEqual([[20_003, differs(6, 2, 5)]]);
    expect(all.keys).toHaveLength(20_001);
  });

  it('names the header of a CSV file that ends with a separator if no row does', async () => {
    const table = await createTable();
    const answer = await csv(table, '\nequnr,name,\n1,Pump\n2,Fan\n', CONTINUE);
    expect([answer.status, answer.body.error]).toEqual([422, 'invalid_header']);
    const message =
      'The header ends with a delimiter and has 3 cells; all rows have 2 cells. Remove the delimiter at the end of the header.';
    expect(errorsOf(answer)).toEqual([{ type: 'asset', table, line: 2, code: 'cell_count', message }]);
    expect(totals(await csv(table, 'equnr,name,\n1,Pump,\n2,Fan\n', CONTINUE))).toEqual([2, 1, 0, 0, 1]);
    expect(totals(await csv(table, 'equnr,name,\n', CONTINUE))).toEqual([0, 0, 0, 0, 0]);
  });

  it('rejects CSV rows whose cells after the last column are not empty, or whose first row ends otherwise', async () => {
    const table = await createTable();
    const ended = await csv(table, 'equnr,name\n5,Fan,\n8,Fan,Big\n,,\n9,Fan,\n', CONTINUE);
    expect(errorsOf(ended)).toMatchObject([{ line: 3, message: 'The header has 2 cells; this row has 3 cells.' }]);
    expect(totals(ended)).toEqual([3, 2, 0, 0, 1]);
    const mixed = await csv(table, 'equnr,name\n5,Fan,\n6,Fan,\n7,Fan\n', CONTINUE);
    expect(errorsOf(mixed)).toMatchObject([2, 3].map((line) => ({ line, message: expect.stringContaining('line 4') })));
    expect(totals(await csv(table, 'equnr\n,\n10\n11\n', CONTINUE))).toEqual([3, 2, 0, 0, 1]);
  });

  it.each([
    ['', 'equnr,name\n'],
    [' with a byte order mark', '\ufeff"equnr"," name "\r\n'],
  ])('rejects a CSV row that is equal to the header%s, as between two files in a row', async (_, header) => {
    const table = await createTable();
    const file = `equnr,name\n1,a\n${header}2,b\n`;
    expect(brief(await csv(table, file))).toEqual([[3, 'repeated_header']]);
    const answer = await csv(table, file, CONTINUE);
    expect(totals(answer)).toEqual([3, 2, 0, 0, 1]);
    expect((await tables.rows('assets', table)).map(({ equnr }) => equnr)).toEqual(['1', '2']);
    expect(totals(await csv(table, 'equnr,name\n3,c\n\ufeff"4","d"\n'))).toEqual([2, 2, 0, 0, 0]);
    expect(await tables.rows('assets', table)).toContainEqual(expect.objectContaining({ equnr: '4', name: 'd' }));
  });

  it('rejects a header of many names in linear time', async () => {
    const table = await createTable();
    const answer = await csv(table, `${','.repeat(300_000)}${'name,'.repeat(100_000)}equnr\n1\n`);
    expect([answer.status, answer.body.error]).toEqual([422, 'invalid_header']);
  });

  it('changes nothing for CSV with only a header', async () => {
    const table = await createTable();
    for (const file of ['equnr,name', 'equnr\r\n']) expect(totals(await csv(table, file))).toEqual([0, 0, 0, 0, 0]);
  });

  it.each([
    ['equnr,nothing', ['unknown_column']],
    ['equnr,__proto__,constructor', ['unknown_column', 'unknown_column']],
    ['equnr,name,NAME', ['duplicate_column']],
    ['equnr,same', ['ambiguous_column']],
    ['name,weight', ['required_key']],
  ])('returns 422 for the CSV header %j before any row is read', async (header, codes) => {
    const table = await createTable([...EQUIPMENT, text('Same', { key: 'same1' }), text('Same', { key: 'same2' })]);
    const answer = await csv(table, `${header}\n1,2,3\n`, CONTINUE);
    expect(answer.status).toBe(422);
    expect(answer.body.error).toBe('invalid_header');
    expect(brief(answer)).toEqual(codes.map((code) => [1, code]));
  });

  it.each(['equnr;name', 'equnr\tname'])(
    'returns a hint for CSV with another separator than commas: %j',
    async (header) => {
      const answer = await csv(await createTable(), `${header}\n`);
      expect(errorsOf(answer)).toMatchObject([
        {
          code: 'unknown_column',
          message: `The table has no column "${header}". Cells are separated by commas; set "delimiter" for another character.`,
        },
      ]);
    },
  );

  it('skips CSV lines of blanks unless they are rows of one cell', async () => {
    const table = await createTable();
    expect(totals(await csv(table, ' \nequnr,name\n  \n1,a\n\t\r\n'))).toEqual([1, 1, 0, 0, 0]);
    const quoted = await csv(table, 'equnr,name\n" "\n');
    expect(brief(quoted)).toEqual([[2, 'cell_count']]);
    expect(brief(await csv(table, 'equnr\n  \n'))).toEqual([[2, 'required_key']]);
  });

  it.each([
    ['', 1],
    ['equnr,name\n1,a\n2,"b', 3],
    ['equnr,name\n1,"a"b\n', 2],
    ['equnr,name\n1,"6" flange\n', 2],
  ])('returns 400 with the line for malformed CSV: %j', async (file, line) => {
    const table = await createTable();
    const answer = await csv(table, file, CONTINUE);
    expect([answer.status, answer.body.error]).toEqual([400, 'malformed_import']);
    expect(errorsOf(answer)).toMatchObject([{ line }]);
    expect(await tables.rows('assets', table)).toEqual([]);
  });

  it('rejects CSV with an unclosed quote before it is read completely', async () => {
    const answer = await csv(await createTable(), `equnr,name\n1,"${'x\n'.repeat(MIB)}`);
    expect([answer.status, answer.body.error, errorsOf(answer)[0]!['line']]).toEqual([413, 'line_too_long', 2]);
  });
});

describe('invalid rows', () => {
  const TREE: ColumnInput[] = [text('Key'), column('Up', 'hierarchyParent'), text('Must', { required: true })];

  it('reports invalid rows with their lines and stores no row', async () => {
    const table = await createTable();
    const file =
      '\n{"equnr":"1"}\n{"equnr":"2","weight":"heavy"}\n{"equnr":null}\n[]\n7\n{"equnr":"3","proto":1}\n{"equnr":"\\u0000"}\n';
    const answer = await send(table, file);
    expect([answer.status, answer.body.error]).toEqual([422, 'invalid_rows']);
    expect(brief(answer)).toEqual([
      [3, 'type_mismatch'],
      [4, 'required_key'],
      [5, 'type_mismatch'],
      [6, 'type_mismatch'],
      [7, 'unknown_column'],
      [8, 'type_mismatch'],
    ]);
    expect(await tables.rows('assets', table)).toEqual([]);
    const going = await send(table, file, CONTINUE);
    expect([going.status, ...totals(going)]).toEqual([207, 7, 1, 0, 0, 6]);
    expect(brief(going)).toEqual(brief(answer));
  });

  it('counts all invalid rows and lists the first 1,000', async () => {
    const answer = await send(
      await createTable(),
      lines(manyRows(9_000, (at) => ({ equnr: keyAt(at), weight: at % 2 ? 'x' : at }))),
    );
    expect(answer.body.details.total).toBe(4_500);
    expect(answer.body.message).toContain('4500 of 9000 rows');
    expect(errorsOf(answer).map(({ line }) => line)).toEqual(manyRows(1_000, (at) => 2 * at + 2));
  });

  it('reports all rows with one key, at any distance', async () => {
    const table = await createTable();
    const items: Record<string, unknown>[] = manyRows(20_000, (at) => ({ equnr: keyAt(at), name: 'x'.repeat(40) }));
    items[19_999] = { equnr: keyAt(3) };
    items[10] = { equnr: keyAt(9), weight: 'heavy' };
    items.push({ equnr: keyAt(3) });
    const answer = await send(table, lines(items), CONTINUE);
    expect(totals(answer)).toEqual([20_001, 19_996, 0, 0, 5]);
    const [third, ninth] = [keyAt(3), keyAt(9)];
    const code = 'duplicate_in_batch';
    expect(errorsOf(answer)).toMatchObject([
      { index: 3, line: 4, key: third, code, otherIndex: 19_999, otherLine: 20_000 },
      { index: 9, line: 10, key: ninth, code, otherIndex: 10, otherLine: 11 },
      { index: 10, line: 11, key: ninth, code: 'type_mismatch' },
      { index: 10, line: 11, key: ninth, code, otherIndex: 9, otherLine: 10 },
      { index: 19_999, line: 20_000, key: third, code, otherIndex: 3, otherLine: 4 },
      { index: 20_000, line: 20_001, key: third, code, otherIndex: 3, otherLine: 4 },
    ]);
    expect((await tables.rows('assets', table)).map(({ equnr }) => equnr)).not.toContain(third);
  });

  it('reports new rows without a required column', async () => {
    const table = await createTable(TREE, [{ key: 'a', must: 'x' }]);
    const file = lines([{ key: 'a', up: 'b' }, { key: 'b' }, { key: 'c', must: '1' }, { key: 'd', must: null }]);
    const answer = await send(table, file, CONTINUE);
    expect(brief(answer)).toEqual([
      [2, 'required'],
      [4, 'required'],
    ]);
    const whole = await csv(table, 'key,up\na,\ne,\n', CONTINUE);
    expect(brief(whole)).toEqual([[3, 'required']]);
    expect(await tables.rows('assets', table)).toEqual([
      { key: 'a', up: null, must: 'x' },
      { key: 'c', up: null, must: '1' },
    ]);
  });

  it('reports rows on a cycle of parents, within the file or through stored rows', async () => {
    const links = [text('Key'), column('Up', 'hierarchyParent')];
    const stored = [
      { key: 'root', up: null },
      { key: 'mid', up: 'root' },
      { key: 'leaf', up: 'mid' },
    ];
    const items = [
      { key: 'a', up: 'b' },
      { key: 'b', up: 'a' },
      { key: 'below', up: 'a' },
      { key: 'self', up: 'self' },
      { key: 'root', up: 'leaf' },
      { key: 'fine', up: 'leaf' },
      { key: 'late', up: 'nowhere' },
    ];
    const [imported, bulked] = [await createTable(links, stored), await createTable(links, stored)];
    const answer = await send(imported, lines(items), CONTINUE);
    const same = await tables.bulk('assets', { name: bulked, items }, { onError: 'continue' });
    expect(brief(answer)).toEqual([1, 2, 4, 5].map((line) => [line, 'hierarchy_cycle']));
    expect(totals(answer)).toEqual(totals(same));
    expect(errorsOf(answer).map(({ message }) => message)).toEqual(errorsOf(same).map(({ message }) => message));
    expect(await tables.rows('assets', imported)).toEqual(await tables.rows('assets', bulked));
    const unresolved = [
      { index: 2, line: 3, column: 'up', value: 'a' },
      { index: 6, line: 7, column: 'up', value: 'nowhere' },
    ];
    expect(answer.body.data.tables[0].unresolved).toEqual({ total: 2, first: unresolved });
    expect(same.body.data.tables[0].unresolved.total).toBe(2);
  });

  it('an import does not report rows with unresolved references as invalid', async () => {
    const target = await createTable([text('Key')], [{ key: 'here' }], 'locations');
    const options = { target: { entity: 'location', table: target } };
    const table = await createTable([text('Key'), column('At', 'reference', { options })]);
    const items = manyRows(30, (at) => ({ key: keyAt(at), at: at % 2 ? `gone ${at}` : 'here' }));
    const { unresolved } = (await send(table, lines(items))).body.data.tables[0];
    expect(unresolved.total).toBe(15);
    expect(unresolved.first[0]).toEqual({ index: 1, line: 2, column: 'at', value: 'gone 1' });
  });

  it('reports invalid rows of a dry run, which stores nothing', async () => {
    const table = await createTable(EQUIPMENT, [{ equnr: '1', name: 'a' }]);
    const answer = await csv(table, 'equnr,name\n1,b\n2,c\n', { query: { dryRun: 'true' } });
    expect([answer.status, ...totals(answer)]).toEqual([200, 2, 1, 1, 0, 0]);
    expect((await csv(table, 'equnr,weight\n1,x\n', { query: { dryRun: 'true' } })).status).toBe(422);
    expect(await tables.rows('assets', table)).toEqual([{ equnr: '1', name: 'a', weight: null }]);
    expect(await tables.revision('assets', table)).toBe(1);
    expect(await recordOf(answer.body.data.importId)).toMatchObject({ status: 'succeeded', dryRun: true });
  });
});

describe('an invalid file', () => {
  const bad = Buffer.from('{"equnr":"1"}\n{"equnr":"\xff"}\n', 'latin1');

  it.each<[string, string | Uint8Array, number]>([
    ['JSON that is broken', '{"equnr":"1"}\n\n{"equnr":\n', 3],
    ['two objects on a line', '{"equnr":"1"}{"equnr":"2"}\n', 1],
    ['a key that reaches a prototype', '{"equnr":"1"}\n{"equnr":"2","__proto__":{"a":1}}\n', 2],
    ['another', '{"equnr":"1","constructor":1}\n', 1],
    ['a key twice', '{"equnr":"1"}\n{"equnr":"2","equnr":"3"}\n', 2],
    ['a key twice after an array', '["x"]\n{"equnr":"2","name":"a","name":"b"}\n', 2],
    ['nesting', `{"equnr":"1"}\n{"equnr":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n`, 2],
    ['nesting after numbers', `${'1\n'.repeat(40)}{"equnr":${'['.repeat(40)}${']'.repeat(40)}}\n`, 41],
    ['invalid UTF-8', bad, 2],
  ])('returns 400 with the line for an invalid file: %s', async (_, file, line) => {
    const table = await createTable();
    const answer = await send(table, file, CONTINUE);
    expect([answer.status, answer.body.error]).toEqual([400, 'malformed_import']);
    expect(errorsOf(answer)).toMatchObject([{ line }]);
    expect(await tables.rows('assets', table)).toEqual([]);
  });

  it('returns 413 for a line of 2 MB, compressed or not', async () => {
    const table = await createTable();
    const file = `{"equnr":"1"}\n{"equnr":"2","name":"${'x'.repeat(2 * MIB)}"}\n`;
    for (const answer of [
      await send(table, file),
      await send(table, gzipSync(file), { headers: { 'Content-Encoding': 'gzip' } }),
    ])
      expect([answer.status, answer.body.error, errorsOf(answer)[0]!['line']]).toEqual([413, 'line_too_long', 2]);
    expect(await tables.rows('assets', table)).toEqual([]);
  });

  it('returns 413 over the limit, by length, in chunks or after decompression', async () => {
    const table = await createTable();
    const file = Buffer.alloc(16 * MIB + 1, '\n');
    const declared = await send(table, file);
    expect([declared.status, declared.body.details]).toEqual([413, { limit: 16 * MIB, actual: 16 * MIB + 1 }]);
    expect(declared.body.message).toContain(`the limit of ${16 * MIB} bytes`);
    const unread = sendPart(table, { 'Content-Length': String(16 * MIB + 1) }, '');
    const [said] = (await once(unread, 'data')) as [Buffer];
    unread.destroy();
    expect(said.toString()).toMatch(/^HTTP\/1\.1 413 /);
    const bomb = await send(table, gzipSync(file), { headers: { 'Content-Encoding': 'gzip' } });
    expect([bomb.status, bomb.body.details]).toEqual([413, { limit: 16 * MIB }]);
    await expectNothingLeft();
  });

  it.each<[string, string | Uint8Array]>([
    ['is not packed', '{"equnr":"1"}\n'],
    ['is cut', gzipSync('{"equnr":"1"}\n').subarray(0, 20)],
    [
      'has data after zeros',
      Buffer.concat([gzipSync('{"equnr":"1"}\n'), Buffer.alloc(8), gzipSync('{"equnr":"2"}\n')]),
    ],
  ])('returns 400 for a file that is declared as gzip and %s', async (_, file) => {
    const answer = await send(await createTable(), file, { headers: { 'Content-Encoding': 'gzip' } });
    expect([answer.status, answer.body.error]).toEqual([400, 'malformed_import']);
  });

  it.each<[string, Sent]>([
    ['JSON', { type: 'application/json' }],
    ['a form', { type: 'multipart/form-data; boundary=x' }],
    ['another charset', { type: 'text/csv; charset=utf-16' }],
    ['another packing', { headers: { 'Content-Encoding': 'br' } }],
  ])('returns 415 for a file that is sent as %s', async (_, sent) => {
    expect((await send(await createTable(), '{"equnr":"1"}\n', sent)).status).toBe(415);
  });

  it.each<[number, Sent]>([
    [400, { query: { dryrun: 'true' } }],
    [400, { query: { onError: 'ignore' } }],
    [400, { query: { importId: 'mine' } }],
    [400, { query: { return: 'items' } }],
  ])('returns %i for an import with %j', async (status, sent) => {
    expect((await send(await createTable(), '', sent)).status).toBe(status);
  });

  it('returns 404 if the table does not exist or belongs to another workspace', async () => {
    expect((await send(unique('Nothing'), '')).status).toBe(404);
    const table = await createTable();
    expect((await send(table, '', { surface: 'lists' })).status).toBe(404);
    const other = await service.provision();
    const outsider = new Tables(new Api(service.baseUrl).withKey(other.apiKey), credentials.workspaceId);
    expect((await send(table, '{"equnr":"1"}\n', { of: outsider })).status).toBe(404);
    expect(await tables.rows('assets', table)).toEqual([]);
  });
});

describe('the record of an import', () => {
  it('records the outcome under the ID that the caller chose', async () => {
    const table = await createTable();
    const importId = randomUUID();
    const file = '{"equnr":"1"}\n{"equnr":"2","weight":"x"}\n';
    const answer = await send(table, file, { query: { importId: importId.toUpperCase(), onError: 'continue' } });
    expect(answer.body.data.importId).toBe(importId);
    const [{ id: tableId }] = answer.body.data.tables;
    expect(await recordOf(importId)).toEqual({
      id: importId,
      tableId,
      table: { id: tableId, type: 'asset', name: table },
      options: {
        onError: 'continue',
        dryRun: 'false',
        mode: 'upsert',
        onDuplicate: 'error',
        trim: 'false',
        unknownColumns: 'error',
      },
      fileName: null,
      sha256: createHash('sha256').update(file).digest('hex'),
      report: answer.body.data,
      status: 'succeeded',
      dryRun: false,
      bytes: file.length,
      rowsRead: 2,
      rowsWritten: 1,
      rowsFailed: 1,
      error: null,
      createdBy: credentials.userId,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      finishedAt: expect.any(String),
    });
    const again = await send(table, file, { query: { importId } });
    expect([again.status, again.body.error]).toEqual([409, 'import_id_taken']);
    expect(await recordOf(importId)).toMatchObject({ status: 'succeeded' });
  });

  it('records the reason of a failure', async () => {
    const importId = randomUUID();
    const { body } = await send(await createTable(), '{"equnr":""}\n', { query: { importId } });
    expect(await recordOf(importId)).toMatchObject({
      status: 'failed',
      rowsRead: 1,
      rowsFailed: 1,
      rowsWritten: 0,
      error: { code: 'invalid_rows', message: body.message },
    });
  });

  it('lists the imports of a workspace page by page, newest first', async () => {
    const mine = Tables.of(service, await service.provision());
    const name = unique('Table');
    await mine.bulk('assets', { name, columns: EQUIPMENT, items: [] });
    const ids: string[] = [];
    for (let at = 0; at < 5; at++) ids.unshift((await send(name, '', { of: mine })).body.data.importId as string);
    const first = await mine.api.get(`${mine.path}/imports?limit=3`);
    const listed = (page: ApiResponse) => page.body.data.items.map(({ id }: { id: string }) => id);
    expect(listed(first)).toEqual(ids.slice(0, 3));
    expect(first.headers.get('link')).toContain('rel="next"');
    const rest = await mine.api.get(`${mine.path}/imports?limit=3&cursor=${first.body.data.nextCursor}`);
    expect([listed(rest), rest.body.data.hasMore]).toEqual([ids.slice(3), false]);
    expect((await mine.api.get(`${mine.path}/imports?cursor=x`)).status).toBe(400);
    for (const method of ['GET', 'DELETE']) {
      const answer = await tables.api.send(`${tables.path}/imports/${ids[0]}`, { method });
      expect(answer.status).toBe(404);
    }
    expect((await mine.api.get(`${mine.path}/imports/mine`)).status).toBe(400);
  });

  it('rejects a cancel after the import has finished', async () => {
    const { importId } = (await send(await createTable(), '')).body.data;
    const answer = await tables.api.delete(`${tables.path}/imports/${importId}`);
    expect([answer.status, answer.body.error]).toEqual([409, 'already_finished']);
    expect(await recordOf(importId)).toMatchObject({ status: 'succeeded' });
  });
});

describe('Idempotency-Key', () => {
  it('repeats the first response for a repeated Idempotency-Key, without a second effect', async () => {
    const table = await createTable();
    const importId = randomUUID();
    const sent = { query: { importId }, headers: { 'Idempotency-Key': randomUUID() } };
    const first = await send(table, '{"equnr":"1","name":"a"}\n', sent);
    expect(first.status).toBe(200);
    await tables.bulk('assets', { name: table, items: [{ equnr: '1', name: 'b' }] });
    const again = await send(table, '{"equnr":"1","name":"a"}\n', sent);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.body).toEqual(first.body);
    expect((await tables.rows('assets', table))[0]).toMatchObject({ name: 'b' });
    const other = await send(table, '{"equnr":"1","name":"c"}\n', sent);
    expect([other.status, other.body.error]).toEqual([422, 'idempotency_key_reused']);
    expect(await recordOf(importId)).toMatchObject({ status: 'succeeded', rowsWritten: 1 });
    const taken = await send(table, '', { ...sent, headers: { 'Idempotency-Key': randomUUID() } });
    expect([taken.status, taken.body.error]).toEqual([409, 'import_id_taken']);
  });

  it('creates no import record for a repeated request', async () => {
    const mine = Tables.of(service, await service.provision());
    const name = unique('Table');
    await mine.bulk('assets', { name, columns: EQUIPMENT, items: [] });
    const sent = { of: mine, headers: { 'Idempotency-Key': randomUUID() } };
    const answers = [await send(name, '{"equnr":"1"}\n', sent), await send(name, '{"equnr":"1"}\n', sent)];
    expect(answers.map(({ body }) => body.data.importId)).toEqual(Array(2).fill(answers[0]!.body.data.importId));
    const listed = async () => (await mine.api.get(`${mine.path}/imports`)).body.data.items as unknown[];
    expect(await eventually(listed, (items) => items.length === 1)).toHaveLength(1);
    await expectNothingLeft();
  });
});

describe('an import in progress', () => {
  it('leaves no files and rows if the caller disconnects', async () => {
    const table = await createTable();
    const importId = randomUUID();
    const socket = sendPart(table, { 'Content-Length': '1000000' }, '{"equnr":"1"}\n', `?importId=${importId}`);
    await eventually(
      () => recordOf(importId),
      (record) => record?.bytes === 14,
    );
    expect(listTemporaryFiles()).toHaveLength(1);
    socket.destroy();
    const record = await eventually(
      () => recordOf(importId),
      ({ status }) => status !== 'receiving',
    );
    expect(record).toMatchObject({ status: 'failed', error: { code: 'incomplete_body' } });
    await expectNothingLeft();
    expect(await tables.rows('assets', table)).toEqual([]);
  });

  it('cancels an import during the upload', async () => {
    const importId = randomUUID();
    const socket = sendPart(
      await createTable(),
      { 'Content-Length': '1000000' },
      '{"equnr":"1"}\n',
      `?importId=${importId}`,
    );
    const answer = new Promise<string>((done) => socket.once('data', (chunk: Buffer) => done(chunk.toString())));
    await eventually(
      () => recordOf(importId),
      (record) => record?.status === 'receiving',
    );
    expect((await tables.api.delete(`${tables.path}/imports/${importId}`)).status).toBe(200);
    expect(await answer).toMatch(/^HTTP\/1\.1 409 .*import_cancelled/s);
    socket.destroy();
    await expectNothingLeft();
    expect(await recordOf(importId)).toMatchObject({ status: 'cancelled', error: null });
  });

  it('cancels an import while the file is read', async () => {
    const table = await createTable();
    const importId = randomUUID();
    // Almost the largest file, whose rows take some seconds to read.
    const file = gzipSync(Array.from({ length: 800_000 }, (_, index) => `{"equnr":"${index}"}\n`).join(''));
    const answer = send(table, file, { query: { importId }, headers: { 'Content-Encoding': 'gzip' } });
    await eventually(
      () => recordOf(importId),
      (record) => record?.status === 'reading',
    );
    const cancelled = await tables.api.delete(`${tables.path}/imports/${importId}`);
    const { status, body } = await answer;
    expect([cancelled.status, status, body.error]).toEqual([200, 409, 'import_cancelled']);
    expect(await tables.rows('assets', table)).toEqual([]);
    await expectNothingLeft();
  });

  it('cancels an import while rows are written', async () => {
    const table = await createTable();
    const importId = randomUUID();
    const release = await lockTables();
    const answer = send(table, '{"equnr":"1"}\n', { query: { importId } });
    await eventually(
      () => recordOf(importId),
      (record) => record?.status === 'writing',
    );
    await tables.api.delete(`${tables.path}/imports/${importId}`);
    // The table is still locked at this time.
    const { status, body } = await answer;
    await release();
    expect([status, body.error]).toEqual([409, 'import_cancelled']);
    expect(await recordOf(importId)).toMatchObject({ status: 'cancelled' });
    expect(await tables.rows('assets', table)).toEqual([]);
    await expectNothingLeft();
  });

  it('lets an import wait while two others are executed, and returns 503 for a fifth one', async () => {
    const table = await createTable();
    const release = await lockTables();
    const ids = ['1', '2', '3', '4'].map(() => randomUUID());
    const startImport = async (id: string, status: string) => {
      const answer = send(table, lines([{ equnr: id }]), { query: { importId: id } });
      await eventually(
        () => recordOf(id),
        (record) => record?.status === status && (status === 'writing' || record.bytes > 0),
      );
      return { answer };
    };
    const answers = [];
    for (const [at, id] of ids.entries()) answers.push(await startImport(id, at < 2 ? 'writing' : 'receiving'));
    const fifth = await send(table, '{"equnr":"5"}\n');
    expect([fifth.status, fifth.body.error]).toEqual([503, 'too_many_imports']);
    expect(Number(fifth.headers.get('retry-after'))).toBeGreaterThan(0);
    // A waiting import is cancelled before its turn.
    await tables.api.delete(`${tables.path}/imports/${ids[2]}`);
    expect((await answers[2]!.answer).body.error).toBe('import_cancelled');
    await release();
    const statuses = await Promise.all(answers.map(async ({ answer }) => (await answer).status));
    expect(statuses).toEqual([200, 200, 409, 200]);
    const stored = [ids[0]!, ids[1]!, ids[3]!].sort();
    expect((await tables.rows('assets', table)).map(({ equnr }) => equnr)).toEqual(stored);
    expect((await send(table, '{"equnr":"3"}\n')).status).toBe(200);
  });

  it('a slow upload does not delay other imports', async () => {
    const table = await createTable();
    const slow = [1, 2, 3].map(() => sendPart(table, { 'Content-Length': '10000' }, '{'));
    const receiving = async () => (await database.query(`SELECT FROM table_imports WHERE status = 'receiving'`)).length;
    await eventually(receiving, (count) => count === 3);
    expect((await send(table, '{"equnr":"1"}\n')).status).toBe(200);
    for (const socket of slow) socket.destroy();
    await eventually(receiving, (count) => count === 0);
  });

  it('reads the file again if the columns of its table change', async () => {
    const table = await createTable();
    const importId = randomUUID();
    const other = await database.connect();
    await other.query('BEGIN');
    const { rows } = await other.query(
      'SELECT * FROM workspace_tables WHERE workspace_id = $1 AND name = $2 FOR UPDATE',
      [credentials.workspaceId, table],
    );
    const answer = send(table, lines([{ equnr: '1', colour: 'red' }]), { query: { importId } });
    await eventually(
      () => recordOf(importId),
      (record) => record?.status === 'writing',
    );
    const [{ workspace_id: workspaceId, id }] = rows;
    await other.query(`ALTER TABLE ${physical(workspaceId, id)} ADD COLUMN c4 text COLLATE "C"`);
    await other.query(
      `INSERT INTO workspace_columns (workspace_id, table_id, key, ordinal, name, type)
       VALUES ($1, $2, 'colour', 4, 'Colour', 'text')`,
      [workspaceId, id],
    );
    await other.query('UPDATE workspace_tables SET revision = revision + 1, definition_id = $2 WHERE id = $1', [
      id,
      randomUUID(),
    ]);
    await other.query('COMMIT');
    await other.end();
    expect((await answer).status).toBe(200);
    expect(await tables.rows('assets', table)).toEqual([{ equnr: '1', name: null, weight: null, colour: 'red' }]);
  });

  it('loses no update of the import or of concurrent writers', async () => {
    const table = await createTable();
    const rows = (name: string) => manyRows(4_000, (at) => ({ equnr: keyAt((at * 31) % 4_000), name }));
    const weights = (weight: number) => manyRows(500, (at) => ({ equnr: keyAt(at * 8), weight }));
    const imports = (async () => {
      for (const name of ['a', 'b', 'c']) expect((await send(table, lines(rows(name)))).status).toBe(200);
    })();
    const bulks = (async () => {
      for (let weight = 1; weight <= 10; weight++)
        expect((await tables.bulk('assets', { name: table, items: weights(weight) })).status).toBe(200);
    })();
    await Promise.all([imports, bulks]);
    const found = await tables.rows('assets', table);
    expect(found).toHaveLength(4_000);
    expect(found.filter(({ name }) => name !== 'c')).toEqual([]);
    expect(found.filter(({ weight }) => weight === 10)).toHaveLength(500);
  });

  it('leaves no files and rows if its instance is killed, and another instance marks the import as failed', async () => {
    const table = await createTable();
    const release = await lockTables();
    const killed = await TestService.start(database);
    const of = new Tables(new Api(killed.baseUrl).withKey(credentials.apiKey), credentials.workspaceId);
    const importId = randomUUID();
    const cut = send(table, '{"equnr":"1"}\n', { of, query: { importId } }).catch(() => undefined);
    await eventually(
      () => recordOf(importId),
      (record) => record?.status === 'writing',
    );
    await killed.stop('SIGKILL');
    await cut;
    await release();
    await expectNothingLeft();
    expect(await tables.rows('assets', table)).toEqual([]);
    await database.query(`UPDATE table_imports SET updated_at = now() - interval '2 minutes' WHERE id = $1`, [
      importId,
    ]);
    const record = await eventually(
      () => recordOf(importId),
      ({ status }) => status !== 'writing',
      20_000,
    );
    expect(record).toMatchObject({ status: 'failed', error: { code: 'instance_terminated' } });
  }, 60_000);
});
