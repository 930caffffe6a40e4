import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { ApiResponse } from '../support/api.js';
import { findMismatch } from '../support/contract/document.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { column, type ColumnInput, type Item, keyAt, manyRows, Tables, text, unique } from '../support/tables.js';

const MIB = 1024 * 1024;

let service: SharedService;
let tables: Tables;
/** An existing table, which no request of this file may change. */
let existing: string;

const COLUMNS: ColumnInput[] = [
  text('Key', { primaryKey: true }),
  text('Text'),
  column('Number', 'number'),
  column('Date', 'date'),
  column('Check', 'checkbox'),
  column('Parent', 'hierarchyParent'),
  column('Ref', 'reference'),
  column('Tag', 'locationTag'),
  column('Space', 'space'),
  column('Status', 'tagStatus', { options: { choices: ['open', 'done'] } }),
  text('Must', { required: true }),
];
const KEPT = { key: 'kept', text: 'as it was', number: 1, must: 'have' };

beforeAll(async () => {
  ({ service } = await shareService());
  tables = Tables.of(service, await service.provision());
  existing = unique('Standing');
  expect((await tables.bulk('lists', { name: existing, columns: COLUMNS, items: [KEPT] })).status).toBe(201);
}, 60_000);

afterEach(async () => {
  expect((await fetch(`${service.baseUrl}/health/live`)).status).toBe(200);
  expect(await tables.rows('lists', existing)).toMatchObject([KEPT]);
  expect(await tables.revision('lists', existing)).toBe(1);
});

afterAll(() => {
  expect(service.output.join('')).not.toMatch(/"status":5\d\d|internal_error|Unhandled|uncaught/i);
});

const errorsOf = (answer: ApiResponse) => answer.body.details.errors;

/** The errors of rows, which have the fields of their code in the OpenAPI document. */
const ROW_ERRORS = { type: 'array', items: { $ref: '#/components/schemas/RowErrorDto' } };

/** The structure of every failure, without internals. */
function expectFailure(answer: ApiResponse, status: number, error?: string): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({
    status,
    body: {
      status,
      error: error ?? expect.stringMatching(/^[a-z_]+$/),
      message: expect.any(String),
      requestId: expect.any(String),
    },
  });
  if (status === 422) expect(findMismatch(ROW_ERRORS, errorsOf(answer))).toBeUndefined();
  expect(JSON.stringify(answer.body)).not.toMatch(/SELECT|INSERT|at \S+ \(|node_modules|\bws_|QueryFailed/);
}

/** Sends rows, as JSON text, to the existing table and to a new one, which must not be created. */
async function expectRejection(rows: string[]): Promise<ApiResponse[]> {
  const fresh = unique('Fresh');
  const known = await tables.send('lists', `{"lists":[{"name":${JSON.stringify(existing)},"items":[${rows.join()}]}]}`);
  const created = await tables.send(
    'lists',
    `{"lists":[{"name":${JSON.stringify(fresh)},"columns":${JSON.stringify(COLUMNS)},"items":[${rows.join()}]}]}`,
  );
  expect((await tables.read('lists', fresh)).status).toBe(404);
  return [known, created];
}

const good = (position: number) => `{"key":"good-${position}","must":"have"}`;

it('stores a number with more digits than a double in a text column as sent', async () => {
  const name = unique('Digits');
  const columns = JSON.stringify(COLUMNS);
  const row =
    '{"key":9007199254740993,"must":0.1234567890123456789,"space":12345678901234567890,"number":0.30000000000000004}';
  const sent = await tables.send('lists', `{"lists":[{"name":"${name}","columns":${columns},"items":[${row}]}]}`);
  expect(sent.status).toBe(201);
  const stored = { key: '9007199254740993', must: '0.1234567890123456789', space: '12345678901234567890' };
  expect(await tables.rows('lists', name)).toMatchObject([{ ...stored, number: 0.30000000000000004 }]);
});

describe('a value that cannot be stored without loss returns 422 with its position', () => {
  const cases: [string, column: string, json: string][] = [
    ['U+0000 in a text', 'text', '"a\\u0000b"'],
    ['the first half of a surrogate pair', 'text', '"a\\ud800"'],
    ['the second half of a surrogate pair', 'text', '"\\udc00a"'],
    ['a text of 100,001 characters', 'text', JSON.stringify('x'.repeat(100_001))],
    ['an object in a text', 'text', '{"a":1}'],
    ['a list in a text', 'text', '["a"]'],
    ['1e400 in a number', 'number', '1e400'],
    ['-1e400 in a number', 'number', '-1e400'],
    ['1e-400 in a number', 'number', '1e-400'],
    ['-1.5E-0324 in a number', 'number', '-1.5E-0324'],
    ['"1e-400" in a number', 'number', '"1e-400"'],
    ['"1e400" in a number', 'number', '"1e400"'],
    ['12345678901234567890123 in a number', 'number', '12345678901234567890123'],
    ['"12345678901234567890123" in a number', 'number', '"12345678901234567890123"'],
    ['2^53 + 1 in a number', 'number', '9007199254740993'],
    ['-2^53 - 1 in a number', 'number', '"-9007199254740993"'],
    ['a text of a decimal with more digits than a double', 'number', '"0.1234567890123456789"'],
    ['a decimal with more digits than a double', 'number', '0.1234567890123456789'],
    ['a word in a number', 'number', '"heavy"'],
    ['a decimal comma', 'number', '"1,5"'],
    ['NaN as a text in a number', 'number', '"NaN"'],
    ['Infinity as a text in a number', 'number', '"Infinity"'],
    ['a hexadecimal number', 'number', '"0x10"'],
    ['true in a number', 'number', 'true'],
    ['an object in a number', 'number', '{}'],
    ['a day that is not in the calendar', 'date', '"2023-02-29"'],
    ['a month that is not in the calendar', 'date', '"20241301"'],
    ['a day of the year 0', 'date', '"0000-01-01"'],
    ['a date in another order', 'date', '"01.05.2024"'],
    ['a date-time without offset', 'date', '"2024-05-01T10:00:00"'],
    ['an invalid time of day', 'date', '"2024-05-01T24:00:01Z"'],
    ['a number in a date', 'date', '20240501'],
    ['a word in a checkbox', 'check', '"maybe"'],
    ['2 in a checkbox', 'check', '2'],
    ['a list in a checkbox', 'check', '[]'],
    ['a parent of 256 characters', 'parent', JSON.stringify('x'.repeat(256))],
    ['U+0000 in a parent', 'parent', '"\\u0000"'],
    ['a reference of 256 characters', 'ref', JSON.stringify('x'.repeat(256))],
    ['an object in a reference', 'ref', '{"key":"x"}'],
    ['U+0000 in a location tag', 'tag', '"\\u0000"'],
    ['a status that is not one of the choices', 'status', '"Open"'],
    ['U+0000 in a status', 'status', '"open\\u0000"'],
  ];

  it.each(cases)('returns 422 with its position for %s', async (_, name, json) => {
    const rows = [good(0), `{"key":"bad","must":"have","${name}":${json}}`, good(2)];
    for (const answer of await expectRejection(rows)) {
      expectFailure(answer, 422, 'invalid_rows');
      expect(answer.body.details).toEqual({
        total: 1,
        summary: [{ code: 'type_mismatch', column: name, count: 1 }],
        errors: [
          {
            type: 'list',
            table: expect.any(String),
            index: 1,
            key: 'bad',
            column: name,
            code: 'type_mismatch',
            message: expect.stringMatching(/.{10}/),
          },
        ],
      });
    }
  });

  it('the message for an integer beyond 2^53 contains all its digits', async () => {
    const [answer] = await expectRejection(['{"key":"bad","must":"have","number":12345678901234567890123}']);
    expect(errorsOf(answer!)[0].message).toContain('12345678901234567890123 is beyond ±(2^53 − 1)');
  });

  it('the message for a number that would become 0 contains the number', async () => {
    const [answer] = await expectRejection(['{"key":"bad","must":"have","number":1e-400}']);
    expect(errorsOf(answer!)[0].message).toBe('The number 1e-400 is too small and would become 0.');
  });

  it('reports an invalid value of each column of a row', async () => {
    const row =
      '{"key":"bad","must":"have","text":{},"number":"x","date":"x","check":"maybe","ref":{},"space":[],"status":"x"}';
    for (const answer of await expectRejection([row])) {
      const columns = errorsOf(answer).map((error: { column: string }) => error.column);
      expect(columns.sort()).toEqual(['check', 'date', 'number', 'ref', 'space', 'status', 'text']);
    }
  });
});

describe('a row that cannot be stored returns 422 with its position', () => {
  const cases: [string, row: string, error: object][] = [
    ['without a key', '{"must":"have"}', { column: 'key', code: 'required_key' }],
    ['with an empty key', '{"key":"","must":"have"}', { column: 'key', code: 'required_key' }],
    ['with a key of white space', '{"key":" \\t\\u00a0","must":"have"}', { column: 'key', code: 'required_key' }],
    ['with null as its key', '{"key":null,"must":"have"}', { column: 'key', code: 'required_key' }],
    ['that is empty', '{}', { column: 'key', code: 'required_key' }],
    [
      'with a key of 256 characters',
      `{"key":"${'x'.repeat(256)}","must":"have"}`,
      { column: 'key', code: 'type_mismatch' },
    ],
    ['with U+0000 in its key', '{"key":"a\\u0000","must":"have"}', { column: 'key', code: 'type_mismatch' }],
    [
      'with half a surrogate pair in its key',
      '{"key":"\\ud83d","must":"have"}',
      { column: 'key', code: 'type_mismatch' },
    ],
    ['with an object as its key', '{"key":{},"must":"have"}', { column: 'key', code: 'type_mismatch' }],
    [
      'with an unknown column',
      '{"key":"bad","must":"have","colour":1}',
      { key: 'bad', column: 'colour', code: 'unknown_column' },
    ],
    [
      'with an unknown column whose name is empty',
      '{"key":"bad","must":"have","":1}',
      { key: 'bad', column: '', code: 'unknown_column' },
    ],
    [
      'with an unknown column that is null',
      '{"key":"bad","must":"have","x":null}',
      { key: 'bad', column: 'x', code: 'unknown_column' },
    ],
    ['with U+0000 in a column', '{"key":"bad","must":"have","te\\u0000xt":1}', { key: 'bad', code: 'unknown_column' }],
    [
      'named like a method',
      '{"key":"bad","must":"have","toString":"x"}',
      { key: 'bad', column: 'toString', code: 'unknown_column' },
    ],
    ['without a required column', '{"key":"bad"}', { key: 'bad', column: 'must', code: 'required' }],
    ['with null in a required column', '{"key":"bad","must":null}', { key: 'bad', column: 'must', code: 'required' }],
    [
      'that is its own parent',
      '{"key":"bad","must":"have","parent":"bad"}',
      { key: 'bad', column: 'parent', code: 'hierarchy_cycle' },
    ],
    [
      'that names a column twice',
      '{"key":"bad","must":"have","text":1,"TEXT":2}',
      { key: 'bad', column: 'text', code: 'ambiguous_column' },
    ],
    ['that is null', 'null', { code: 'type_mismatch' }],
    ['that is a number', '7', { code: 'type_mismatch' }],
    ['that is a text', '"row"', { code: 'type_mismatch' }],
    ['that is a list', '["a","b"]', { code: 'type_mismatch' }],
  ];

  it.each(cases)('returns 422 with its position for a row %s', async (_, row, error) => {
    for (const answer of await expectRejection([good(0), good(1), row])) {
      expectFailure(answer, 422, 'invalid_rows');
      expect(answer.body.details).toMatchObject({
        total: 1,
        errors: [{ table: expect.any(String), index: 2, ...error }],
      });
    }
  });

  it('rejects a row over 1 MB', async () => {
    const columns = manyRows(12, (position) => text(`C${position}`));
    const wide = (characters: string) =>
      Object.fromEntries(columns.map(({ name }, at) => [name.toLowerCase(), at ? characters : 'k']));
    const name = unique('Heavy');
    const answer = await tables.bulk('lists', { name, columns, items: [wide('x'.repeat(100_000))] });
    expectFailure(answer, 422, 'invalid_rows');
    expect(errorsOf(answer)).toMatchObject([{ table: name, index: 0, key: 'k' }]);
    expect(errorsOf(answer)[0].message).toMatch(/1048576.*1100/);
    // The limit counts bytes, not characters.
    expect((await tables.bulk('lists', { name, columns, items: [wide('ü'.repeat(60_000))] })).status).toBe(422);
    expect((await tables.bulk('lists', { name, columns, items: [wide('x'.repeat(60_000))] })).status).toBe(201);
  });

  it('rejects a text of 12 MiB before it is complete', async () => {
    const answer = await tables.send('lists', bodyWithText(12 * MIB));
    expectFailure(answer, 413, 'too_large');
    expect(answer.body.details).toEqual({ limit: 8 * MIB });
  });

  const bodyWithText = (length: number) =>
    `{"lists":[{"name":${JSON.stringify(existing)},"items":[{"key":"bad","must":"have","text":"${'x'.repeat(length)}"}]}]}`;

  it('names the row and column of a text of 7 MB', async () => {
    const answer = await tables.send('lists', bodyWithText(7 * MIB));
    expectFailure(answer, 422, 'invalid_rows');
    expect(errorsOf(answer)).toMatchObject([{ index: 0, key: 'bad', column: 'text', code: 'type_mismatch' }]);
    expect(errorsOf(answer)[0].message).toContain(String(7 * MIB));
    expect(service.peakMemory() ?? 0).toBeLessThan(1024 * MIB);
  });

  it('limits the response for a thousand invalid values of a column with a thousand long choices', async () => {
    const choices = manyRows(1000, (position) => `${position}${'x'.repeat(250)}`);
    const columns = [text('Key'), column('Status', 'tagStatus', { options: { choices } })];
    const items = manyRows(5000, (position) => ({ key: keyAt(position), status: 'none of them' }));
    const answer = await tables.bulk('lists', { name: unique('Choosy'), columns, items });
    expectFailure(answer, 422, 'invalid_rows');
    expect(answer.body.details.total).toBe(5000);
    expect(JSON.stringify(answer.body).length).toBeLessThan(2 * MIB);
  });

  it('reports both of two rows with the same key, each with the index of the other', async () => {
    const rows = [good(0), '{"key":"twin","must":"have"}', good(2), '{"key":" twin ","must":"have"}'];
    for (const answer of await expectRejection(rows)) {
      expectFailure(answer, 422, 'invalid_rows');
      expect(errorsOf(answer)).toMatchObject([
        { index: 1, otherIndex: 3, key: 'twin', column: 'key', code: 'duplicate_in_batch' },
        { index: 3, otherIndex: 1, key: 'twin', column: 'key', code: 'duplicate_in_batch' },
      ]);
    }
  });

  it('rejects two rows whose keys differ only in their Unicode form', async () => {
    const [answer] = await expectRejection(['{"key":"\\u00fc","must":"have"}', '{"key":"u\\u0308","must":"have"}']);
    expect(errorsOf(answer!).map((error: { code: string }) => error.code)).toEqual([
      'duplicate_in_batch',
      'duplicate_in_batch',
    ]);
  });

  it('reports all of three rows with the same key', async () => {
    const rows = manyRows(3, () => '{"key":"triplet","must":"have"}');
    const [answer] = await expectRejection(rows);
    expect(errorsOf(answer!).map((error: { index: number }) => error.index)).toEqual([0, 1, 2]);
  });

  it('reports the index of one invalid row at 4,999 of 5,000 and stores none', async () => {
    const rows = manyRows(
      5000,
      (position) => `{"key":"${keyAt(position)}","must":"have","number":${position === 4999 ? '1e400' : position}}`,
    );
    for (const answer of await expectRejection(rows)) {
      expectFailure(answer, 422, 'invalid_rows');
      expect(answer.body.message).toMatch(/1 of 5000/);
      expect(answer.body.details).toMatchObject({
        total: 1,
        errors: [{ index: 4999, key: keyAt(4999), column: 'number' }],
      });
    }
  });

  it('stores no table if the last one of the request has an error', async () => {
    const [first, second] = [unique('First'), unique('Second')];
    const answer = await tables.bulk('lists', [
      { name: first, columns: COLUMNS, items: [KEPT] },
      { name: existing, items: [{ key: 'kept', text: 'changed' }] },
      { name: second, columns: COLUMNS, items: [{ key: 'a', must: 'have', date: 'soon' }] },
    ]);
    expectFailure(answer, 422, 'invalid_rows');
    expect(errorsOf(answer)).toMatchObject([
      { table: second, index: 0, key: 'a', column: 'date', code: 'type_mismatch' },
    ]);
    for (const name of [first, second]) expect((await tables.read('lists', name)).status).toBe(404);
  });

  it('counts 1,500 errors, and lists the first 1,000 in row order', async () => {
    const rows = manyRows(1500, (position) => `{"key":"${keyAt(position)}","must":"have","number":"x"}`);
    for (const answer of await expectRejection(rows)) {
      expect(answer.body.details.total).toBe(1500);
      expect(errorsOf(answer).map((error: { index: number }) => error.index)).toEqual(
        manyRows(1000, (position) => position),
      );
    }
  });

  it('reports errors of every kind at once, in row order', async () => {
    const rows = [
      '{"key":"a"}',
      '{"key":"b","must":"have","parent":"c"}',
      '{"key":"c","must":"have","parent":"b"}',
      '{"key":"d","must":"have","number":"x"}',
      '{"must":"have"}',
    ];
    for (const answer of await expectRejection(rows)) {
      expect(errorsOf(answer).map(({ index, code }: { index: number; code: string }) => [index, code])).toEqual([
        [0, 'required'],
        [1, 'hierarchy_cycle'],
        [2, 'hierarchy_cycle'],
        [3, 'type_mismatch'],
        [4, 'required_key'],
      ]);
    }
  });

  it('counts the errors of a body full of them in bounded memory', async () => {
    const row = `{"key":"bad","must":"have",${manyRows(50, (position) => `"u${position}":1`).join()}}`;
    const rows = manyRows(40_000, () => row).join();
    const answer = await tables.send('lists', `{"lists":[{"name":${JSON.stringify(existing)},"items":[${rows}]}]}`);
    expectFailure(answer, 422, 'invalid_rows');
    expect(answer.body.message).toMatch(/40000 of 40000/);
    // Each row has 50 unknown columns and one duplicate key.
    expect(answer.body.details.total).toBe(40_000 * 51);
    expect(errorsOf(answer)).toHaveLength(1000);
    expect(service.peakMemory() ?? 0).toBeLessThan(1024 * MIB);
  });
});

describe('an invalid table definition is rejected', () => {
  const named = (name: unknown) => ({ name, columns: COLUMNS, items: [] });
  const withColumn = (more: object) => ({
    name: unique('Bad column'),
    columns: [text('Key'), { name: 'X', type: 'text', ...more }],
    items: [],
  });

  it.each<[string, unknown]>([
    ['no name', { columns: COLUMNS, items: [] }],
    ['an empty name', named('')],
    ['a blank name', named('  ')],
    ['a name that is a UUID', named('0190A6DE-7c4e-7b1a-9c3f-2b8f0d1e2f3a')],
    ['a name that is a UUID between blanks', named(' 0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a ')],
    ['a name of 256 characters', named('x'.repeat(256))],
    ['a number as its name', named(7)],
    ['U+0000 in its name', named('a\0b')],
    ['half a surrogate pair in its name', named('a\ud800')],
    ['no items', { name: unique('T'), columns: COLUMNS }],
    ['items that are an object', { name: unique('T'), columns: COLUMNS, items: {} }],
    ['items that are null', { name: unique('T'), columns: COLUMNS, items: null }],
    ['columns that are an object', { name: unique('T'), columns: {}, items: [] }],
    ['a column that is null', { name: unique('T'), columns: [null], items: [] }],
    ['a column that is a text', { name: unique('T'), columns: ['Key'], items: [] }],
    ['a column that is a list', { name: unique('T'), columns: [[]], items: [] }],
    ['an unknown field', { name: unique('T'), columns: COLUMNS, items: [], rows: [] }],
    ['an unknown entity', { type: 'building', ...named(unique('T')) }],
    ['null instead of an object', null],
    ['a number instead of an object', 1],
    ['a text instead of an object', 'table'],
    ['a list instead of an object', []],
    ['a column of an unknown type', withColumn({ type: 'json' })],
    ['a column without a type', withColumn({ type: undefined })],
    ['a column without a name', withColumn({ name: undefined })],
    ['a column with U+0000 in its name', withColumn({ name: 'X\0' })],
    ['a column with half a surrogate pair in its name', withColumn({ name: 'X\udfff' })],
    ['a column with half a surrogate pair in its description', withColumn({ description: '\ud800' })],
    ['a column with U+0000 in its description', withColumn({ description: '\0' })],
    ['a column with a number as its key', withColumn({ key: 7 })],
    ['a column with null as its name', withColumn({ name: null })],
    ['a column with null as its type', withColumn({ type: null })],
    ['a column with a text for required', withColumn({ required: 'yes' })],
    ['a column with an unknown field', withColumn({ width: 7 })],
    ['a column with a field named like a method', withColumn({ toString: 7 })],
    ['a column with a field named like another method', withColumn({ hasOwnProperty: 7 })],
    ['a column with an unknown option', withColumn({ options: { colour: 'red' } })],
    ['a column with a list for its options', withColumn({ options: [] })],
    ['choices that are a text', withColumn({ type: 'tagStatus', options: { choices: 'open' } })],
    ['choices that are numbers', withColumn({ type: 'tagStatus', options: { choices: [1] } })],
    ['choices with U+0000', withColumn({ type: 'tagStatus', options: { choices: ['a\0'] } })],
    ['choices with half a surrogate pair', withColumn({ type: 'tagStatus', options: { choices: ['\ud800'] } })],
    ['a target without a table', withColumn({ type: 'reference', options: { target: { entity: 'list' } } })],
    [
      'a target of an unknown entity',
      withColumn({ type: 'reference', options: { target: { entity: 'x', table: 'y' } } }),
    ],
    [
      'a target with U+0000 in its table',
      withColumn({ type: 'reference', options: { target: { entity: 'list', table: 'y\0' } } }),
    ],
    [
      'a target with half a surrogate pair',
      withColumn({ type: 'reference', options: { target: { entity: 'list', table: '\ud800' } } }),
    ],
    ['a target that is a text', withColumn({ type: 'reference', options: { target: 'list' } })],
    ['a target that is a list', withColumn({ type: 'reference', options: { target: [] } })],
  ])('returns 400 for a table definition with %s', async (_, table) => {
    const answer = await tables.send('lists', {
      lists: [{ name: existing, items: [{ key: 'kept', text: 'changed' }] }, table],
    });
    expectFailure(answer, 400, 'invalid_request');
    expect(errorsOf(answer)[0].field).toMatch(/^lists(\[1\]|$)/);
    const name = (table as { name?: unknown } | null)?.name;
    if (typeof name === 'string' && name.trim() && name.isWellFormed() && !name.includes('\0') && name.length < 256) {
      expect((await tables.read('lists', name)).status).toBe(404);
    }
  });

  it('returns 413 for a hundred thousand tables at once', async () => {
    const before = service.eventLoopTime();
    const answer = await tables.send('lists', `{"lists":[${manyRows(100_000, () => '{}').join()}]}`);
    expectFailure(answer, 413);
    expect(answer.body.details).toEqual({ limit: 50, actual: 100_000 });
    expect(service.eventLoopTime() - before).toBeLessThan(3_000);
  });

  it('rejects a hundred thousand columns with at most 1,000 errors', async () => {
    const columns = manyRows(100_000, () => ({}));
    const answer = await tables.bulk('lists', {
      name: unique('T'),
      columns: columns as unknown as ColumnInput[],
      items: [],
    });
    expect([400, 422]).toContain(answer.status);
    expect(errorsOf(answer).length).toBeLessThanOrEqual(1000);
  });
});

describe('a body of another structure is rejected', () => {
  const body = () => JSON.stringify({ lists: [{ name: existing, items: [{ key: 'kept', text: 'changed' }] }] });
  const value = (json: string) =>
    `{"lists":[{"name":${JSON.stringify(existing)},"items":[{"key":"kept","text":${json}}]}]}`;

  it.each<[string, string | Uint8Array]>([
    ['that is cut off', '{"lists":[{"name":'],
    ['that is not JSON', 'lists=1'],
    ['with a trailing comma', '{"lists":[],}'],
    ['with NaN', '{"lists":[{"name":"x","items":[{"key":"k","number":NaN}]}]}'],
    ['that is a text', '"lists"'],
    ['that is null', 'null'],
    ['that is a number', '1'],
    ['with control characters in a text', value('"a\u0001"')],
    [
      'with invalid UTF-8 in a value',
      Buffer.concat([Buffer.from(value('"')).subarray(0, -4), Buffer.from([0xc3, 0x28]), Buffer.from('"}]}]}')]),
    ],
    [
      'with an overlong UTF-8 sequence',
      Buffer.from(value('"@"')).map((byte, at, all) => (byte === 0x40 ? 0xff : all[at]!)),
    ],
    ['in Latin-1', Buffer.from(value('"Größe"'), 'latin1')],
    ['that nests over 32 levels', value('['.repeat(33) + ']'.repeat(33))],
    ['of a million brackets', value('['.repeat(1_000_000) + ']'.repeat(1_000_000))],
    ['of a million nested objects', value('{"a":'.repeat(1_000_000) + '1' + '}'.repeat(1_000_000))],
    ['of a million brackets that never close', '['.repeat(1_000_000)],
    ['with __proto__ in a row', value('1,"__proto__":{"polluted":true}')],
    ['with constructor in a row', value('1,"constructor":{"prototype":{"polluted":true}}')],
    ['with prototype in a row', value('1,"prototype":1')],
    ['with __proto__ below a row', value('{"__proto__":1}')],
    ['with __proto__ next to the tables', '{"__proto__":{"lists":[]},"lists":[]}'],
    ['with __proto__ written as an escape', value('1,"\\u005f_proto__":1')],
  ])('returns 400 for a body %s', async (_, sent) => {
    const answer = await tables.send('lists', sent);
    expectFailure(answer, 400, 'malformed_json');
  });

  it('returns 400 with each field path if rows contain a key twice, since no value is dropped silently', async () => {
    const twice = '{"key":"kept","text":"a","text":"b"}';
    for (const onError of ['abort', 'continue']) {
      const answer = await tables.send('lists', value(`"x"},{"key":"y","text":":"},${twice},${twice.slice(0, -1)}`), {
        onError,
      });
      expectFailure(answer, 400, 'malformed_json');
      expect(answer.body.details.total).toBe(2);
      expect(errorsOf(answer)).toMatchObject([
        { field: 'lists[0].items[2].text', code: 'duplicate_key', message: expect.stringContaining('"text"') },
        { field: 'lists[0].items[3].text', code: 'duplicate_key', message: expect.stringContaining('"text"') },
      ]);
    }
  });

  it('returns 400 for a body of two million duplicate keys in bounded memory', async () => {
    const row = `{${manyRows(100, () => '"a":1').join()}}`;
    const sent = `{"lists":[{"name":"x","items":[${manyRows(20_000, () => row).join()}]}]}`;
    const answer = await tables.send('lists', sent);
    expectFailure(answer, 400, 'malformed_json');
    expect(answer.body.details.total).toBe(99 * 20_000);
    expect(errorsOf(answer)).toHaveLength(1000);
    expect(service.peakMemory() ?? 0).toBeLessThan(1024 * MIB);
  });

  it.each<[string, unknown]>([
    ['without its tables', {}],
    ['with the tables of another call', { assets: [] }],
    ['with a further field', { lists: [], dryRun: true }],
    ['with a further field named like a method', { lists: [], valueOf: 1 }],
    ['with fields named like methods', { lists: [], hasOwnProperty: 1, toString: 1, valueOf: 1 }],
    ['whose tables are an object', { lists: {} }],
    ['whose tables are null', { lists: null }],
    ['that is an empty list', []],
    ['that is a list of bodies', [{ lists: [] }]],
  ])('returns 400 for a body %s', async (_, sent) => {
    expectFailure(await tables.send('lists', sent), 400, 'invalid_request');
  });

  it.each<[string, string]>([
    ['fields', `{"lists":[],${manyRows(1_000_000, (position) => `"u${position}":1`).join()}}`],
    [
      'choices',
      `{"lists":[{"name":"x","columns":[{"name":"a","type":"tagStatus","options":{"choices":[${manyRows(1_000_000, () => '"c"').join()}]}}],"items":[]}]}`,
    ],
  ])('returns 400 for a body of a million %s at once', async (_, sent) => {
    const before = service.eventLoopTime();
    expectFailure(await tables.send('lists', sent), 400);
    expect(service.eventLoopTime() - before).toBeLessThan(5_000);
  });

  it('returns 400 for a bulk request without a body', async () => {
    expectFailure(await tables.api.post(`${tables.path}/lists/bulk`), 400, 'invalid_request');
  });

  it.each<[string | undefined, surface: string, message: string]>([
    [undefined, 'locations', 'The body must be { "locations": [ … ] }.'],
    ['', 'locations', 'The body must be { "locations": [ … ] }.'],
    ['{}', 'assets', 'The body must be { "assets": [ … ] }.'],
    ['[]', 'lists', 'The body must be { "lists": [ … ] }, not a list.'],
    ['null', 'lists', 'The body must be { "lists": [ … ] }, not null.'],
    ['"x"', 'lists', 'The body must be { "lists": [ … ] }, not a string.'],
    ['5', '', 'The body must be { "tables": [ … ] }, not a number.'],
  ])('the message for the body %j to %s describes the expected structure', async (sent, surface, message) => {
    const answer = await tables.api.post(`${tables.path}/${surface}/bulk`.replace('//bulk', '/bulk'), sent);
    expectFailure(answer, 400);
    expect(answer.body.message).toBe(message);
  });

  it('the message of an error uses the singular for one row', async () => {
    const [answer] = await expectRejection(['{"key":"bad"}']);
    expect(answer!.body.message).toBe(
      '1 of 1 row cannot be stored; nothing was stored. Correct them, or send onError=continue.',
    );
    const going = await tables.bulk('lists', { name: existing, items: [{ key: 'bad' }] }, { onError: 'continue' });
    expect(going.body.message).toBe('1 row was not stored');
    const items = [{ key: 'good', must: 'have' }, { key: 'bad' }];
    const dry = await tables.bulk('lists', { name: existing, items }, { onError: 'continue', dryRun: 'true' });
    expect([dry.status, dry.body.message]).toEqual([207, 'Dry run: nothing was stored; 1 row could not be']);
  });

  it('no request pollutes a prototype', async () => {
    const answer = await tables.read('lists', existing);
    expect(JSON.stringify(answer.body)).not.toContain('polluted');
    expect(Object.keys(answer.body)).not.toContain('polluted');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'text/csv',
    'multipart/form-data; boundary=x',
    'application/xml',
    'nonsense',
  ])('returns 415 for the media type %s', async (type) => {
    expectFailure(await tables.send('lists', body(), {}, { 'Content-Type': type }), 415, 'unsupported_media_type');
  });

  it('returns 415 for an unknown charset', async () => {
    const type = 'application/json; charset=nonsense';
    expectFailure(await tables.send('lists', body(), {}, { 'Content-Type': type }), 415);
  });

  it.each(['rot13', 'gzip'])('returns 415 for the Content-Encoding %s', async (coding) => {
    const zipped = gzipSync(JSON.stringify(body()));
    expectFailure(await tables.send('lists', zipped, {}, { 'Content-Encoding': coding }), 415);
  });

  it.each([
    'dryrun=true',
    'foo=1',
    'dryRun=yes',
    'dryRun=',
    'onError=ignore',
    'return=rows',
    'onError=continue&onError=abort',
    'constructor=1',
    '__proto__=1',
    'toString=1',
    'hasOwnProperty=1',
    'a[b]=1',
  ])('returns 400 for the query %s', async (query) => {
    expectFailure(await tables.api.post(`${tables.path}/lists/bulk?${query}`, body()), 400, 'invalid_request');
  });

  it('returns 405 with Allow for another method of the bulk route', async () => {
    const answer = await tables.api.send(`${tables.path}/lists/bulk`, { method: 'PATCH', body: {} });
    expectFailure(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('Allow')).toContain('POST');
  });
});

describe('a body over 16 MiB returns 413 with limit and actual value', () => {
  const LIMIT = 16 * MIB;
  const spaces = (bytes: number) => {
    const frame = `{"lists":[{"name":${JSON.stringify(existing)},"items":[]}]}`;
    return Buffer.from(frame + ' '.repeat(bytes - frame.length));
  };

  it('returns 413 if Content-Length exceeds 16 MiB', async () => {
    const answer = await tables.send('lists', spaces(LIMIT + 1));
    expectFailure(answer, 413, 'too_large');
    expect(answer.body.details).toEqual({ limit: LIMIT, actual: LIMIT + 1 });
    expect(answer.body.message).toContain(String(LIMIT));
    expect(answer.body.message).toContain('items/import');
  });

  it('returns 413 if a chunked body exceeds 16 MiB', async () => {
    const answer = await sendChunked(spaces(LIMIT + 1));
    expectFailure(answer, 413, 'too_large');
    expect(answer.body.details.limit).toBe(LIMIT);
    expect(answer.body.details.actual).toBeGreaterThan(LIMIT);
  });

  it('accepts a body of exactly 16 MiB', async () => {
    expect((await tables.send('lists', spaces(LIMIT))).status).toBe(200);
    expect((await sendChunked(spaces(LIMIT))).status).toBe(200);
  });

  it('rejects a body of millions of empty rows in bounded memory', async () => {
    const rows = Buffer.alloc(12 * MIB, '{},');
    const head = Buffer.from(`{"lists":[{"name":${JSON.stringify(existing)},"items":[`);
    const answer = await tables.send('lists', Buffer.concat([head, rows, Buffer.from('{}]}]}')]));
    expectFailure(answer, 413, 'too_many_objects');
    expect(answer.body.details).toEqual({ limit: 250_000 });
    expect(service.peakMemory() ?? 0).toBeLessThan(1024 * MIB);
  });
});

/** Sends a body without its length. */
function sendChunked(body: Buffer): Promise<ApiResponse> {
  return new Promise((done, failed) => {
    const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked', ...tables.api.headers };
    const request = httpRequest(
      `${service.baseUrl}${tables.path}/lists/bulk`,
      { method: 'POST', headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          done({ status: response.statusCode!, headers: new Headers(), body: JSON.parse(text) as Item });
        });
      },
    );
    request.on('error', failed);
    for (let from = 0; from < body.length; from += MIB) request.write(body.subarray(from, from + MIB));
    request.end();
  });
}
