import { TableEngine } from '../../../../packages/tables/src/writer/table-engine.fixture.spec.js';
import { TableTurns } from './table-turns.js';

let tables: TableEngine;

beforeAll(async () => {
  tables = await TableEngine.create();
});

afterAll(() => tables.close());

it('writers of a table share its turns, whether they name it by its name or its ID', async () => {
  const columns = [{ name: 'Key', type: 'text' as const }];
  await tables.engine.execute(tables.view, [{ entity: 'asset', name: 'Pumps', columns, items: [] }]);
  const { id } = await tables.getTable('Pumps');
  // One writer at a time.
  const turns = new TableTurns(tables.database, tables.catalog, { poolSize: 1, lockTimeoutMs: 20_000 });
  const order: string[] = [];
  const run = (name: string, table: { name: string; id?: string }) =>
    turns.run(tables.workspaceId, [{ entity: 'asset', ...table }], async () => {
      order.push(`${name} begins`);
      await tables.database.query('SELECT pg_sleep(0.2)');
      order.push(`${name} ends`);
    });
  await Promise.all([run('first', { name: ' PUMPS' }), run('second', { name: id, id })]);
  expect([order.slice(0, 2), order.slice(2)].sort()).toEqual([
    ['first begins', 'first ends'],
    ['second begins', 'second ends'],
  ]);
});
