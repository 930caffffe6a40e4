import { uuid } from '../../../platform/database/uuid.js';
import type { ColumnDefinition } from '../catalog/column-plan.js';
import { formerRowsName } from '../catalog/physical-table.js';
import { ClusterUpserts } from './engine.cluster.repository.js';
import { TableEngine } from './table-engine.fixture.spec.js';

const COLUMNS: ColumnDefinition[] = [
  { name: 'Key', type: 'text', primaryKey: true },
  { name: 'Name', type: 'text' },
  { name: 'Weight', type: 'number' },
  { name: 'Active', type: 'checkbox' },
];

const ROWS = 300;

const PUMPS = Array.from({ length: ROWS }, (_, number) => ({
  key: `k${number}`,
  name: number % 7 === 0 ? null : `Pump ${number}`,
  weight: number / 4,
  active: number % 2 === 0,
}));

let server: TableEngine;
let cluster: TableEngine;

beforeAll(async () => {
  server = await TableEngine.create();
  cluster = await TableEngine.create((database) => new ClusterUpserts(database));
});

afterAll(async () => {
  await server.close();
  await cluster.close();
});

/** Merges rows into a table, and reads what is stored and reported. */
async function merge(tables: TableEngine, name: string, items: readonly object[]) {
  const found = await tables.catalog.findByName(tables.workspaceId, { entity: 'asset', name });
  const columns = found ? undefined : COLUMNS;
  const report = await tables.engine.execute(tables.workspaceId, [{ entity: 'asset', name, columns, items }], {
    origin: { source: 'bulk', userId: uuid() },
    returnItems: true,
  });
  const table = await tables.getTable(name);
  const previous = await tables.database.query(
    `SELECT c1, c2, c3, c4, _revision::int FROM ${formerRowsName(table)} WHERE _ended_revision = $1 ORDER BY c1`,
    [table.revision],
  );
  return {
    totals: report.totals,
    items: report.tables[0]!.items,
    revision: table.revision,
    rows: await tables.readRows(name, 0),
    previous,
  };
}

it.each<[string, readonly object[]]>([
  ['the same rows', PUMPS],
  ['changed rows', PUMPS.map((item, at) => (at % 10 === 0 ? { ...item, name: `Fan ${at}`, weight: -1.5 } : item))],
  ['changes of all rows', PUMPS.map((item) => ({ ...item, active: null }))],
  ['changed and new rows', [...PUMPS.slice(0, 150), { ...PUMPS[200]!, name: null }, { key: 'new', name: 'New' }]],
  [
    'rows without some columns',
    [...PUMPS.slice(5, 120).map(({ key }) => ({ key, weight: 7 })), { key: 'k0', name: 'x' }],
  ],
  ['a control character', PUMPS.map((item, at) => (at < 2 ? { ...item, name: 'a\u0001b' } : item))],
])('reports and stores the same as one server: %s', async (name, items) => {
  for (const tables of [server, cluster]) await merge(tables, name, PUMPS);
  const [expected, actual] = [await merge(server, name, items), await merge(cluster, name, items)];
  expect(actual).toEqual(expected);
  expect(actual.previous).toHaveLength(actual.totals.updated);
});
