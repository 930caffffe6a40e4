import { TestDatabase, TestService } from '../support/service.js';
import { Tables, text } from '../support/tables.js';

const TABLES = ['Pumps', 'Motors'] as const;

let database: TestDatabase;

beforeAll(async () => {
  database = await TestDatabase.create();
});

afterAll(() => database?.drop());

/** The database as the last commit before the history of rows left it: previous rows by batch, no former rows. */
async function revert(workspaceId: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const name = (prefix: string) => `ws_${workspaceId}.${prefix}_${id}`.replaceAll('-', '');
    const [rows, previous, former] = ['t', 'u', 'h'].map(name);
    const columns = 'c1, c2, _revision, _created_at, _updated_at';
    await database.query(`
      CREATE TABLE ${previous} (_batch_id uuid NOT NULL, _undo_revision bigint, _restored bigint,
                                _existed boolean NOT NULL DEFAULT true, LIKE ${rows});
      INSERT INTO ${previous} (_batch_id, ${columns})
        SELECT r.batch_id, ${columns} FROM ${former} JOIN table_revisions r ON r.revision = _ended_revision
         WHERE r.table_id = '${id}' AND r.batch_id IS NOT NULL;
      CREATE INDEX ON ${previous} USING brin (_batch_id) WITH (autosummarize = on);
      CREATE INDEX ON ${previous} (c1) WHERE _restored IS NOT NULL;
      DROP TABLE ${former}`);
  }
  await database.query(`
    DROP TABLE table_revisions;
    ALTER TABLE workspace_tables DROP COLUMN history_since;
    DROP INDEX ix_table_batches_old;
    ALTER TABLE table_batches ADD COLUMN undo_bytes bigint NOT NULL DEFAULT 1000, ADD COLUMN purged_at timestamptz(3);
    ALTER TABLE table_batches ALTER COLUMN undo_bytes SET DEFAULT 0;
    CREATE INDEX ix_table_batches_kept ON table_batches (created_at) WHERE purged_at IS NULL;
    DELETE FROM migrations WHERE name LIKE 'RowHistory%'`);
}

it('migrates tables with previous rows of batches: rows, batches and feeds remain, and the history starts', async () => {
  const former = await TestService.start(database);
  const me = await former.provision();
  const before = Tables.of(former, me);
  for (const name of TABLES) {
    const path = `${before.path}/assets/${name}`;
    const items = ['a', 'b', 'c'].map((key) => ({ key, name: 'first' }));
    await before.bulk('assets', { name, columns: [text('Key'), text('Name')], items });
    await before.bulk('assets', { name, items: [{ key: 'a', name: 'second' }] });
    await before.api.post(`${path}/items/delete`, { keys: ['b'] });
    await before.api.put(`${path}/items/a`, { name: 'third' });
    await before.api.post(`${path}/items/c/rename`, { key: 'd' });
  }
  const read = async (tables: Tables) => {
    const get = async (path: string) => (await tables.api.get(`${tables.path}/${path}`)).body.data;
    const contents = TABLES.map(async (name) => ({
      rows: await get(`assets/${name}/items`),
      changes: await get(`assets/${name}/changes?since=0`),
    }));
    const batches = (await get('batches')).items as { id: string; undoable: boolean }[];
    return { contents: await Promise.all(contents), batches };
  };
  const expected = await read(before);
  expect(expected.batches).toHaveLength(3 * TABLES.length);
  expect(expected.batches.every(({ undoable }) => undoable)).toBe(true);
  const stoppedAt = new Date().toISOString();
  await former.stop();
  await revert(
    me.workspaceId,
    expected.contents.map(({ rows }) => rows.table.id as string),
  );

  const service = await TestService.start(database);
  const migratedAt = new Date().toISOString();
  try {
    const tables = Tables.of(service, me);
    const path = `${tables.path}/assets/Pumps`;
    const get = (rest: string) => tables.api.get(`${path}${rest}`);
    expect(await read(tables)).toEqual({
      ...expected,
      batches: expected.batches.map((batch) => ({ ...batch, undoable: false })),
    });
    const undone = await tables.api.post(`${tables.path}/batches/${expected.batches[0]!.id}/undo`);
    expect([undone.status, undone.body.error]).toEqual([409, 'not_undoable']);

    // The history starts with the migration, at the revision that the table had.
    const since = 5;
    expect((await get('')).body.data.history).toMatchObject({ since });
    expect((await get('/items/a/history')).body.data).toMatchObject({ historySince: since, items: [] });
    expect((await get(`/items?asOf=${since}`)).body.data.items).toEqual(expected.contents[0]!.rows.items);
    for (const earlier of [
      `/items?asOf=${since - 1}`,
      '/items/a?asOf=1',
      `/items/a?asOf=${stoppedAt}`,
      `/differences?from=1`,
    ]) {
      const { status, body } = await get(earlier);
      expect([earlier, status, body.error]).toEqual([earlier, 410, 'history_expired']);
      expect(body.message).toContain(`starts at revision ${since}`);
    }
    const restored = await tables.api.post(`${path}/restore`, { asOf: '2', keys: ['a'] });
    expect([restored.status, restored.body.error]).toEqual([410, 'history_expired']);

    const { body } = await tables.bulk('assets', { name: 'Pumps', items: [{ key: 'a', name: 'fourth' }] });
    expect((await get('/items/a/history')).body.data.items).toMatchObject([
      { revision: since + 1, change: 'updated', columns: { name: { from: 'third', to: 'fourth' } } },
    ]);
    expect((await get(`/items/a?asOf=${since}`)).body.data.item).toEqual({ key: 'a', name: 'third' });
    expect((await get(`/items/a?asOf=${migratedAt}`)).body.data.item).toEqual({ key: 'a', name: 'third' });
    expect((await tables.api.post(`${tables.path}/batches/${body.data.batchId}/undo`)).status).toBe(200);
    const previous = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'u\\_%'";
    expect(await database.query(previous)).toEqual([]);
  } finally {
    expect(await service.stop()).toBe(0);
    expect(service.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
  }
}, 60_000);
