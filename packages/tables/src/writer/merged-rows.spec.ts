import fc from 'fast-check';
import { uuid } from '../../../sql/src/uuid.js';
import type { ColumnDefinition } from '../catalog/column-plan.js';
import { formerRowsName } from '../catalog/physical-table.js';
import { PROPERTY_CASES } from '../../../../test/support/property-cases.js';
import { TableEngine, toStream } from './table-engine.fixture.spec.js';

const COLUMNS: ColumnDefinition[] = [
  { name: 'Key', type: 'text', primaryKey: true },
  { name: 'Name', type: 'text' },
  { name: 'Weight', type: 'number' },
  { name: 'Active', type: 'checkbox' },
];

interface Row {
  key: string;
  name?: string | null;
  weight?: number | null;
  active?: boolean | null;
}

let tables: TableEngine;

beforeAll(async () => {
  tables = await TableEngine.create();
  const { engine, view } = tables;
  await engine.execute(view, [{ entity: 'asset', name: 'Pumps', columns: COLUMNS, items: [] }]);
});

afterAll(() => tables.close());

/** Merges rows into a table. @returns what is reported and stored. */
async function merge(stored: readonly Row[], deleted: readonly string[], sent: readonly Row[], isFile: boolean) {
  await tables.reset('Pumps', stored, deleted);
  const { revision } = await tables.getTable('Pumps');
  const options = { origin: { source: 'bulk' as const, userId: uuid() }, returnItems: !isFile };
  const items = isFile ? toStream(sent) : sent;
  const report = await tables.merge([{ entity: 'asset', name: 'Pumps', items }], options);
  const table = await tables.getTable('Pumps');
  const former = await tables.database.query(
    `SELECT c1 AS key, c2 AS name, c3 AS weight, c4 AS active FROM ${formerRowsName(table)} WHERE _ended_revision = $1 ORDER BY c1`,
    [revision + 1],
  );
  const { created, updated, unchanged } = report.totals;
  return {
    counts: { created, updated, unchanged },
    statuses: report.tables[0]!.items?.map(({ key, status }) => [key, status]),
    rows: await tables.readRows('Pumps', revision),
    former,
    revisions: table.revision - revision,
  };
}

const byKey = (a: { c1: string } | Row, b: { c1: string } | Row) => (toKey(a) < toKey(b) ? -1 : 1);
const toKey = (row: { c1: string } | Row) => ('key' in row ? row.key : row.c1);
const complete = (row: Row): Required<Row> => ({ name: null, weight: null, active: null, ...row });

/** What the same merge reports and stores by the rules of the specification. */
function expectMerge(stored: readonly Row[], deleted: readonly string[], sent: readonly Row[], isFile: boolean) {
  const before = new Map(stored.map((row) => [row.key, complete(row)]));
  const status = (row: Row) => {
    const found = before.get(row.key);
    if (!found) return 'created';
    return Object.entries(row).some(([name, value]) => found[name as keyof Row] !== value) ? 'updated' : 'unchanged';
  };
  const statuses = sent.map((row) => [row.key, status(row)]);
  const statusOf = new Map(statuses as [string, string][]);
  const count = (wanted: string) => statuses.filter(([, each]) => each === wanted).length;
  const after = new Map(before);
  for (const row of sent) after.set(row.key, { ...(before.get(row.key) ?? complete(row)), ...row });
  const isChanged = (key: string) => ['created', 'updated'].includes(statusOf.get(key) ?? '');
  const rows = [...after.values()].map(({ key, name, weight, active }) => {
    const created = statusOf.get(key) !== 'updated';
    return { c1: key, c2: name, c3: weight, c4: active, revision: Number(isChanged(key)), deleted: false, created };
  });
  const tombstones = deleted
    .filter((key) => !after.has(key))
    .map((key) => ({
      c1: key,
      c2: null,
      c3: null,
      c4: null,
      revision: 0,
      deleted: true,
      created: expect.any(Boolean) as boolean,
    }));
  return {
    counts: { created: count('created'), updated: count('updated'), unchanged: count('unchanged') },
    statuses: isFile ? undefined : statuses,
    rows: [...rows, ...tombstones].sort(byKey),
    former: [...before.values()].filter(({ key }) => statusOf.get(key) === 'updated').sort(byKey),
    revisions: Number(count('created') + count('updated') > 0),
  };
}

const key = fc.constantFrom<string>('a', 'b', 'c', 'd', 'e', 'f');
const completeRow = fc.record({
  key,
  name: fc.constantFrom('x', 'y', null),
  weight: fc.constantFrom(1, 2.5, null),
  active: fc.constantFrom(true, null),
});
const partialRow = fc.record(
  { key, name: fc.constantFrom('x', null), weight: fc.constantFrom(1, 3) },
  { requiredKeys: ['key'] },
);
const distinct = (rows: fc.Arbitrary<Row>, minLength: number) =>
  fc.uniqueArray(rows, { selector: (row) => row.key, minLength, maxLength: 6 });

/** One row of each status; "c" is created again. */
const EXAMPLE = {
  stored: [{ key: 'a', name: 'x' }, { key: 'b', name: 'x' }, { key: 'c' }].map(complete),
  sent: [{ key: 'a', name: 'y' }, { key: 'b', name: 'x' }, { key: 'c' }].map(complete),
};

it('stores and reports rows, former rows and tombstones by the rules, for rows in memory and of a file', async () => {
  const total = { created: 0, updated: 0, unchanged: 0 };
  await fc.assert(
    fc.asyncProperty(
      distinct(completeRow, 0),
      fc.uniqueArray(key, { maxLength: 2 }),
      fc.oneof(distinct(completeRow, 1), distinct(partialRow, 1)),
      async (stored, removed, sent) => {
        const deleted = removed.filter((removedKey) => stored.some((row) => row.key === removedKey));
        const remaining = stored.filter((row) => !deleted.includes(row.key));
        for (const isFile of [false, true]) {
          const expected = expectMerge(remaining, deleted, sent, isFile);
          expect(await merge(stored, deleted, sent, isFile)).toEqual(expected);
          for (const count of ['created', 'updated', 'unchanged'] as const) total[count] += expected.counts[count];
        }
      },
    ),
    { numRuns: PROPERTY_CASES, examples: [[EXAMPLE.stored, ['c'], EXAMPLE.sent]] },
  );
  for (const count of Object.values(total)) expect(count).toBeGreaterThan(0);
}, 120_000);

it('writes more rows than one statement takes', async () => {
  const rows = Array.from({ length: 25_000 }, (_, number) => ({ key: `k${number}`, name: 'Pump', weight: number }));
  const changed = rows.map((row, number) => (number % 3 === 0 ? { ...row, weight: -1 } : row));
  await tables.reset('Pumps', rows, []);
  const report = await tables.merge([{ entity: 'asset', name: 'Pumps', items: [...changed, { key: 'new' }] }]);
  expect(report.totals).toMatchObject({ created: 1, updated: 8_334, unchanged: 16_666 });
}, 60_000);
