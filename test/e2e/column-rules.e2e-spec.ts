import type { ApiResponse } from '../support/api.js';
import { lines, sendFile } from '../support/imports.js';
import { shareService } from '../support/shared-services.js';
import { errorsOf, TableAdministration } from '../support/table-administration.js';
import { type ColumnInput, column, type Item, Tables, text, unique } from '../support/tables.js';

let tables: TableAdministration;

beforeAll(async () => {
  const { service } = await shareService();
  tables = TableAdministration.for(Tables.of(service, await service.provision()));
}, 60_000);

const COLUMNS: ColumnInput[] = [
  text('Key'),
  text('Name'),
  text('Long'),
  column('State', 'tagStatus'),
  column('Parent', 'hierarchyParent'),
  column('Process', 'hierarchyParent'),
];

/** A rule that an administrator adds, and values that violate it. */
interface Rule {
  /** An edit of a column, which all stored rows satisfy. */
  edit: object | undefined;
  column: string;
  /** The value of a row that violates the rule. */
  invalid: Item[string];
  code: string;
}

const RULES: Record<string, Rule> = {
  required: { edit: { key: 'name', required: true }, column: 'name', invalid: null, code: 'required' },
  choices: {
    edit: { key: 'state', options: { choices: ['open', 'done'] } },
    column: 'state',
    invalid: 'late',
    code: 'type_mismatch',
  },
  'length of an indexed text': {
    edit: { key: 'long', options: { indexed: true } },
    column: 'long',
    invalid: 'x'.repeat(1_001),
    code: 'too_long',
  },
  'cycle of the first hierarchy': { edit: undefined, column: 'parent', invalid: 'b', code: 'hierarchy_cycle' },
  'cycle of the second hierarchy': { edit: undefined, column: 'process', invalid: 'b', code: 'hierarchy_cycle' },
};

const VALID = { name: 'A', long: 'x', state: 'open', parent: null, process: null };
const pathOf = (table: string) => tables.pathOf('locations', table);
const bulk = (table: string, items: unknown[]) => tables.bulk('locations', { name: table, items });
const file = (query: Record<string, string>) => (table: string, row: Item) =>
  sendFile(tables, table, lines([row, { key: 'b', ...VALID, parent: 'a', process: 'a' }]), {
    surface: 'locations',
    query,
  });

/** The ways to write a row. Each sends the row that violates a rule. */
const WAYS: Record<string, (table: string, row: Item) => Promise<ApiResponse>> = {
  PUT: (table, { key, ...values }) => tables.api.put(`${pathOf(table)}/items/${String(key)}`, values),
  PATCH: (table, { key, ...values }) => tables.api.patch(`${pathOf(table)}/items/${String(key)}`, values),
  bulk: (table, row) => bulk(table, [row]),
  import: file({}),
  replace: file({ mode: 'replace' }),
};

async function createTable(items: Item[]): Promise<string> {
  const name = unique('Rules');
  expect((await tables.bulk('locations', { name, columns: COLUMNS, items })).status).toBe(201);
  return name;
}

async function add(rule: Rule, table: string): Promise<void> {
  if (rule.edit) expect((await tables.edit('locations', table, { columns: [rule.edit] })).status).toBe(200);
}

const FIRST: Item[] = [
  { key: 'a', ...VALID },
  { key: 'b', ...VALID, parent: 'a', process: 'a' },
];

describe.each(Object.entries(RULES))('the rule %s', (_, rule) => {
  const invalid = { key: 'a', ...VALID, [rule.column]: rule.invalid };

  it.each(Object.entries(WAYS))('rejects a row by %s', async (_way, write) => {
    const table = await createTable(FIRST);
    await add(rule, table);
    const answer = await write(table, invalid);
    expect(answer.status).toBe(422);
    expect(errorsOf(answer)).toContainEqual(expect.objectContaining({ column: rule.column, code: rule.code }));
    expect(await tables.rows('locations', table)).toEqual(FIRST);
  });

  it.each(['bulk', 'delete'])(
    'rejects a row that the undo of a batch (%s) would restore, and skips it',
    async (way) => {
      const isCycle = rule.code === 'hierarchy_cycle';
      const second = { ...FIRST[1]!, parent: null, process: null };
      const table = await createTable([invalid, second]);
      const written =
        way === 'bulk'
          ? await bulk(table, [FIRST[0]])
          : await tables.api.post(`${pathOf(table)}/items/delete`, { keys: ['a'] });
      await add(rule, table);
      if (isCycle) await bulk(table, [FIRST[1]]);
      const before = await tables.rows('locations', table);
      const undo = `${tables.path}/batches/${written.body.data.batchId as string}/undo`;
      const rejected = await tables.api.post(undo);
      expect(rejected).toMatchObject({ status: 409, body: { error: 'batch_conflict', details: { total: 1 } } });
      expect(errorsOf(rejected)).toMatchObject([{ key: 'a', column: rule.column, code: rule.code }]);
      expect(await tables.rows('locations', table)).toEqual(before);
      const skipped = await tables.api.post(`${undo}?onConflict=skip`);
      expect(skipped).toMatchObject({ status: 200, body: { data: { skipped: 1 } } });
      expect(await tables.rows('locations', table)).toEqual(before);
    },
  );
});

describe('a required column that is added', () => {
  const required = text('Owner', { required: true });
  const add = (table: string, items: Item[], query = {}) =>
    tables.bulk('locations', { name: table, columns: [required], items }, query);

  it.each([{}, { onError: 'continue' }, { dryRun: 'true' }])(
    'by a bulk request (%j) is rejected if a row has no value afterwards',
    async (query) => {
      const table = await createTable(FIRST);
      const answer = await add(table, [{ key: 'a', owner: 'x' }], query);
      expect(answer).toMatchObject({ status: 422, body: { error: 'invalid_columns' } });
      expect(errorsOf(answer)).toMatchObject([
        { column: 'owner', code: 'required', message: '"owner" cannot be required: 1 row has no value in it.' },
      ]);
      expect(await tables.rows('locations', table)).toEqual(FIRST);
    },
  );

  it('by a bulk request is stored if each row has a value afterwards', async () => {
    const table = await createTable(FIRST);
    const items = ['a', 'b', 'c'].map((key) => ({ key, owner: 'x' }));
    expect((await add(table, items)).status).toBe(200);
    expect(await tables.rows('locations', table)).toMatchObject(items);
  });

  it('by an edit is rejected if the table has rows', async () => {
    const table = await createTable(FIRST);
    const answer = await tables.edit('locations', table, { columns: [required] });
    expect(errorsOf(answer)).toMatchObject([{ column: 'owner', code: 'required' }]);
  });
});
