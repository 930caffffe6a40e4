import { DataSource } from 'typeorm';
import { Tombstones1763700016000 } from '../../migrations/1763700016000-tombstones.js';
import { TestDatabase, TestService } from '../support/service.js';
import { Tables, text } from '../support/tables.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await TestDatabase.create();
});

afterAll(() => database?.drop());

/** Moves the tombstones among the rows, as they were before the migration. */
async function revert(): Promise<void> {
  const dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  await new Tombstones1763700016000().down(dataSource.createQueryRunner());
  await dataSource.query(`DELETE FROM migrations WHERE name = '${Tombstones1763700016000.name}'`);
  await dataSource.destroy();
}

it('migrates tables that have tombstones among their rows: the change feed continues, and batches can be undone', async () => {
  const former = await TestService.start(database);
  const me = await former.provision();
  const before = Tables.of(former, me);
  const items = ['a', 'b', 'c'].map((key) => ({ key, name: key }));
  await before.bulk('assets', { name: 'Pumps', columns: [text('Key'), text('Name')], items });
  const path = `${before.path}/assets/Pumps`;
  const deleted = await before.api.post(`${path}/items/delete`, { keys: ['a', 'b'] });
  await before.bulk('assets', { name: 'Pumps', items: [{ key: 'a', name: 'again' }] });
  const changes = async (tables: Tables) => (await tables.api.get(`${path}/changes?since=1`)).body.data.items;
  const expected = [
    { revision: 2, key: 'b', deleted: true, item: null },
    { revision: 3, key: 'a', deleted: false, item: { key: 'a', name: 'again' } },
  ];
  expect(await changes(before)).toMatchObject(expected);
  await former.stop();
  await revert();

  const service = await TestService.start(database);
  try {
    const tables = Tables.of(service, me);
    expect(await changes(tables)).toMatchObject(expected);
    expect(await tables.rows('assets', 'Pumps')).toEqual([
      { key: 'a', name: 'again' },
      { key: 'c', name: 'c' },
    ]);
    const batches = `${tables.path}/batches`;
    const { batchId } = deleted.body.data as { batchId: string };
    // The row `a` was created again since.
    expect((await tables.api.post(`${batches}/${batchId}/undo`)).status).toBe(409);
    const [{ id: last }] = (await tables.api.get(`${batches}?limit=1`)).body.data.items as [{ id: string }];
    expect((await tables.api.post(`${batches}/${last}/undo`)).status).toBe(200);
    expect((await tables.api.post(`${batches}/${batchId}/undo`)).status).toBe(200);
    expect(await tables.rows('assets', 'Pumps')).toEqual(items);
  } finally {
    await service.stop();
  }
});
