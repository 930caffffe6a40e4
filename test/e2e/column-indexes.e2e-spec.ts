import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { readIndexDefinitions } from '../support/index-definitions.js';
import { TestService } from '../support/service.js';
import { type SharedService, shareServices } from '../support/shared-services.js';
import { COLUMNS, errorsOf, settled, TableAdministration } from '../support/table-administration.js';
import { column, keyAt, manyRows, Tables, type Surface, text, unique } from '../support/tables.js';

let database: Database;
/** Two instances of the service on one database. */
let services: SharedService[] = [];
let me: Credentials;
let tables: TableAdministration;

beforeAll(async () => {
  ({ database, services } = await shareServices(2));
  me = await services[0]!.provision();
  tables = TableAdministration.for(Tables.of(services[0]!, me));
}, 60_000);

afterAll(() => {
  for (const service of services)
    expect(service.output.join('')).not.toMatch(/internal_error|40P01|Unhandled|uncaught/i);
});

/** The indexes of the PostgreSQL table that were requested by the option `indexed`. */
const indexesOf = async (surface: Surface, table: string) =>
  readIndexDefinitions(database, await tables.physical(surface, table), 'i\\_%');

/** The metric, which counts the indexes of all workspaces. It is absent if the database does not return it in time. */
function readFailedIndexes(): Promise<number> {
  return settled(
    async () => {
      const { body } = await new Api(services[0]!.baseUrl).get('/metrics');
      return Number(/^atrium_failed_indexes (\d+)$/m.exec(body as string)?.[1]);
    },
    (count) => !Number.isNaN(count),
  );
}

/** The events `table.index_failed` of a table, at least one. */
function listFailures(table: string): Promise<any[]> {
  const api = new Api(services[0]!.baseUrl).withKey(me.apiKey);
  return settled(
    async () => {
      const { body } = await api.get(`/v2/api/workspaces/${me.workspaceId}/events?types=table.index_failed`);
      return body.data.events.filter(({ data }: any) => data.table.name === table) as any[];
    },
    (events) => events.length > 0,
  );
}

describe('a column index', () => {
  const indexOption = (key: string, indexed: boolean | null = true) => ({ columns: [{ key, options: { indexed } }] });

  it('builds an index in the background if a bulk request or an edit sets the option', async () => {
    const columns = [
      text('Key', { options: { indexed: true } }),
      text('Name', { options: { indexed: true } }),
      column('Weight', 'number', { options: { indexed: true } }),
      column('Since', 'date'),
      column('Done', 'checkbox'),
      column('Parent', 'hierarchyParent', { options: { indexed: true } }),
    ];
    const name = await tables.createTable('locations', columns, [{ key: 'a', name: 'A', weight: 1 }]);
    const answer = await tables.edit('locations', name, {
      columns: [...indexOption('since').columns, ...indexOption('done').columns],
    });
    expect(answer.body.data.columns[3].index).toEqual({ state: 'pending', message: null });
    expect(answer.body.data.revision).toBe(2);
    for (const key of ['name', 'weight', 'since', 'done']) await tables.indexIs('locations', name, key, 'ready');
    const { key, parent } = await tables.columns('locations', name);
    expect([key!.index, parent!.index]).toEqual([
      { state: 'ready', message: null },
      { state: 'ready', message: null },
    ]);
    const definitions = await indexesOf('locations', name);
    expect(definitions.map(({ terms }) => terms)).toEqual(['"left"(c2, 256), c1', 'c3, c1', 'c4, c1', 'c5, c1']);
    // Neither a new index state nor setting the same option again is a change.
    expect((await tables.edit('locations', name, indexOption('name'))).body.data.revision).toBe(2);
    expect((await tables.index('locations', name, 'name'))?.state).toBe('ready');
  });

  it('drops an index when its option is removed and builds it again when the option is set again', async () => {
    const name = await tables.createTable('lists', COLUMNS, [{ key: 'a', name: 'A' }]);
    await tables.edit('lists', name, indexOption('name'));
    await tables.indexIs('lists', name, 'name', 'ready');
    const removed = await tables.edit('lists', name, indexOption('name', false));
    expect(removed.body.data.columns[1]).toMatchObject({ options: { indexed: false }, index: null });
    await settled(
      () => indexesOf('lists', name),
      (indexes) => indexes.length === 0,
    );
    for (let time = 0; time < 5; time++)
      for (const indexed of [true, null]) await tables.edit('lists', name, indexOption('name', indexed));
    await tables.edit('lists', name, indexOption('name'));
    await tables.indexIs('lists', name, 'name', 'ready');
    expect(await indexesOf('lists', name)).toMatchObject([{ valid: true }]);
  });

  it('allows at most 10 indexed columns per table, not counting the primary key and parents', async () => {
    const many = manyRows(11, (at) => column(`N${at}`, 'number', { options: { indexed: true } }));
    const uncounted = [column('Parent', 'hierarchyParent', { options: { indexed: true } }), text('Key')];
    const rejected = await tables.bulk('lists', { name: unique('Many'), columns: [...uncounted, ...many], items: [] });
    expect(rejected.status).toBe(422);
    const error = { column: 'n10', code: 'too_many_indexes', message: expect.stringContaining('at most 10') as string };
    expect(errorsOf(rejected)).toMatchObject([error]);
    const name = await tables.createTable('lists', [...uncounted, ...many.slice(0, 10), column('N10', 'number')]);
    expect(errorsOf(await tables.edit('lists', name, indexOption('n10')))).toMatchObject([error]);
    expect(
      (
        await tables.edit('lists', name, {
          columns: [...indexOption('n0', false).columns, ...indexOption('n10').columns],
        })
      ).status,
    ).toBe(200);
  });

  it('requires texts of at most 1,000 characters in an indexed column and reports the number of longer ones', async () => {
    const fits = '😀'.repeat(1000);
    const name = await tables.createTable('lists', COLUMNS, [
      { key: 'a', name: `${fits}x` },
      { key: 'b', name: fits },
    ]);
    const rejected = await tables.edit('lists', name, indexOption('name'));
    expect(rejected.status).toBe(422);
    expect(errorsOf(rejected)).toMatchObject([
      {
        column: 'name',
        code: 'too_long',
        message: expect.stringMatching(/1 row has a text of more than 1000/) as string,
      },
    ]);
    await tables.bulk('lists', { name, items: [{ key: 'a', name: null }] });
    expect((await tables.edit('lists', name, indexOption('name'))).status).toBe(200);
    const long = await tables.bulk('lists', {
      name,
      items: [
        { key: 'c', name: `${fits}x` },
        { key: 'd', name: fits },
      ],
    });
    expect(long.status).toBe(422);
    expect(errorsOf(long)).toMatchObject([
      {
        index: 0,
        key: 'c',
        column: 'name',
        code: 'too_long',
        message: expect.stringContaining('at most 1000 characters') as string,
      },
    ]);
    await tables.indexIs('lists', name, 'name', 'ready');
  });

  it('reports the error of PostgreSQL if an index cannot be built, and retries when it is requested again', async () => {
    const name = await tables.createTable('lists', COLUMNS);
    const [schema, table] = (await tables.physical('lists', name)).split('.') as [string, string];
    const conflicting = `${schema}.${table.replace('t_', 'i_')}_c2`;
    await database.query(`CREATE TABLE ${conflicting} ()`);
    await tables.edit('lists', name, indexOption('name'));
    expect((await tables.indexIs('lists', name, 'name', 'failed'))!.message).toContain('42P07');
    // Nothing was written since, so the build would fail again.
    const failed = await readFailedIndexes();
    expect(failed).toBeGreaterThan(0);
    const events = await listFailures(name);
    expect(events).toMatchObject([{ data: { columns: ['name'] } }]);
    expect(events[0].data.message).toContain('42P07');
    await database.query(`DROP TABLE ${conflicting}`);
    expect((await tables.edit('lists', name, indexOption('name'))).body.data).toMatchObject({
      revision: 2,
      columns: [{}, { index: { state: 'pending', message: null } }, {}],
    });
    await tables.indexIs('lists', name, 'name', 'ready');
  });

  it('reports a full disk, and builds the index without a write when there is space again', async () => {
    const name = await tables.createTable('lists', COLUMNS);
    const { id } = (await tables.get('lists', name)).body.data as { id: string };
    await database.query(`CREATE FUNCTION fill_disk() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`);
    await database.query(`CREATE EVENT TRIGGER fill_disk ON ddl_command_start WHEN TAG IN ('CREATE INDEX')
                          EXECUTE FUNCTION fill_disk()`);
    await tables.edit('lists', name, indexOption('name'));
    const failed = await tables.indexIs('lists', name, 'name', 'failed');
    expect(failed!.message).toBe('The disk of the database is full.');
    expect(await readFailedIndexes()).toBeGreaterThan(0);
    expect(await listFailures(name)).toMatchObject([{ data: { columns: ['name'], message: failed!.message } }]);
    const pause = `SELECT due_at - now() > interval '50 seconds' AS long FROM column_indexes WHERE table_id = $1`;
    expect(await database.query(pause, [id])).toEqual([{ long: true }]);
    await database.query('DROP EVENT TRIGGER fill_disk');
    await database.query('UPDATE column_indexes SET due_at = now() WHERE table_id = $1', [id]);
    await tables.indexIs('lists', name, 'name', 'ready');
    expect(await listFailures(name)).toHaveLength(1);
  });

  it('builds a failed index again when the table is written', async () => {
    const name = await tables.createTable('lists', COLUMNS);
    const [schema, table] = (await tables.physical('lists', name)).split('.') as [string, string];
    const conflicting = `${schema}.${table.replace('t_', 'i_')}_c2`;
    await database.query(`CREATE TABLE ${conflicting} ()`);
    await tables.edit('lists', name, indexOption('name'));
    await tables.indexIs('lists', name, 'name', 'failed');
    await database.query(`DROP TABLE ${conflicting}`);
    await tables.bulk('lists', { name, items: [{ key: 'a', name: 'A' }] });
    await tables.indexIs('lists', name, 'name', 'ready');
    expect(await indexesOf('lists', name)).toMatchObject([{ valid: true }]);
  });

  it('builds each index exactly once if two instances run', async () => {
    await database.query('CREATE TABLE built (name text)');
    await database.query(`CREATE FUNCTION built() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO public.built SELECT object_identity FROM pg_event_trigger_ddl_commands() WHERE command_tag = 'CREATE INDEX' AND object_identity LIKE '%.i\\_%'; END $$`);
    await database.query('CREATE EVENT TRIGGER built ON ddl_command_end EXECUTE FUNCTION built()');
    const indexed = manyRows(5, (at) => column(`N${at}`, 'number', { options: { indexed: true } }));
    const items = manyRows(100, (at) => ({ key: keyAt(at), n0: at }));
    const names = await Promise.all(manyRows(4, () => tables.createTable('lists', [text('Key'), ...indexed], items)));
    for (const name of names)
      for (const { name: key } of indexed) await tables.indexIs('lists', name, key.toLowerCase(), 'ready');
    await database.query('DROP EVENT TRIGGER built');
    const built = await database.query<{ name: string }>('SELECT name FROM built');
    for (const name of names) {
      const mine = (await indexesOf('lists', name)).map((index) => index.name);
      expect(mine).toHaveLength(5);
      for (const index of mine) expect(built.filter((each) => each.name.endsWith(`.${index}`))).toHaveLength(1);
    }
  });

  it('builds an index after older transactions without blocking writes to rows or edits of the table', async () => {
    const name = await tables.createTable('lists', COLUMNS, [{ key: 'a', weight: 1 }]);
    const release = await database.lock('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    try {
      await tables.edit('lists', name, indexOption('weight'));
      await tables.indexIs('lists', name, 'weight', 'building');
      await settled(
        () => indexesOf('lists', name),
        (indexes) => indexes.length === 1,
      );
      for (let round = 2; round <= 6; round++)
        expect((await tables.bulk('lists', { name, items: [{ key: 'a', weight: round }] })).status).toBe(200);
      expect((await tables.edit('lists', name, { columns: [{ name: 'More', type: 'text' }] })).status).toBe(200);
      expect((await tables.index('lists', name, 'weight'))!.state).not.toBe('ready');
    } finally {
      await release();
    }
    await tables.indexIs('lists', name, 'weight', 'ready');
    expect(await indexesOf('lists', name)).toMatchObject([{ valid: true }]);
  });

  it('rebuilds an index on another instance after the building instance was killed', async () => {
    const name = await tables.createTable('lists', COLUMNS, [{ key: 'a', weight: 1 }]);
    const killed = await TestService.start(database);
    const release = await database.lock('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    const build = `SELECT pid FROM pg_stat_activity
                    WHERE datname = current_database() AND state = 'active' AND query LIKE 'CREATE INDEX CONCURRENTLY%'`;
    try {
      services.forEach((service) => process.kill(service.pid, 'SIGSTOP'));
      const other = Tables.of(killed, me);
      const { id } = (await other.api.get(tables.pathOf('lists', name))).body.data as { id: string };
      await other.api.put(tables.pathOf('lists', name), indexOption('weight'));
      await settled(
        () => database.query<{ pid: number }>(build),
        (found) => found.length === 1,
      );
      await killed.stop('SIGKILL');
      // PostgreSQL does not notice that the instance was killed, so the statement is terminated too.
      await database.query(`SELECT pg_terminate_backend(pid) FROM (${build}) b`);
      await settled(
        () => database.query(build),
        (found) => found.length === 0,
      );
      services.forEach((service) => process.kill(service.pid, 'SIGCONT'));
      const [invalid] = await indexesOf('lists', name);
      expect(invalid!.valid).toBe(false);
      expect((await tables.index('lists', name, 'weight'))!.state).toBe('building');
      await release();
      await database.query('UPDATE column_indexes SET due_at = now() WHERE table_id = $1', [id]);
      await tables.indexIs('lists', name, 'weight', 'ready');
      const [rebuilt] = await indexesOf('lists', name);
      expect(rebuilt).toMatchObject({ name: invalid!.name, valid: true });
      expect(rebuilt!.oid).not.toBe(invalid!.oid);
    } finally {
      services.forEach((service) => process.kill(service.pid, 'SIGCONT'));
      await release().catch(() => undefined);
    }
  });

  it('stops an instance without waiting for its index build, which becomes pending again', async () => {
    const name = await tables.createTable('lists', COLUMNS, [{ key: 'a', weight: 1 }]);
    const stopping = await TestService.start(database);
    const release = await database.lock('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    try {
      services.forEach((service) => process.kill(service.pid, 'SIGSTOP'));
      await Tables.of(stopping, me).api.put(tables.pathOf('lists', name), indexOption('weight'));
      const state = () =>
        database.query<{ state: string; token: string | null }>(
          `SELECT state, token FROM column_indexes i
             JOIN workspace_tables t ON t.workspace_id = i.workspace_id AND t.id = i.table_id WHERE t.name = $1`,
          [name],
        );
      await settled(state, ([found]) => found?.state === 'building');
      await delay(300);
      expect(await stopping.stop()).toBe(0);
      expect(await state()).toEqual([{ state: 'pending', token: null }]);
    } finally {
      services.forEach((service) => process.kill(service.pid, 'SIGCONT'));
      await release();
    }
    await tables.indexIs('lists', name, 'weight', 'ready');
  });

  // The build may begin before, during or after the first attempt to change the table.
  it.each([1, 2, 3, 4, 5])('drops an index with its column, also while it is being built (run %i)', async () => {
    const name = await tables.createTable('lists', COLUMNS, [{ key: 'a', name: 'A' }]);
    await tables.edit('lists', name, { columns: [{ key: 'name', options: { indexed: true } }] });
    await tables.indexIs('lists', name, 'name', 'ready');
    const release = await database.lock('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    await tables.edit('lists', name, { columns: [{ key: 'weight', options: { indexed: true } }] });
    await tables.indexIs('lists', name, 'weight', 'building');
    try {
      for (const key of ['name', 'weight']) expect((await tables.dropColumn('lists', name, key)).status).toBe(200);
    } finally {
      await release();
    }
    expect(await indexesOf('lists', name)).toEqual([]);
  });
});
