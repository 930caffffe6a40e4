import { ACTIVITY } from '../support/database.js';
import { lines, NDJSON } from '../support/imports.js';
import { TestDatabase, TestService } from '../support/service.js';
import { TableAdministration } from '../support/table-administration.js';
import { column, manyRows, Tables, text } from '../support/tables.js';
import { until } from '../support/until.js';

/** The limit of a workspace. */
const TABLES = 100;

const nameAt = (at: number) => `Site ${String(at).padStart(3, '0')}`;
const COLUMNS = [text('Key', { primaryKey: true }), text('Name')];

describe('the location tables of a workspace', () => {
  let database: TestDatabase;
  let service: TestService;
  let tables: Tables;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database);
    tables = Tables.of(service, await service.provision());
    for (const [from, to] of [
      [0, 50],
      [50, TABLES - 3],
    ] as const)
      expect(
        (
          await tables.bulk(
            'locations',
            manyRows(to - from, (at) => site(from + at)),
          )
        ).status,
      ).toBe(201);
    await tables.bulk('assets', [
      {
        name: 'Pumps',
        columns: [text('Key', { primaryKey: true }), column('Location', 'reference')],
        items: [
          ...manyRows(TABLES, (at) => ({ key: `P${at}`, location: `L${at}` })),
          { key: 'late', location: 'later' },
        ],
      },
    ]);
  }, 60_000);

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const site = (at: number) => ({
    name: nameAt(at),
    columns: COLUMNS,
    items: [{ key: `L${at}`, name: `Hall ${at}` }, { key: 'shared' }],
  });

  const drop = (at: number) => tables.api.delete(`${pathOf(at)}?confirm=${encodeURIComponent(nameAt(at))}`);

  async function countTables(): Promise<number> {
    const { body } = await tables.api.get(`${tables.path}/locations?limit=500`);
    return (body.data.items as unknown[]).length;
  }

  async function unresolved(): Promise<unknown[]> {
    const { body } = await tables.api.get(`${tables.path}/assets/Pumps/unresolved`);
    return body.data.items as unknown[];
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

  it('are at most 100, also if several requests create one at a time', async () => {
    const release = await database.lock('LOCK TABLE workspace_columns IN SHARE MODE');
    const answers: number[] = [];
    const created = manyRows(8, (at) => TABLES - 3 + at).map(async (at) => {
      const { status } = await tables.bulk('locations', site(at));
      answers.push(status);
      return { at, status };
    });
    const waiting = () =>
      database.query(
        `SELECT 1 FROM ${ACTIVITY} WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%workspace_columns%'`,
      );
    await until(async () => (await waiting()).length + answers.length === created.length);
    await release();
    for (const { at, status } of await Promise.all(created)) {
      expect([201, 413]).toContain(status);
      if (status === 201) expect((await drop(at)).status).toBe(200);
    }
    expect(answers.filter((status) => status === 201).length).toBeLessThanOrEqual(3);
    for (const at of [TABLES - 3, TABLES - 2, TABLES - 1])
      expect((await tables.bulk('locations', site(at))).status).toBe(201);
    expect(await countTables()).toBe(TABLES);
  });

  it('none is created beyond, by no request', async () => {
    const input = { ...site(TABLES), type: 'location' };
    const part = (name: string, type: string, body: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
    const columns = part('columns', 'application/json', JSON.stringify({ 'locations/Import': COLUMNS }));
    const form = {
      method: 'POST',
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
      body: `${columns}${part('locations/Import', NDJSON, lines(input.items))}--b--\r\n`,
    };
    const answers = [
      await tables.bulk('locations', [{ name: nameAt(0), items: [{ key: 'lost' }] }, site(TABLES)]),
      await tables.bulk('locations', site(TABLES), { dryRun: 'true' }),
      await tables.bulkAll([input]),
      await tables.api.send(`${tables.path}/import`, form),
      await tables.api.post('/v1/api/notes/erp/webhook', { functionalLocations: [{ TPLNR: '0001', PLTXT: 'Works' }] }),
    ];
    for (const answer of answers)
      expect(answer).toMatchObject({
        status: 413,
        body: { error: 'too_many_tables', details: { limit: TABLES, actual: TABLES + 1 } },
      });
    expect(await countTables()).toBe(TABLES);
    expect((await tables.api.get(`${pathOf(0)}/items/lost`)).status).toBe(404);
    // Other names, and tables of other entities, remain possible.
    const rename = async (from: string, to: string) => {
      const path = `${tables.path}/locations/${encodeURIComponent(from)}?confirm=${encodeURIComponent(from)}`;
      expect((await tables.api.put(path, { name: to })).status).toBe(200);
    };
    await rename(nameAt(1), 'Renamed');
    await rename('Renamed', nameAt(1));
    expect((await tables.bulk('lists', { name: 'Units', columns: COLUMNS, items: [] })).status).toBe(201);
  });

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

  it('pages show the titles of rows of all of them', async () => {
    await tables.bulk('locations', { name: nameAt(0), items: [{ key: 'L0', name: 'Room 0' }] });
    await tables.api.delete(`${pathOf(6)}/items/L6`);
    await tables.api.post(`${pathOf(7)}/items/L7/rename`, { key: 'seven' });
    expect(await unresolved()).toEqual([pump(6)]);
    // The others show keys, as tables without the option do.
    for (const at of [0, 7]) await TableAdministration.for(tables).setTitle('locations', nameAt(at));
    const page = await tables.read('assets', 'Pumps', { expand: 'location', limit: 500 });
    expect(page.body.data.expanded.location).toMatchObject({
      L0: { table: nameAt(0), title: 'Room 0' },
      [`L${TABLES - 1}`]: { table: nameAt(TABLES - 1), title: `L${TABLES - 1}` },
      seven: { table: nameAt(7), title: 'Hall 7' },
    });
    expect(page.body.data.expanded.location).not.toHaveProperty('L6');
  });

  it('notes find the one row with the key, reject keys of several tables, and do not find deleted rows', async () => {
    expect((await note({ location: 'L99' })).body.data.location).toMatchObject({ table: nameAt(99), key: 'L99' });
    const ambiguous = await note({ location: 'shared' });
    expect(ambiguous).toMatchObject({ status: 409, body: { error: 'ambiguous_row' } });
    expect(ambiguous.body.message).toContain(`"${nameAt(9)}" and ${TABLES - 10} others. Send`);
    expect((await note({ location: 'L6' })).status).toBe(422);
  });

  it('a dropped table leaves its references unresolved', async () => {
    expect((await drop(10)).status).toBe(200);
    expect(await unresolved()).toEqual([pump(10), pump(6)]);
  });

  it('a rename does not change references that a row of another table serves', async () => {
    await tables.bulk('assets', { name: 'Pumps', items: [{ key: 'both', location: 'shared' }] });
    const renamed = await tables.api.post(`${pathOf(11)}/items/shared/rename`, { key: 'own' });
    expect(renamed.body.data.changed).toMatchObject({ references: 0, ambiguous: 1 });
  });

  it('remain if a workspace has more of them since before the limit; none can be added', async () => {
    const lists = manyRows(3, (at) => ({ ...site(200 + at), items: [{ key: `L${200 + at}` }] }));
    expect((await tables.bulk('lists', lists)).status).toBe(201);
    const names = lists.map(({ name }) => name);
    await database.query(`UPDATE workspace_tables SET entity = 'location' WHERE name = ANY ($1)`, [names]);
    const total = await countTables();
    expect(total).toBeGreaterThan(TABLES);
    const rejected = {
      status: 413,
      body: { error: 'too_many_tables', details: { limit: TABLES, actual: total + 1 } },
    };
    expect(await tables.bulk('locations', site(300))).toMatchObject(rejected);
    expect((await tables.bulk('locations', { name: nameAt(200), items: [{ key: 'new' }] })).status).toBe(200);
    expect((await tables.api.put(`${pathOf(201)}/items/new`, { name: 'Hall' })).status).toBe(201);
    expect((await note({ location: 'L202' })).body.data.location).toMatchObject({ table: nameAt(202), key: 'L202' });
    expect(await countTables()).toBe(total);
    // Still more than the limit without one of them.
    expect((await drop(200)).status).toBe(200);
    expect((await tables.bulk('locations', site(300))).status).toBe(413);
  });
});
