import { lines, sendFile } from '../support/imports.js';
import { PGBOUNCER, PgBouncer } from '../support/pgbouncer.js';
import { TestDatabase, TestService } from '../support/service.js';
import { TableAdministration } from '../support/table-administration.js';
import { column, keyAt, manyRows, Tables, text, unique } from '../support/tables.js';

/** Connections of the service, and of the pooler to the server: requests of both workspaces share the latter. */
const CLIENTS = 16;
const SERVER_CONNECTIONS = 4;
const ROWS = 200;
/** Longer than a write of a row waits for the others of its table, also on a busy machine. */
const LOCK_TIMEOUT_MS = '4000';
const COLUMNS = [text('Key'), text('Name'), column('Weight', 'number')];

if (!PGBOUNCER) process.stderr.write('pgbouncer: skipped, because PgBouncer is not installed\n');

(PGBOUNCER ? describe : describe.skip)('behind PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let pooler: PgBouncer;
  let service: TestService;
  let workspaces: Tables[];

  beforeAll(async () => {
    database = await TestDatabase.create();
    pooler = await PgBouncer.start(database, SERVER_CONNECTIONS);
    service = await TestService.start(database, {
      DATABASE_URL: pooler.url,
      DATABASE_POOLER: 'transaction-unprepared',
      // PgBouncer 1.18 of Debian 12 does not support prepared statements.
      DATABASE_POOL_SIZE: String(CLIENTS),
      DATABASE_LOCK_TIMEOUT_MS: LOCK_TIMEOUT_MS,
    });
    const [one, other] = await Promise.all([service.provision(), service.provision()]);
    workspaces = [one, other].map((me) => Tables.of(service, me));
  });

  afterAll(async () => {
    await service?.stop();
    await pooler?.stop();
    await database?.drop();
    expect(service.output.join('')).not.toMatch(/internal_error|unhandled|Unexpected/i);
  });

  const rowsOf = (workspace: number) =>
    manyRows(ROWS, (at) => ({ key: keyAt(at), name: `of ${workspace}`, weight: at }));

  it('serves the interleaved requests of several workspaces, each with its own rows only', async () => {
    const name = unique('Pooled');
    await Promise.all(
      workspaces.map((tables, at) => tables.bulk('assets', { name, columns: COLUMNS, items: rowsOf(at) })),
    );
    const path = `assets/${encodeURIComponent(name)}`;
    const answers = await Promise.all(
      manyRows(30, (n) =>
        workspaces.map(async (tables, at) => {
          const own = `${tables.path}/${path}`;
          const changed = await tables.api.patch(`${own}/items/${keyAt(n)}`, { weight: -1 });
          const [row, page, note] = await Promise.all([
            tables.api.get(`${own}/items/${keyAt(n + 100)}`),
            tables.api.get(`${own}/items?limit=10`),
            tables.api.post(`/v2/api/workspaces/${tables.workspaceId}/notes`, { title: `of ${at}` }),
          ]);
          expect([changed, row, page, note].map(({ status }) => status)).toEqual([200, 200, 200, 201]);
          const names = [row.body.data.item, ...page.body.data.items].map((item) => item.name as string);
          return { at, names: new Set(names), title: note.body.data.title as string };
        }),
      ).flat(),
    );
    for (const { at, names, title } of answers) expect([[...names], title]).toEqual([[`of ${at}`], `of ${at}`]);
    const imported = await sendFile(workspaces[0]!, name, lines(rowsOf(7)), { surface: 'assets' });
    expect(imported).toMatchObject({ status: 200, body: { data: { totals: { updated: ROWS } } } });
    const [first, second] = await Promise.all(workspaces.map((tables) => tables.rows('assets', name)));
    expect(first).toEqual(rowsOf(7));
    expect(second!.slice(100)).toEqual(rowsOf(1).slice(100));
  });

  it('limits how long statements wait, in and outside transactions, and leaves no settings behind', async () => {
    const [tables] = workspaces as [Tables];
    const name = unique('Locked');
    await tables.bulk('assets', { name, columns: COLUMNS, items: [] });
    const unlock = await database.lock(`LOCK TABLE workspace_tables, projects`);
    try {
      const [written, listed] = await Promise.all([
        tables.bulk('assets', { name, items: rowsOf(0) }),
        tables.api.get('/v1/api/projects'),
      ]);
      expect([written.status, listed.status]).toEqual([503, 503]);
      expect(Number(listed.headers.get('Retry-After'))).toBeGreaterThan(0);
    } finally {
      await unlock();
    }
    expect((await tables.api.get('/v1/api/projects')).status).toBe(200);
    const settings = await Promise.all(
      manyRows(2 * SERVER_CONNECTIONS, () =>
        pooler.query<{ timeouts: string }>(
          `SELECT current_setting('lock_timeout') || ' ' || current_setting('statement_timeout') AS timeouts FROM pg_sleep(0.05)`,
        ),
      ),
    );
    expect(new Set(settings.flat().map(({ timeouts }) => timeouts))).toEqual(new Set(['0 0']));
  });

  it('answers failed statements as without a pooler, and commits before it responds', async () => {
    const [tables] = workspaces as [Tables];
    const { api } = tables;
    const notes = `/v2/api/workspaces/${tables.workspaceId}/notes`;
    const [first, second] = await Promise.all(['N-1', 'N-2'].map((externalId) => api.post(notes, { externalId })));
    const taken = await api.patch(`${notes}/${second!.body.data.id}`, { externalId: 'N-1' });
    expect(taken).toMatchObject({ status: 409, body: { error: 'external_id_taken' } });
    const stored = await database.query('SELECT id FROM notes WHERE external_id = $1', ['N-1']);
    expect(stored).toEqual([{ id: first!.body.data.id }]);
  });

  it('builds indexes in the background', async () => {
    const admin = TableAdministration.for(workspaces[0]!);
    const name = await admin.createTable('assets', [text('Key'), text('Name', { options: { indexed: true } })], []);
    await admin.indexIs('assets', name, 'name', 'ready');
  });
});
