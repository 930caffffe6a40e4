import { setTimeout as delay } from 'node:timers/promises';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { COLUMNS, faultsOf, settled, TableAdministration } from '../support/table-administration.js';
import { column, keyAt, manyRows, Tables, type Surface, text, unique } from '../support/tables.js';

let database: TestDatabase;
/** Two instances of the service on one database. */
let services: TestService[] = [];
let me: Credentials;
let tables: TableAdministration;

beforeAll(async () => {
  database = await TestDatabase.create();
  services = await Promise.all([TestService.start(database), TestService.start(database)]);
  me = await services[0]!.provision();
  tables = TableAdministration.for(Tables.of(services[0]!, me));
}, 60_000);

afterAll(async () => {
  for (const service of services)
    expect(service.output.join('')).not.toMatch(/internal_error|40P01|Unhandled|uncaught/i);
  await Promise.all(services.map((service) => service.stop()));
  await database.drop();
});

/** The indexes of the physical table that somebody wanted. */
const indexesOf = async (surface: Surface, table: string) =>
  database.query<{ name: string; definition: string; valid: boolean; oid: number }>(
    `SELECT c.relname AS name, pg_get_indexdef(c.oid) AS definition, i.indisvalid AS valid, c.oid::int
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indrelid = $1::regclass AND c.relname LIKE 'i\\_%' ORDER BY c.relname`,
    [await tables.physical(surface, table)],
  );

describe('an index', () => {
  const wanted = (key: string, indexed: boolean | null = true) => ({ columns: [{ key, options: { indexed } }] });

  it('is built in the background for columns that ask for it, by bulk or by an edit', async () => {
    const columns = [
      text('Key', { options: { indexed: true } }),
      text('Name', { options: { indexed: true } }),
      column('Weight', 'number', { options: { indexed: true } }),
      column('Since', 'date'),
      column('Done', 'checkbox'),
      column('Parent', 'hierarchyParent', { options: { indexed: true } }),
    ];
    const name = await tables.given('locations', columns, [{ key: 'a', name: 'A', weight: 1 }]);
    const answer = await tables.edit('locations', name, {
      columns: [...wanted('since').columns, ...wanted('done').columns],
    });
    expect(answer.body.data.columns[3].index).toEqual({ state: 'pending', message: null });
    expect(answer.body.data.revision).toBe(2);
    for (const key of ['name', 'weight', 'since', 'done']) await tables.indexIs('locations', name, key, 'ready');
    const { key, parent } = await tables.columns('locations', name);
    expect([key!.index, parent!.index]).toEqual([
      { state: 'ready', message: null },
      { state: 'ready', message: null },
    ]);
    const definitions = (await indexesOf('locations', name)).map(({ definition }) => /\((.*)\)$/.exec(definition)![1]);
    expect(definitions).toEqual(['"left"(c2, 256), c1', 'c3, c1', 'c4, c1', 'c5, c1']);
    // Neither the state nor asking again is a change.
    expect((await tables.edit('locations', name, wanted('name'))).body.data.revision).toBe(2);
    expect((await tables.index('locations', name, 'name'))?.state).toBe('ready');
  });

  it('goes where it is wanted no more, and comes back where it is again', async () => {
    const name = await tables.given('lists', COLUMNS, [{ key: 'a', name: 'A' }]);
    await tables.edit('lists', name, wanted('name'));
    await tables.indexIs('lists', name, 'name', 'ready');
    const withdrawn = await tables.edit('lists', name, wanted('name', false));
    expect(withdrawn.body.data.columns[1]).toMatchObject({ options: { indexed: false }, index: null });
    await settled(
      () => indexesOf('lists', name),
      (indexes) => indexes.length === 0,
    );
    for (let time = 0; time < 5; time++)
      for (const indexed of [true, null]) await tables.edit('lists', name, wanted('name', indexed));
    await tables.edit('lists', name, wanted('name'));
    await tables.indexIs('lists', name, 'name', 'ready');
    expect(await indexesOf('lists', name)).toMatchObject([{ valid: true }]);
  });

  it('is had by 10 columns of a table at most, keys and links apart', async () => {
    const many = manyRows(11, (at) => column(`N${at}`, 'number', { options: { indexed: true } }));
    const links = [column('Parent', 'hierarchyParent', { options: { indexed: true } }), text('Key')];
    const refused = await tables.bulk('lists', { name: unique('Many'), columns: [...links, ...many], items: [] });
    expect(refused.status).toBe(422);
    const fault = { column: 'n10', code: 'too_many_indexes', message: expect.stringContaining('at most 10') as string };
    expect(faultsOf(refused)).toMatchObject([fault]);
    const name = await tables.given('lists', [...links, ...many.slice(0, 10), column('N10', 'number')]);
    expect(faultsOf(await tables.edit('lists', name, wanted('n10')))).toMatchObject([fault]);
    expect(
      (await tables.edit('lists', name, { columns: [...wanted('n0', false).columns, ...wanted('n10').columns] }))
        .status,
    ).toBe(200);
  });

  it('takes texts of at most 1,000 characters, and says how many rows have longer ones', async () => {
    const fits = '😀'.repeat(1000);
    const name = await tables.given('lists', COLUMNS, [
      { key: 'a', name: `${fits}x` },
      { key: 'b', name: fits },
    ]);
    const refused = await tables.edit('lists', name, wanted('name'));
    expect(refused.status).toBe(422);
    expect(faultsOf(refused)).toMatchObject([
      { column: 'name', code: 'too_long', message: expect.stringMatching(/1 row has a text of more than 1000/) as string },
    ]);
    await tables.bulk('lists', { name, items: [{ key: 'a', name: null }] });
    expect((await tables.edit('lists', name, wanted('name'))).status).toBe(200);
    const long = await tables.bulk('lists', {
      name,
      items: [
        { key: 'c', name: `${fits}x` },
        { key: 'd', name: fits },
      ],
    });
    expect(long.status).toBe(422);
    expect(faultsOf(long)).toMatchObject([
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

  it('that PostgreSQL refuses says why, and is tried again when it is asked for', async () => {
    const name = await tables.given('lists', COLUMNS);
    const [schema, table] = (await tables.physical('lists', name)).split('.') as [string, string];
    const inTheWay = `${schema}.${table.replace('t_', 'i_')}_c2`;
    await database.query(`CREATE TABLE ${inTheWay} ()`);
    await tables.edit('lists', name, wanted('name'));
    expect((await tables.indexIs('lists', name, 'name', 'failed'))!.message).toContain('42P07');
    await database.query(`DROP TABLE ${inTheWay}`);
    expect((await tables.edit('lists', name, wanted('name'))).body.data).toMatchObject({
      revision: 2,
      columns: [{}, { index: { state: 'pending', message: null } }, {}],
    });
    await tables.indexIs('lists', name, 'name', 'ready');
  });

  it('is built once, by whichever of two instances', async () => {
    await database.query('CREATE TABLE built (name text)');
    await database.query(`CREATE FUNCTION built() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO public.built SELECT object_identity FROM pg_event_trigger_ddl_commands() WHERE command_tag = 'CREATE INDEX' AND object_identity LIKE '%.i\\_%'; END $$`);
    await database.query('CREATE EVENT TRIGGER built ON ddl_command_end EXECUTE FUNCTION built()');
    const indexed = manyRows(5, (at) => column(`N${at}`, 'number', { options: { indexed: true } }));
    const items = manyRows(100, (at) => ({ key: keyAt(at), n0: at }));
    const names = await Promise.all(manyRows(4, () => tables.given('lists', [text('Key'), ...indexed], items)));
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

  it('waits for older transactions, and neither rows nor changes of the table wait for it', async () => {
    const name = await tables.given('lists', COLUMNS, [{ key: 'a', weight: 1 }]);
    const release = await database.lock('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    try {
      await tables.edit('lists', name, wanted('weight'));
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

  it('whose builder dies is built anew, and one whose builder is stopped by another', async () => {
    const name = await tables.given('lists', COLUMNS, [{ key: 'a', weight: 1 }]);
    const doomed = await TestService.start(database);
    const release = await database.lock('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    const build = `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'CREATE INDEX CONCURRENTLY%'`;
    try {
      services.forEach((service) => process.kill(service.pid, 'SIGSTOP'));
      const other = Tables.of(doomed, me);
      const { id } = (await other.api.get(tables.pathOf('lists', name))).body.data as { id: string };
      await other.api.put(tables.pathOf('lists', name), wanted('weight'));
      await settled(
        () => database.query<{ pid: number }>(build),
        (found) => found.length === 1,
      );
      await doomed.stop('SIGKILL');
      // PostgreSQL does not notice that the instance is gone; now the statement goes too.
      await database.query(`SELECT pg_terminate_backend(pid) FROM (${build}) b`);
      await settled(
        () => database.query(build),
        (found) => found.length === 0,
      );
      services.forEach((service) => process.kill(service.pid, 'SIGCONT'));
      const [left] = await indexesOf('lists', name);
      expect(left!.valid).toBe(false);
      expect((await tables.index('lists', name, 'weight'))!.state).toBe('building');
      await release();
      await database.query('UPDATE column_indexes SET due_at = now() WHERE table_id = $1', [id]);
      await tables.indexIs('lists', name, 'weight', 'ready');
      const [anew] = await indexesOf('lists', name);
      expect(anew).toMatchObject({ name: left!.name, valid: true });
      expect(anew!.oid).not.toBe(left!.oid);
    } finally {
      services.forEach((service) => process.kill(service.pid, 'SIGCONT'));
      await release().catch(() => undefined);
    }
  });

  it('is let go by an instance that stops, which does not wait for it', async () => {
    const name = await tables.given('lists', COLUMNS, [{ key: 'a', weight: 1 }]);
    const leaving = await TestService.start(database);
    const release = await database.lock('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    try {
      services.forEach((service) => process.kill(service.pid, 'SIGSTOP'));
      await Tables.of(leaving, me).api.put(tables.pathOf('lists', name), wanted('weight'));
      const state = () =>
        database.query<{ state: string; token: string | null }>(
          `SELECT state, token FROM column_indexes i JOIN workspace_tables t ON t.id = i.table_id WHERE t.name = $1`,
          [name],
        );
      await settled(state, ([found]) => found?.state === 'building');
      await delay(300);
      expect(await leaving.stop()).toBe(0);
      expect(await state()).toEqual([{ state: 'pending', token: null }]);
    } finally {
      services.forEach((service) => process.kill(service.pid, 'SIGCONT'));
      await release();
    }
    await tables.indexIs('lists', name, 'weight', 'ready');
  });

  it('goes with its column, also while it is being built', async () => {
    const name = await tables.given('lists', COLUMNS, [{ key: 'a', name: 'A' }]);
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
