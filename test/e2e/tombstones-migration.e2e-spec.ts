import { TestDatabase, TestService } from '../support/service.js';
import { Tables, text } from '../support/tables.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await TestDatabase.create();
});

afterAll(() => database?.drop());

/** Moves the tombstones of a table among its rows, as they were before the migration. */
async function revert(workspaceId: string, id: string): Promise<void> {
  const name = (prefix: string) => `ws_${workspaceId.replaceAll('-', '')}.${prefix}_${id.replaceAll('-', '')}`;
  const [rows, previous, tombstones] = ['t', 'u', 'd'].map(name);
  await database.query(`
    ALTER TABLE ${rows} ADD COLUMN _deleted_at timestamptz(3);
    INSERT INTO ${rows} (c1, _revision, _created_at, _updated_at, _deleted_at)
      SELECT key, revision, created_at, deleted_at, deleted_at FROM ${tombstones};
    DROP TABLE ${tombstones};
    ALTER TABLE ${previous} ADD COLUMN _deleted_at timestamptz(3);
    UPDATE ${previous} SET _deleted_at = _updated_at WHERE NOT _existed;
    ALTER TABLE ${previous} DROP COLUMN _existed;
    ALTER TABLE workspace_tables ADD COLUMN layout integer NOT NULL DEFAULT 4;
    DELETE FROM migrations WHERE name LIKE 'Tombstones%'`);
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
  const { id } = (await before.read('assets', 'Pumps')).body.data.table as { id: string };
  await former.stop();
  await revert(me.workspaceId, id);

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
