import { sendFile } from '../support/imports.js';
import { TestDatabase, TestService } from '../support/service.js';
import { TableAdministration } from '../support/table-administration.js';
import { column, manyRows, Tables, text } from '../support/tables.js';
import { until } from '../support/until.js';

/** More than are read one by one before their keys are listed. */
const TABLES = 40;

const nameAt = (at: number) => `Site ${String(at).padStart(3, '0')}`;
const COLUMNS = [text('Key', { primaryKey: true }), text('Name')];

describe('references to rows of many location tables', () => {
  let database: TestDatabase;
  let service: TestService;
  let tables: Tables;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database);
    tables = Tables.of(service, await service.provision());
    const locations = manyRows(TABLES, (at) => ({
      name: nameAt(at),
      columns: COLUMNS,
      items: [{ key: `L${at}`, name: `Hall ${at}` }, { key: 'shared' }],
    }));
    await tables.bulk('locations', locations);
    await tables.bulk('assets', {
      name: 'Pumps',
      columns: [text('Key', { primaryKey: true }), column('Location', 'reference')],
      items: [...manyRows(TABLES, (at) => ({ key: `P${at}`, location: `L${at}` })), { key: 'late', location: 'later' }],
    });
    await listed();
  }, 60_000);

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  /** Until the keys of so many tables are listed. The others are few, so a reader reads them itself. */
  async function listed(least = TABLES): Promise<void> {
    const count = async () => {
      await unresolved();
      const [row] = await database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM workspace_tables t
           JOIN row_key_positions p ON p.table_id = t.id AND p.revision = t.revision AND p.key IS NULL`,
      );
      return row!.count;
    };
    await until(count, (found) => found >= least);
  }

  async function unresolved(): Promise<unknown[]> {
    // While many tables are dropped, a busy instance may reject the request.
    for (;;) {
      const { status, body } = await tables.api.get(`${tables.path}/assets/Pumps/unresolved`);
      if (status !== 503) return body.data.items as unknown[];
    }
  }

  const pathOf = (at: number) => `${tables.path}/locations/${encodeURIComponent(nameAt(at))}`;
  const pump = (at: number, location: string | null = `L${at}`) => ({
    key: `P${at}`,
    column: 'location',
    value: location,
  });
  const LATE = { key: 'late', column: 'location', value: 'later' };
  const note = (fields: Record<string, string>) =>
    tables.api.post(`/v2/api/workspaces/${tables.workspaceId}/notes`, { title: 'Leak', ...fields });

  it('each way of writing changes what is unresolved at once', async () => {
    expect(await unresolved()).toEqual([LATE]);
    await tables.api.delete(`${pathOf(1)}/items/L1`);
    expect(await unresolved()).toEqual([pump(1), LATE]);
    await tables.api.post(`${pathOf(2)}/items/L2/rename`, { key: 'renamed' });
    expect(await unresolved()).toEqual([pump(1), LATE]);
    await tables.api.put(`${pathOf(1)}/items/later`, { name: 'Hall' });
    expect(await unresolved()).toEqual([pump(1)]);
    const deleted = await tables.api.post(`${pathOf(3)}/items/delete`, { keys: ['L3'] });
    expect(await unresolved()).toEqual([pump(1), pump(3)]);
    await tables.api.post(`${tables.path}/batches/${deleted.body.data.batchId}/undo`);
    expect(await unresolved()).toEqual([pump(1)]);
    const put = await tables.api.put(`${tables.path}/assets/Pumps/items/P1`, { location: 'nowhere' });
    expect(put.body.data.unresolved).toEqual([{ column: 'location', value: 'nowhere' }]);
    const patched = await tables.api.patch(`${tables.path}/assets/Pumps/items/P1`, { location: 'L5' });
    expect(patched.body.data.unresolved).toEqual([]);
    const bulk = await tables.bulk('assets', {
      name: 'Pumps',
      items: [
        { key: 'P1', location: 'L1' },
        { key: 'P2', location: 'renamed' },
      ],
    });
    expect(bulk.body.data.tables[0].unresolved).toMatchObject({ total: 1, first: [{ index: 0, value: 'L1' }] });
    await tables.bulk('locations', { name: nameAt(1), items: [{ key: 'L1', name: 'Hall 1' }] });
    expect(await unresolved()).toEqual([]);
  });

  it('and after the keys of the changed rows were listed, nothing differs', async () => {
    const changes = manyRows(TABLES, (at) => ({ name: nameAt(at), items: [{ key: `L${at}`, name: `Room ${at}` }] }));
    await tables.bulk('locations', changes);
    await tables.api.delete(`${pathOf(6)}/items/L6`);
    await tables.api.post(`${pathOf(7)}/items/L7/rename`, { key: 'seven' });
    // A key that is looked up by one of these requests may have caused the listing before the next one.
    await listed(TABLES - 2);
    expect(await unresolved()).toEqual([pump(6)]);
    // The others show keys, as tables without the option do.
    for (const at of [0, 7]) await TableAdministration.for(tables).setTitle('locations', nameAt(at));
    const page = await tables.read('assets', 'Pumps', { expand: 'location', limit: 500 });
    expect(page.body.data.expanded.location).toMatchObject({
      L0: { table: nameAt(0), title: 'Room 0' },
      [`L${TABLES - 1}`]: { table: nameAt(TABLES - 1), title: `L${TABLES - 1}` },
      seven: { table: nameAt(7), title: 'Room 7' },
    });
    expect(page.body.data.expanded.location).not.toHaveProperty('L6');
    const { body } = await tables.api.get(`${tables.path}/assets/Pumps`);
    expect(body.data.name).toBe('Pumps');
  });

  it('notes find the one row with the key, reject keys of several tables, and do not find deleted rows', async () => {
    expect((await note({ location: 'L9' })).body.data.location).toMatchObject({ table: nameAt(9), key: 'L9' });
    const ambiguous = await note({ location: 'shared' });
    expect(ambiguous).toMatchObject({ status: 409, body: { error: 'ambiguous_row' } });
    expect(ambiguous.body.message).toContain(`"${nameAt(9)}" and ${TABLES - 10} others. Send`);
    expect((await note({ location: 'L6' })).status).toBe(422);
  });

  it('a dropped table leaves its references unresolved', async () => {
    const dropped = await tables.api.delete(`${pathOf(10)}?confirm=${encodeURIComponent(nameAt(10))}`);
    expect(dropped.status).toBe(200);
    expect(await unresolved()).toEqual([pump(10), pump(6)]);
    const keys = await database.query(`SELECT 1 FROM row_keys WHERE key = 'L10'`);
    expect(keys).toEqual([]);
  });

  it('a rename does not change references that a row of another table serves', async () => {
    await tables.bulk('assets', { name: 'Pumps', items: [{ key: 'both', location: 'shared' }] });
    const renamed = await tables.api.post(`${pathOf(11)}/items/shared/rename`, { key: 'own' });
    expect(renamed.body.data.changed).toMatchObject({ references: 0, ambiguous: 1 });
  });

  it('tables that are dropped while their keys are listed leave no keys', async () => {
    for (let round = 0; round < 5; round++) {
      const names = manyRows(TABLES, (at) => `Round ${round} ${at}`);
      const locations = names.map((name) => ({
        name,
        columns: COLUMNS,
        items: manyRows(500, (at) => ({ key: `R${at}` })),
      }));
      expect((await tables.bulk('locations', locations)).status).toBe(201);
      const dropping = names.map(async (name) => {
        const path = `${tables.path}/locations/${encodeURIComponent(name)}?confirm=${encodeURIComponent(name)}`;
        for (;;) if ((await tables.api.delete(path)).status !== 503) return;
      });
      await Promise.all([unresolved(), ...dropping, unresolved()]);
      await tables.bulk('assets', { name: 'Pumps', items: [{ key: 'P0', location: 'R0' }] });
      expect(await unresolved()).toContainEqual(pump(0, 'R0'));
    }
    expect(await database.query(`SELECT 1 FROM row_keys WHERE key LIKE 'R%'`)).toEqual([]);
  });

  it('keys of a table with more rows than one transaction lists are found', async () => {
    const COUNT = 45_000;
    const file = manyRows(COUNT, (at) => `{"key":"M${at}"}\n`).join('');
    expect((await sendFile(tables, nameAt(20), file, { surface: 'locations' })).status).toBe(200);
    // One table was dropped.
    const changes = manyRows(TABLES, (at) => ({ name: nameAt(at), items: [{ key: `L${at}`, name: 'Again' }] }));
    const changed = await tables.bulk('locations', changes.toSpliced(10, 1));
    expect(changed.status).toBe(200);
    await listed(TABLES - 1);
    const [count] = await database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM row_keys WHERE key LIKE 'M%'`,
    );
    expect(count).toEqual({ count: COUNT });
  });
});
