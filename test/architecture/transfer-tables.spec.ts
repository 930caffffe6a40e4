import { DIFFERENCES, orderTables } from '../../src/modules/transfers/transfer-tables.js';
import { TransfersRepository } from '../../src/modules/transfers/transfers.repository.js';
import type { Database } from '../../src/platform/database/database.js';
import { expectNone } from '../support/for-each.js';
import { TestDatabase } from '../support/service.js';

/** Names of columns that could be secrets. */
const SECRET = /secret|password|token|hash/;

let database: TestDatabase;
let repository: TransfersRepository;

beforeAll(async () => {
  database = await TestDatabase.create();
  repository = new TransfersRepository(database as unknown as Database);
});

afterAll(() => database.drop());

it('no export of a workspace contains secrets', async () => {
  const tables = (await repository.listTables()).filter(({ isOmitted }) => !isOmitted);
  expect(tables.length).toBeGreaterThan(25);
  const columns = await Promise.all(
    tables.map(async ({ name, omit = [] }) =>
      (await repository.listColumns(name)).filter((column) => !omit.includes(column)).map((each) => `${name}.${each}`),
    ),
  );
  expectNone(
    columns.flat().filter((column) => SECRET.test(column)),
    'Omit the column, or the table, in DIFFERENCES of src/modules/transfers/transfer-tables.ts.',
  );
});

it('what differs in the transfer of tables names tables and columns that exist', async () => {
  const names = (await repository.listTables()).map(({ name }) => name);
  expect([...DIFFERENCES.keys()].filter((name) => !names.includes(name))).toEqual([]);
  for (const [name, { omit = [], replace = {} }] of DIFFERENCES) {
    const columns = await repository.listColumns(name);
    expect([...omit, ...Object.keys(replace)].filter((column) => !columns.includes(column))).toEqual([]);
  }
});

it('a table follows those that it refers to, so that its rows can be inserted', () => {
  const refer = (name: string, ...references: string[]) => ({ name, references });
  const tables = [refer('a', 'c', 'users'), refer('b'), refer('c', 'b', 'elsewhere'), refer('users')];
  expect(orderTables(tables).map(({ name }) => name)).toEqual(['workspaces', 'users', 'b', 'c', 'a']);
  expect(() => orderTables([refer('a', 'b'), refer('b', 'a')])).toThrow('Tables refer to each other: a, b');
});
