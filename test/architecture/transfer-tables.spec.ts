import { EXPORTED_TABLES, OWNED_TABLES } from '../../src/modules/transfers/transfer-tables.js';
import { expectNone } from '../support/for-each.js';
import { TestDatabase } from '../support/service.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await TestDatabase.create();
});

afterAll(() => database.drop());

it('every table with a column workspace_id is exported, or deliberately not', async () => {
  const found = await database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'workspace_id'`,
  );
  expect(found.length).toBeGreaterThan(30);
  expectNone(
    found.map(({ name }) => name).filter((name) => !OWNED_TABLES.includes(name)),
    'Add the table to EXPORTED_TABLES or OMITTED_TABLES of src/modules/transfers/transfer-tables.ts.',
  );
  expect(OWNED_TABLES.filter((name) => !found.some((each) => each.name === name))).toEqual([]);
});

it('every listed table follows those that it refers to, so that rows can be inserted and deleted', async () => {
  const references = await database.query<{ from: string; to: string }>(
    `SELECT conrelid::regclass::text AS "from", confrelid::regclass::text AS "to" FROM pg_constraint
      WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conrelid <> confrelid`,
  );
  const inserted = EXPORTED_TABLES.map(({ name }) => name);
  const isLate = (order: readonly string[], from: string, to: string) =>
    order.includes(from) && order.includes(to) && order.indexOf(to) > order.indexOf(from);
  expectNone(
    references
      .filter(({ from, to }) => isLate(inserted, from, to) || isLate(OWNED_TABLES, to, from))
      .map(({ from, to }) => `${from} refers to ${to}`),
    'Change the order of src/modules/transfers/transfer-tables.ts.',
  );
});
