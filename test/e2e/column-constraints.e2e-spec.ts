import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiResponse } from '../support/api.js';
import { lines, sendFile } from '../support/imports.js';
import { measureElapsed } from '../support/elapsed.js';
import { ROOT } from '../support/service.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { errorsOf, TableAdministration } from '../support/table-administration.js';
import { type ColumnInput, column, type Item, keyAt, manyRows, Tables, text, unique } from '../support/tables.js';

let service: SharedService;
let tables: TableAdministration;

beforeAll(async () => {
  ({ service } = await shareService());
  tables = TableAdministration.for(Tables.of(service, await service.provision()));
}, 60_000);

/** A column with a constraint, a value that satisfies it, and one that violates it. */
interface Case {
  column: ColumnInput;
  valid: Item[string];
  invalid: Item[string];
  code: string;
  message: string;
}

const TOMORROW = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
const TODAY = new Date().toISOString().slice(0, 10);
const of = (type: string, options: Record<string, unknown>) => column('Value', type, { options });

const CASES: Record<string, Case> = {
  minimum: {
    column: of('number', { minimum: 0.5 }),
    valid: 0.5,
    invalid: 0.4,
    code: 'below_minimum',
    message: '0.4 is less than the minimum 0.5.',
  },
  maximum: {
    column: of('number', { maximum: 10 }),
    valid: 10,
    invalid: 10.001,
    code: 'above_maximum',
    message: '10.001 is greater than the maximum 10.',
  },
  minLength: {
    column: of('text', { minLength: 2 }),
    valid: '🙂🙂',
    invalid: '🙂',
    code: 'too_short',
    message: 'The text has at least 2 characters; "🙂" has fewer.',
  },
  maxLength: {
    column: of('text', { maxLength: 2 }),
    valid: '🙂🙂',
    invalid: 'abc',
    code: 'too_long',
    message: 'The text has at most 2 characters; "abc" has more.',
  },
  pattern: {
    column: of('text', { pattern: String.raw`^[A-Z]{2}-\d+$` }),
    valid: 'AT-10',
    invalid: "AT-'10",
    code: 'pattern_mismatch',
    message: String.raw`"AT-'10" does not match the pattern ^[A-Z]{2}-\d+$.`,
  },
  earliest: {
    column: of('date', { earliest: '2024-02-29' }),
    valid: '2024-02-29T00:00:00.000Z',
    invalid: '2024-02-28T23:59:59.999Z',
    code: 'too_early',
    message: '"2024-02-28T23:59:59.999Z" is before the earliest date 2024-02-29.',
  },
  latest: {
    column: of('date', { latest: '2024-02-29' }),
    valid: '2024-02-29T23:59:59.999Z',
    invalid: '2024-03-01',
    code: 'too_late',
    message: '"2024-03-01" is after the latest date 2024-02-29.',
  },
  'latest: today': {
    column: of('date', { latest: 'today' }),
    valid: TODAY,
    invalid: TOMORROW,
    code: 'too_late',
    message: `"${TOMORROW}" is after the latest date ${TODAY} (today, in UTC).`,
  },
  unique: {
    column: of('text', { unique: true }),
    valid: 'S1',
    invalid: 'taken',
    code: 'not_unique',
    message: 'The row "z" has the value "taken", too.',
  },
  mustExist: {
    column: of('hierarchyParent', { mustExist: true }),
    valid: 'z',
    invalid: 'nowhere',
    code: 'target_missing',
    message: 'No row has the key "nowhere".',
  },
};

const pathOf = (table: string) => tables.pathOf('assets', table);
const bulk = (table: string, items: unknown[], query = {}) => tables.bulk('assets', { name: table, items }, query);
const file = (query: Record<string, string>) => (table: string, row: Item) =>
  sendFile(tables, table, lines([row, { key: 'z', value: row['value'] === 'taken' ? 'taken' : null }]), {
    surface: 'assets',
    query,
  });

const WAYS: Record<string, (table: string, row: Item) => Promise<ApiResponse>> = {
  PUT: (table, { key, ...values }) => tables.api.put(`${pathOf(table)}/items/${String(key)}`, values),
  PATCH: (table, { key, ...values }) => tables.api.patch(`${pathOf(table)}/items/${String(key)}`, values),
  bulk: (table, row) => bulk(table, [row]),
  'a dry run': (table, row) => bulk(table, [row], { dryRun: 'true' }),
  import: file({}),
  replace: file({ mode: 'replace' }),
};

/** The table with the rows `a`, whose value is valid, and `z`. */
async function given({ column: definition, valid }: Case, items?: Item[]): Promise<string> {
  const z = definition.options!['unique'] ? 'taken' : null;
  const rows = items ?? [
    { key: 'a', value: valid },
    { key: 'z', value: z },
  ];
  return tables.createTable('assets', [text('Key'), definition], rows, unique('Constraints'));
}

const warning = (each: Case): Case => ({
  ...each,
  column: { ...each.column, options: { ...each.column.options, level: 'warning' } },
});

describe.each(Object.entries(CASES))('%s', (_, each) => {
  const { invalid, code, message } = each;

  it.each(Object.entries(WAYS))('rejects a row by %s, which changes nothing', async (_way, write) => {
    const table = await given(each);
    const before = await tables.rows('assets', table);
    const answer = await write(table, { key: 'a', value: invalid });
    expect(answer.status).toBe(422);
    expect(errorsOf(answer)).toContainEqual(expect.objectContaining({ key: 'a', column: 'value', code, message }));
    expect(await tables.rows('assets', table)).toEqual(before);
  });

  it('rejects only the row with onError=continue, by bulk and by a file', async () => {
    const rows = [
      { key: 'b', value: null },
      { key: 'a', value: invalid },
      { key: 'c', value: null },
    ];
    const table = await given(each);
    const [, z] = await tables.rows('assets', table);
    const answers = [
      await bulk(table, rows, { onError: 'continue' }),
      await sendFile(tables, table, lines(rows), { surface: 'assets', query: { onError: 'continue' } }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(207);
      expect(body.data).toMatchObject({
        totals: { received: 3, failed: 1 },
        summary: [{ code, column: 'value', count: 1 }],
      });
      expect(body.data.errors).toMatchObject([{ index: 1, key: 'a', column: 'value', code, message }]);
    }
    expect(await tables.rows('assets', table)).toEqual([{ key: 'a', value: each.valid }, rows[0], rows[2], z]);
  });

  it('is found by a comparison', async () => {
    const table = await given(each);
    const path = `${pathOf(table)}/items/compare`;
    const rows = [
      { key: 'a', value: invalid },
      { key: 'z', value: each.column.options!['unique'] ? 'taken' : null },
    ];
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const { body } = await tables.api.send(path, { method: 'POST', body: lines(rows), headers });
    const found = (body as string)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(found[0]).toMatchObject({ change: 'error', key: 'a', code, message });
    expect(found.at(-1)).toMatchObject({ summary: { error: 1 } });
  });

  it('as a warning stores the row and reports it, in the response and in the list', async () => {
    const table = await given(warning(each));
    const row = { key: 'a', value: invalid };
    const put = await WAYS['PUT']!(table, row);
    expect(put).toMatchObject({ status: 200, body: { data: { warnings: [{ column: 'value', code, message }] } } });
    const again = await WAYS['import']!(table, { key: 'b', value: invalid });
    expect(again.body.data.warnings.summary).toMatchObject([{ code, column: 'value' }]);
    expect(again.body.data.warnings.errors).toContainEqual(expect.objectContaining({ key: 'b', code }));
    const listed = await tables.api.get(`${pathOf(table)}/violations`);
    expect(listed.body.data.items).toContainEqual({
      key: 'a',
      column: 'value',
      code,
      level: 'warning',
      message: expect.any(String),
    });
  });

  it('is rejected for stored rows that violate it, or allowed and listed', async () => {
    const free = { ...each, column: { ...each.column, options: {} } };
    const table = await given(free, [
      { key: 'a', value: invalid },
      { key: 'z', value: invalid === 'taken' ? 'taken' : null },
    ]);
    const edit = { columns: [{ key: 'value', options: each.column.options }] };
    const rejected = await tables.edit('assets', table, edit);
    expect(rejected).toMatchObject({ status: 422, body: { error: 'invalid_columns' } });
    expect(errorsOf(rejected)).toMatchObject([{ column: 'value', code, message: expect.stringContaining(message) }]);
    expect((await tables.edit('assets', table, { ...edit, existing: 'allow' })).status).toBe(200);
    const { items, counts } = (await tables.api.get(`${pathOf(table)}/violations`)).body.data;
    expect(items).toContainEqual({ key: 'a', column: 'value', code, level: 'error', message });
    expect(counts).toEqual([expect.objectContaining({ column: 'value', level: 'error', rows: items.length })]);
    // A row that is sent again unchanged is not checked.
    expect(await bulk(table, [{ key: 'a', value: invalid }])).toMatchObject({ status: 200 });
  });

  it('is reported by an undo that restores an older row', async () => {
    const free = { ...each, column: { ...each.column, options: {} } };
    const table = await given(free, [
      { key: 'a', value: invalid },
      { key: 'z', value: invalid === 'taken' ? 'taken' : null },
    ]);
    const { batchId } = (await bulk(table, [{ key: 'a', value: null }])).body.data as { batchId: string };
    const edit = { columns: [{ key: 'value', options: each.column.options }] };
    expect((await tables.edit('assets', table, edit)).status).toBe(200);
    const undone = await tables.api.post(`${tables.path}/batches/${batchId}/undo`);
    const violation = { table, key: 'a', column: 'value', code, message, level: 'error' };
    expect(undone).toMatchObject({
      status: 200,
      body: { data: { skipped: 0, violations: { total: 1, first: [violation] } } },
    });
    expect((await tables.rows('assets', table))[0]).toEqual({ key: 'a', value: invalid });
  });
});

describe('unique', () => {
  const each = CASES['unique']!;

  it('allows two rows of one request to exchange their values', async () => {
    const table = await given(each);
    const swapped = [
      { key: 'a', value: 'taken' },
      { key: 'z', value: 'S1' },
    ];
    expect((await bulk(table, swapped)).status).toBe(200);
    expect(await tables.rows('assets', table)).toEqual(swapped);
  });

  it('allows a replacement to give the value of a row that it deletes to another row', async () => {
    const table = await given(each);
    const answer = await sendFile(tables, table, lines([{ key: 'n', value: 'taken' }]), {
      surface: 'assets',
      query: { mode: 'replace', maxDeletions: '100%' },
    });
    expect(answer.status).toBe(200);
    expect(await tables.rows('assets', table)).toEqual([{ key: 'n', value: 'taken' }]);
  });

  it('rejects all rows of a request that have the same new value', async () => {
    const table = await given(each);
    const rows = ['b', 'c', 'd'].map((key) => ({ key, value: key === 'c' ? 'own' : 'twice' }));
    const answer = await bulk(table, rows, { onError: 'continue' });
    expect(answer.body.data.errors).toMatchObject([
      { index: 0, key: 'b', message: 'The row "d" has the value "twice", too.' },
      { index: 2, key: 'd', message: 'The row "b" has the value "twice", too.' },
    ]);
    expect((await tables.rows('assets', table)).map(({ key }) => key)).toEqual(['a', 'c', 'z']);
  });

  it('rejects a row whose value another row retains because it is rejected, too', async () => {
    const definition = { ...each.column, options: { unique: true, maxLength: 5 } };
    const table = await given({ ...each, column: definition });
    const rows = [
      { key: 'z', value: 'too long' },
      { key: 'b', value: 'taken' },
    ];
    const answer = await bulk(table, rows, { onError: 'continue' });
    expect(answer.body.data.errors).toMatchObject([
      { index: 0, code: 'too_long' },
      { index: 1, code: 'not_unique' },
    ]);
  });

  it('distinguishes long texts that begin alike', async () => {
    const table = await given(each);
    const long = (end: string) => 'x'.repeat(400) + end;
    expect(
      (
        await bulk(
          table,
          ['1', '2'].map((key) => ({ key, value: long(key) })),
        )
      ).status,
    ).toBe(200);
    expect((await bulk(table, [{ key: '3', value: long('2') }])).status).toBe(422);
  });

  it('lets one of 50 concurrent writers win each value', async () => {
    const table = await given(each);
    const writers = manyRows(50, (position) => ({ key: keyAt(position), value: `V${position % 5}` }));
    const answers = await Promise.all(
      writers.map((row, position) => (position % 2 ? bulk(table, [row]) : WAYS['PUT']!(table, row))),
    );
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(45);
    const values = (await tables.rows('assets', table)).map(({ value }) => value);
    expect(new Set(values).size).toBe(values.length);
  }, 60_000);
});

it('mustExist accepts a row of the same request, and of another table of it', async () => {
  const names = { sites: unique('Sites'), pumps: unique('Pumps') };
  const target = { entity: 'location', table: names.sites };
  const columns = [text('Key'), column('Site', 'reference', { options: { target, mustExist: true } })];
  const request = (site: string) =>
    tables.bulkAll([
      { type: 'asset', name: names.pumps, columns, items: [{ key: 'P1', site }] },
      { type: 'location', name: names.sites, columns: [text('Key')], items: [{ key: 'S1' }] },
    ]);
  const rejected = await request('S2');
  expect(rejected.status).toBe(422);
  expect(errorsOf(rejected)).toMatchObject([{ table: names.pumps, index: 0, key: 'P1', code: 'target_missing' }]);
  expect((await request('S1')).status).toBe(201);
});

it.each(['with a target', 'without one'])('mustExist finds rows of the file that is compared, %s', async (kind) => {
  const name = unique('Sites');
  const target = kind === 'with a target' ? { entity: 'location', table: name } : undefined;
  const columns = [text('Key'), column('Site', 'reference', { options: { target, mustExist: true } })];
  await tables.createTable('locations', columns, [], name);
  const rows = [
    { key: `${name} 1`, site: `${name} 2` },
    { key: `${name} 2`, site: `${name} 3` },
  ];
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const { body } = await tables.api.send(`${tables.pathOf('locations', name)}/items/compare`, {
    method: 'POST',
    body: lines(rows),
    headers,
  });
  const found = (body as string)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  // The first row is rejected with the second, whose target is missing.
  expect(found.map(({ change, key, code }) => [change, key, code])).toEqual([
    ['error', `${name} 1`, 'target_missing'],
    ['error', `${name} 2`, 'target_missing'],
    [undefined, undefined, undefined],
  ]);
  const valid = [rows[0], { key: `${name} 2`, site: `${name} 1` }];
  const again = await tables.api.send(`${tables.pathOf('locations', name)}/items/compare`, {
    method: 'POST',
    body: lines(valid),
    headers,
  });
  expect(again.body).toContain('"create":2');
});

it('errors of types and constraints are reported together', async () => {
  const table = await given(CASES['minimum']!);
  const answer = await bulk(table, [
    { key: 'b', value: 'heavy' },
    { key: 'c', value: -1 },
  ]);
  expect(errorsOf(answer)).toMatchObject([
    { index: 0, code: 'type_mismatch' },
    { index: 1, code: 'below_minimum' },
  ]);
});

it('a new key of a row satisfies the pattern of the primary key', async () => {
  const key = text('Key', { primaryKey: true, options: { pattern: '^[a-z]+$' } });
  const table = await tables.createTable('assets', [key, text('Name')], [{ key: 'a', name: 'x' }]);
  const answer = await tables.api.post(`${pathOf(table)}/items/a/rename`, { key: 'B1' });
  expect(answer.status).toBe(422);
  expect(errorsOf(answer)).toMatchObject([{ code: 'pattern_mismatch' }]);
  expect(await tables.rows('assets', table)).toEqual([{ key: 'a', name: 'x' }]);
});

it('choices are allowed for text columns', async () => {
  const table = await tables.createTable('assets', [text('Key'), text('State', { options: { choices: ['open'] } })]);
  const answer = await bulk(table, [{ key: 'a', state: 'closed' }]);
  expect(errorsOf(answer)).toMatchObject([{ column: 'state', code: 'type_mismatch' }]);
  expect((await bulk(table, [{ key: 'a', state: 'open' }])).status).toBe(200);
});

describe('the empty text is an empty value', () => {
  // SAP sends it for every empty field.
  const [load] = (
    JSON.parse(readFileSync(join(ROOT, 'test/fixtures/field-cases/tables/77-empty-texts.json'), 'utf8')) as {
      assets: { columns: ColumnInput[]; items: Item[] }[];
    }
  ).assets;
  const columns = [
    ...load!.columns,
    text('Code', { options: { pattern: '^[A-Z]+$', minLength: 2 } }),
    column('Site', 'locationTag', { options: { unique: true } }),
  ];
  const items = load!.items.map((item) => ({ ...item, code: '', site: '' }));
  const csvOf = (rows: readonly Item[]) => {
    const keys = columns.map(({ key, name }) => key ?? name.toLowerCase());
    const toLine = (cells: unknown[]) => cells.map((cell) => JSON.stringify(cell)).join(',');
    return [toLine(keys), ...rows.map((row) => toLine(keys.map((key) => row[key])))].join('\n');
  };
  const WRITERS: Record<string, (table: string, rows: Item[]) => Promise<ApiResponse>> = {
    bulk: (table, rows) => bulk(table, rows),
    'a dry run': (table, rows) => bulk(table, rows, { dryRun: 'true' }),
    NDJSON: (table, rows) => sendFile(tables, table, lines(rows), { surface: 'assets' }),
    CSV: (table, rows) => sendFile(tables, table, csvOf(rows), { surface: 'assets', type: 'text/csv' }),
  };

  it.each(Object.entries(WRITERS))('of a required column, and satisfies all other rules, by %s', async (way, write) => {
    const table = await tables.createTable('assets', columns);
    const rejected = await write(table, items);
    const errors = errorsOf(rejected).map(({ key, column: at, code }) => [key, at, code]);
    expect([rejected.status, errors]).toEqual([422, [['1', 'req', 'required']]]);
    const accepted = await write(
      table,
      items.map((item) => ({ ...item, req: 'x' })),
    );
    expect(accepted.status).toBe(200);
    if (way === 'a dry run') return;
    expect(await tables.rows('assets', table)).toContainEqual(
      expect.objectContaining({ key: '2', kind: '', code: '' }),
    );
    const patched = await tables.api.patch(`${pathOf(table)}/items/2`, { req: '' });
    expect([patched.status, errorsOf(patched)]).toMatchObject([422, [{ column: 'req', code: 'required' }]]);
    expect((await tables.api.patch(`${pathOf(table)}/items/2`, { kind: '', serial: '' })).status).toBe(200);
  });

  it('for rules that are added to stored rows, and for values that are unique together', async () => {
    const plain = columns.map(({ options: _, required: __, ...definition }) => definition);
    const table = await tables.createTable('assets', plain, items);
    const rules = columns.flatMap(({ key, name, options }) =>
      options ? [{ key: key ?? name.toLowerCase(), options }] : [],
    );
    expect((await tables.edit('assets', table, { columns: rules })).status).toBe(200);
    const required = await tables.edit('assets', table, { columns: [{ key: 'req', required: true }] });
    expect([required.status, errorsOf(required)]).toMatchObject([
      422,
      [{ column: 'req', message: expect.stringContaining('1 row has no value') }],
    ]);
    expect((await tables.api.get(`${pathOf(table)}/violations`)).body.data.items).toEqual([]);
    const together = await tables.edit('assets', table, { options: { uniqueTogether: [['serial', 'code']] } });
    expect(together.status).toBe(200);
    expect((await bulk(table, [{ key: '4', req: 'x', serial: 'S1', code: '' }])).status).toBe(422);
    expect((await bulk(table, [{ key: '4', req: 'x', serial: '', code: '' }])).status).toBe(200);
  });
});

it('violations are listed page by page', async () => {
  const definition = of('text', { pattern: '^a', minLength: 3, level: 'warning' });
  const items = manyRows(7, (position) => ({ key: keyAt(position), value: 'b' }));
  const table = await tables.createTable('assets', [text('Key'), definition], items);
  const found: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { data } = (await tables.api.get(`${pathOf(table)}/violations?limit=3${query}`)).body;
    found.push(...data.items.map(({ key, code }: { key: string; code: string }) => `${key} ${code}`));
    cursor = data.nextCursor;
  }
  expect(found).toEqual(items.flatMap(({ key }) => [`${key} too_short`, `${key} pattern_mismatch`]));
});

/** The first after about a second, which is the limit: on a busy machine PostgreSQL is stopped before. */
const TOO_COMPLEX_OR_LONG = /too complex|compiling it takes more than/;

describe('an option is rejected', () => {
  it.each([
    ['for another type', of('number', { pattern: 'a' }), /only for text, .* columns; "value" is a number column/],
    ['that contradicts another', of('number', { minimum: 2, maximum: 1 }), /no value satisfies both/],
    ['that is not a day', of('date', { earliest: '2024-02-30' }), /must be a date/],
    ['with a back reference', of('text', { pattern: String.raw`(a)\1` }), /back reference/],
    ['with a lookahead', of('text', { pattern: '(?=a)' }), /group that begins/],
    ['with an invalid pattern', of('text', { pattern: '(a' }), /a parenthesis has no counterpart/],
    ['with a pattern that is too complex', of('text', { pattern: '(a{255}){255}' }), /too complex/],
    ['with one that takes long', of('text', { pattern: '((a{0,100}){0,100}){0,100}' }), TOO_COMPLEX_OR_LONG],
  ])('%s', async (_, definition, message) => {
    const name = unique('Rejected');
    const created = await tables.bulk('assets', { name, columns: [text('Key'), definition], items: [] });
    expect(created).toMatchObject({ status: 422, body: { error: 'invalid_columns' } });
    expect(errorsOf(created)).toMatchObject([{ column: 'value', code: 'invalid_option' }]);
    expect(errorsOf(created)[0]!.message).toMatch(message);
    const free = { ...definition, options: {} };
    const table = await tables.createTable('assets', [text('Key'), free]);
    const edited = await tables.edit('assets', table, { columns: [{ key: 'value', options: definition.options }] });
    expect(errorsOf(edited)[0]!.message).toMatch(message);
  });
});

/** Expressions that exhaust backtracking engines, with a text for each. */
const CATASTROPHIC: [pattern: string, text: string][] = [
  ['^(a+)+$', `${'a'.repeat(90_000)}b`],
  ['^(a|aa)+$', `${'a'.repeat(90_000)}b`],
  ['(x+x+)+y', 'x'.repeat(90_000)],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(90_000)],
  ['(a|b)*a(a|b){12}c', 'ab'.repeat(45_000)],
  ['^(.*,){11}P', '1,'.repeat(45_000)],
  [String.raw`(\w{1,100}\s?){1,100}$`, `${'ab '.repeat(30_000)}!`],
];

it.each(CATASTROPHIC)('the pattern %s is checked within a second', async (pattern, value) => {
  const table = await tables.createTable('assets', [text('Key'), of('text', { pattern, level: 'warning' })]);
  const end = measureElapsed();
  expect((await bulk(table, [{ key: 'a', value }])).status).toBe(200);
  expect(end()).toBeLessThan(1_000);
});
