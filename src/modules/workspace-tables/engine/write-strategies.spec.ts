import fc from 'fast-check';
import { uuid } from '../../../platform/database/uuid.js';
import type { ColumnDefinition } from '../catalog/column-plan.js';
import { formerRowsName } from '../catalog/physical-table.js';
import type { OpenBatch } from '../history/batch-records.repository.js';
import type { MergeRelation } from '../sources/relation.js';
import { ClusterUpserts } from './engine.cluster.repository.js';
import { TableEngine } from './table-engine.fixture.spec.js';
import { chooseStrategy, WRITE_STRATEGIES, type WriteStrategy } from './write-strategies.js';
import { PROPERTY_CASES } from '../../../../test/support/property-cases.js';

const COLUMNS: ColumnDefinition[] = [
  { name: 'Key', type: 'text', primaryKey: true },
  { name: 'Name', type: 'text' },
  { name: 'Weight', type: 'number' },
  { name: 'Active', type: 'checkbox' },
];

/** What a relation says of the table, so that each strategy is chosen. */
const ESTIMATES: Record<string, Partial<MergeRelation>> = {
  'insert all': { isAllNew: true },
  'insert, then upsert the others': { isMostlyNew: true },
  upsert: {},
};

let server: TableEngine;
let cluster: TableEngine;

beforeAll(async () => {
  server = await TableEngine.create();
  cluster = await TableEngine.create((database) => new ClusterUpserts(database));
  for (const tables of [server, cluster])
    await tables.engine.execute(tables.workspaceId, [{ entity: 'asset', name: 'Pumps', columns: COLUMNS, items: [] }]);
});

afterAll(() => Promise.all([server.close(), cluster.close()]));

/** Writes rows over the stored ones by a strategy. @returns what it reports and stores. */
async function write(tables: TableEngine, strategy: WriteStrategy, stored: readonly object[], sent: readonly object[]) {
  await tables.reset('Pumps', stored, []);
  const table = await tables.getTable('Pumps');
  const batch: OpenBatch = {
    id: uuid(),
    workspaceId: tables.workspaceId,
    source: 'bulk',
    userId: uuid(),
    at: new Date().toISOString(),
    mayNeedApproval: false,
  };
  async function* relations(): AsyncGenerator<MergeRelation> {
    for await (const relation of tables.sources.read(sent, table.columns).relations(table, false)) {
      const estimated = { ...relation, isAllNew: false, isMostlyNew: false, ...ESTIMATES[strategy.name] };
      expect(chooseStrategy(estimated)).toBe(strategy);
      yield estimated;
    }
  }
  const output = { change: batch, withStatuses: true };
  const written = await tables.database.transaction(() => tables.merges.merge(table, relations(), output));
  const rows = await tables.readRows('Pumps', table.revision);
  const previous = await tables.database.query(
    `SELECT c1, c2, c3, c4, _revision::int - $2::int AS revision FROM ${formerRowsName(table)} WHERE _ended_revision = $1 ORDER BY c1`,
    [table.revision + 1, table.revision],
  );
  const statuses = [...written.statuses].sort();
  return { counts: [written.created, written.updated], statuses, rows, previous };
}

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const complete = fc.record({
  key,
  name: fc.constantFrom('x', 'y', null),
  weight: fc.constantFrom(1, 2.5, null),
  active: fc.constantFrom(true, null),
});
const partial = fc.record(
  { key, name: fc.constantFrom('x', null), weight: fc.constantFrom(1, 3) },
  { requiredKeys: ['key'] },
);
const distinct = <T extends { key: string }>(rows: fc.Arbitrary<T>, minLength: number) =>
  fc.uniqueArray(rows, { selector: (row) => row.key, minLength, maxLength: 6 });

it('every strategy has the same result, on one server and by the statements of a cluster', async () => {
  const compared = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.constant([]), distinct(complete, 1)),
      fc.oneof(distinct(complete, 1), distinct(partial, 1)),
      async (stored, sent) => {
        const suiting = WRITE_STRATEGIES.filter(({ name }) => name !== 'insert all' || stored.length === 0);
        const results: Awaited<ReturnType<typeof write>>[] = [];
        for (const tables of [server, cluster])
          for (const strategy of suiting) {
            compared.add(strategy.name);
            results.push(await write(tables, strategy, stored, sent));
          }
        for (const result of results) expect(result).toEqual(results[0]);
        expect(results[0]!.previous).toHaveLength(results[0]!.counts[1]!);
      },
    ),
    { numRuns: PROPERTY_CASES },
  );
  expect([...compared].sort()).toEqual(WRITE_STRATEGIES.map(({ name }) => name).sort());
}, 120_000);
