import { TestDatabase, TestService } from '../support/service.js';
import { Tables, text } from '../support/tables.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await TestDatabase.create();
});

afterAll(() => database?.drop());

/** Reverts the history of rows, and moves the tombstones of a table among its rows, as before both migrations. */
async function revert(workspaceId: string, id: string): Promise<void> {
  const name = (prefix: string) => `ws_${workspaceId.replaceAll('-', '')}.${prefix}_${id.replaceAll('-', '')}`;
  const [rows, previous, tombstones, former] = ['t', 'u', 'd', 'h'].map(name);
  await database.query(`
    DROP TABLE ${former}, table_revisions;
    CREATE TABLE ${previous} (_batch_id uuid NOT NULL, _existed boolean NOT NULL DEFAULT true, LIKE ${rows});
    ALTER TABLE workspace_tables DROP COLUMN history_since;
    DROP INDEX ix_table_batches_old;
    ALTER TABLE table_batches ADD COLUMN undo_bytes bigint NOT NULL DEFAULT 0, ADD COLUMN purged_at timestamptz(3);
    CREATE INDEX ix_table_batches_kept ON table_batches (created_at) WHERE purged_at IS NULL;
    ALTER TABLE ${rows} ADD COLUMN _deleted_at timestamptz(3);
    INSERT INTO ${rows} (c1, _revision, _created_at, _updated_at, _deleted_at)
      SELECT key, revision, created_at, deleted_at, deleted_at FROM ${tombstones};
    DROP TABLE ${tombstones};
    ALTER TABLE ${previous} ADD COLUMN _deleted_at timestamptz(3);
    UPDATE ${previous} SET _deleted_at = _updated_at WHERE NOT _existed;
    ALTER TABLE ${previous} DROP COLUMN _existed;
    ALTER TABLE workspace_tables ADD COLUMN layout integer NOT NULL DEFAULT 4;
    DELETE FROM migrations WHERE name LIKE 'Tombstones%' OR name LIKE 'RowHistory%'`);
}

it('migrates tables that have tombstones among their rows: the change feed continues, and the history starts', async () => {
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
    // Former rows are stored from now on.
    const { batchId } = deleted.body.data as { batchId: string };
    const undone = await tables.api.post(`${tables.path}/batches/${batchId}/undo`);
    expect([undone.status, undone.body.error]).toEqual([409, 'not_undoable']);
    const asOf = async (revision: number) => (await tables.api.get(`${path}/items?asOf=${revision}`)).body;
    expect((await asOf(2)).error).toBe('history_expired');
    const { body } = await tables.bulk('assets', { name: 'Pumps', items: [{ key: 'c', name: 'new' }] });
    expect((await asOf(3)).data.items[1]).toEqual({ key: 'c', name: 'c' });
    expect((await tables.api.post(`${tables.path}/batches/${body.data.batchId}/undo`)).status).toBe(200);
    expect((await tables.rows('assets', 'Pumps'))[1]).toEqual({ key: 'c', name: 'c' });
  } finally {
    await service.stop();
  }
});
