import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiResponse } from '../support/api.js';
import { CITUS_URL } from '../support/citus.mjs';
import { base64, newPicture } from '../support/files.js';
import { lines, sendFile } from '../support/imports.js';
import { TestDatabase, TestService } from '../support/service.js';
import { keyAt, manyRows, Tables, text, unique } from '../support/tables.js';
import { Tunnel } from '../support/tunnel.js';
import { until } from '../support/until.js';

/** How soon requests are served after their worker is reachable again. */
const RECOVERY_MS = 5_000;
/** How soon jobs notice that a worker is unreachable. A failed job pauses for ten seconds. */
const JOBS_MS = 5_000;
/** Workspaces are assigned to workers in turn, their fixed rows by a hash of the ID. */
const MAX_WORKSPACES = 40;
const COLUMNS = [text('Key'), text('Name')];
const TABLE = unique('Assets');
const KEPT = unique('Kept');
const OTHER = unique('Other');
const ITEMS = manyRows(100, (at) => ({ key: keyAt(at), name: 'x' }));

if (!CITUS_URL) process.stderr.write('cluster: skipped, because CITUS_URL does not name a coordinator\n');

(CITUS_URL ? describe : describe.skip)('two instances on a cluster', () => {
  let database: TestDatabase;
  /** One per worker. */
  const tunnels: Tunnel[] = [];
  let services: TestService[] = [];
  /** For each tunnel a workspace whose tables and fixed rows are both on that worker, as callers of both instances. */
  let workspaces: Tables[][];

  beforeAll(async () => {
    database = await TestDatabase.createOnCluster(async (worker) => {
      const tunnel = await Tunnel.to(worker);
      tunnels.push(tunnel);
      return { host: '127.0.0.1', port: tunnel.port };
    });
    // The first instance migrates.
    const settings = { DATA_DIR: mkdtempSync(join(tmpdir(), 'atrium-cluster-')) };
    services = [await TestService.start(database, settings)];
    services.push(await TestService.start(database, settings));
    const found = new Map<number, Tables[]>();
    for (let attempt = 0; attempt < MAX_WORKSPACES && found.size < tunnels.length; attempt++) {
      const me = await services[0]!.provision();
      const tables = services.map((service) => Tables.of(service, me));
      const { status } = await tables[0]!.bulk('assets', { name: TABLE, columns: COLUMNS, items: ITEMS });
      expect(status).toBe(201);
      const [port, other] = [await portOfTables(me.workspaceId), await portOfFixedRows(me.workspaceId)];
      if (port === other && !found.has(port)) found.set(port, tables);
    }
    workspaces = tunnels.map(({ port }) => found.get(port)!);
  }, 120_000);

  afterAll(async () => {
    for (const service of services) {
      await service.stop();
      expect(service.output.join('')).not.toMatch(/internal_error|unhandled|uncaught/i);
    }
    for (const tunnel of tunnels) await tunnel.close().catch(() => undefined);
    await database?.drop();
  });

  const write = (tables: Tables, name: string) =>
    tables.bulk('assets', { name: TABLE, items: ITEMS.map(({ key }) => ({ key, name })) });
  const note = (tables: Tables) => tables.api.post(`/v2/api/workspaces/${tables.workspaceId}/notes`, { title: 'x' });
  const notes = (tables: Tables) => tables.api.get(`/v2/api/workspaces/${tables.workspaceId}/notes`);

  async function portOfTables(workspaceId: string): Promise<number> {
    const { workspaces: found } = await services[0]!.operator<{ workspaces: { id: string; node: string }[] }>(
      'cluster',
      'status',
    );
    return Number(found.find(({ id }) => id === workspaceId)!.node.split(':')[1]);
  }

  async function portOfFixedRows(workspaceId: string): Promise<number> {
    const [found] = await database.query<{ port: number }>(
      `SELECT nodeport AS port FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
        WHERE shardid = get_shard_id_for_distribution_column('notes', $1::uuid)`,
      [workspaceId],
    );
    return found!.port;
  }

  /**
   * Every kind of write that has statements of its own on a cluster.
   *
   * @returns the responses that were not successful.
   */
  async function writeAll(tables: Tables): Promise<unknown[]> {
    const { api, path } = tables;
    const few = (value: string) => [KEPT, OTHER].map((name) => ({ name, items: [{ key: 'a', name: value }] }));
    const rejected: unknown[] = [];
    const send = async (request: Promise<ApiResponse>) => {
      const response = await request;
      if (response.status >= 300) rejected.push([response.status, response.body]);
      return response;
    };
    const items = `${path}/assets/${encodeURIComponent(KEPT)}/items`;
    for (const value of ['x', 'y', 'x']) await send(tables.bulk('assets', few(value)));
    const rows = manyRows(200, (at) => ({ key: keyAt(at), name: 'x' }));
    await send(tables.bulk('assets', { name: KEPT, items: rows }));
    await send(tables.bulk('assets', { name: KEPT, items: rows.map(({ key }) => ({ key, name: 'y' })) }));
    await send(sendFile(tables, KEPT, lines(rows)));
    await send(api.put(`${items}/single`, { name: 'x' }));
    await send(api.patch(`${items}/single`, { name: 'y' }));
    const deleted = await send(api.post(`${items}/delete`, { keys: rows.map(({ key }) => key) }));
    await send(api.post(`${path}/batches/${deleted.body.data?.batchId}/undo`));
    const notesPath = `/v2/api/workspaces/${tables.workspaceId}/notes`;
    const asset = { asset: 'a', assetKey: KEPT };
    const created = await send(api.post(notesPath, { title: 'x', ...asset }));
    const noted = `${notesPath}/${created.body.data?.id}`;
    await send(api.post(`${noted}/messages`, { description: 'x' }));
    await send(api.patch(noted, { title: 'y' }));
    await send(api.post(`${items}/a/rename`, { key: unique('a') }));
    return rejected;
  }

  it('moves nothing, and reports why, if the workspace has no tables or the node does not exist', async () => {
    const { workspaceId } = await services[0]!.provision();
    const move = (id: string, port: number) => services[0]!.operator('cluster', 'move', id, `127.0.0.1:${port}`);
    await expect(move(workspaceId, tunnels[0]!.port)).rejects.toThrow('has no tables, so nothing was moved');
    await expect(move(workspaces[0]![0]!.workspaceId, 1)).rejects.toThrow('is not a worker of the cluster');
  });

  it('drops the temporary tables of concurrent imports on both instances without a deadlock', async () => {
    const importing = workspaces[0]!;
    const names = manyRows(8, () => unique('Imported'));
    const created = await importing[0]!.bulk(
      'assets',
      names.map((name) => ({ name, columns: COLUMNS, items: [] })),
    );
    expect(created.status).toBe(201);
    const before = await database.deadlocks();
    for (const name of ['x', 'y', 'z']) {
      const file = lines(ITEMS.map(({ key }) => ({ key, name })));
      const answers = await Promise.all(names.map((table, at) => sendFile(importing[at % 2]!, table, file)));
      expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    }
    const temporary = "SELECT relname FROM pg_class WHERE relpersistence = 'u' AND relname ~ '^import_'";
    await until(
      () => database.query(temporary),
      (found) => found.length === 0,
      10_000,
    );
    // PostgreSQL counts deadlocks within a second.
    await delay(1_500);
    expect(await database.deadlocks()).toBe(before);
  });

  it('without a worker, requests of its workspaces return 503, and reads and writes of others are served', async () => {
    const [lost, kept] = workspaces as [Tables[], Tables[]];
    // New tables need all servers.
    await kept[0]!.bulk(
      'assets',
      [KEPT, OTHER].map((name) => ({ name, columns: COLUMNS, items: [] })),
    );
    await tunnels[0]!.close();
    for (const at of [0, 1]) {
      const rejected = [lost[at]!.read('assets', TABLE), write(lost[at]!, 'lost'), note(lost[at]!)];
      for (const { status, body, headers } of await Promise.all([...rejected, notes(lost[at]!)])) {
        expect([status, body.error]).toEqual([503, 'database_unavailable']);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect(await kept[at]!.rows('assets', TABLE)).toEqual(ITEMS);
      expect((await notes(kept[at]!)).status).toBe(200);
      expect(await writeAll(kept[at]!)).toEqual([]);
      expect((await kept[at]!.api.get('/health/ready')).status).toBe(200);
    }
  });

  /** A note with an image gets a preview and a number in the event log. */
  async function expectJobs(callers: readonly Tables[]): Promise<void> {
    for (const { api, workspaceId } of callers) {
      const path = `/v2/api/workspaces/${workspaceId}`;
      const { latestSequence } = (await api.get(`${path}/events`)).body.data as { latestSequence: number };
      const content = newPicture();
      const created = await api.post(`${path}/notes`, { title: 'x', files: [base64('picture.png', content)] });
      expect(created.status).toBe(201);
      const { id } = created.body.data as { id: string };
      const find = async () => (await api.get(`${path}/notes/${id}`)).body.data.files[0].thumbnailUrl as string | null;
      await until(find, (url) => url !== null, JOBS_MS);
      const page = `${path}/events?after=${latestSequence}&types=note.created`;
      const isNumbered = async () => JSON.stringify((await api.get(page)).body.data.events).includes(id);
      await until(isNumbered, Boolean, JOBS_MS);
    }
  }

  it('without a worker, background jobs process the work of other workspaces', async () => {
    await expectJobs(workspaces[1]!);
  });

  it('without a worker, creates tables of other workspaces if an operator ends the synchronization of its metadata', async () => {
    const [tables] = workspaces[1] as [Tables];
    const create = () => tables.bulk('assets', { name: unique('New'), columns: COLUMNS, items: ITEMS });
    expect((await create()).status).toBe(503);
    await database.query("SELECT stop_metadata_sync_to_node('127.0.0.1', $1, false)", [tunnels[0]!.port]);
    await until(create, ({ status }) => status === 201, RECOVERY_MS);
    // The node cannot learn of tables that imports could not drop meanwhile (docs/how-to/operating.md).
    const left = await database.query<{ drop: string }>(
      `SELECT 'DROP TABLE ' || oid::regclass AS drop FROM pg_class
        WHERE relnamespace::regnamespace::text LIKE 'ws_%' AND relkind = 'r' AND relpersistence = 'u'`,
    );
    expect(left.length).toBeGreaterThan(0);
    for (const { drop } of left) await database.query(drop);
  });

  it('serves all within five seconds after the worker has returned, without the rejected writes', async () => {
    await tunnels[0]!.open();
    await database.query("SELECT start_metadata_sync_to_node('127.0.0.1', $1)", [tunnels[0]!.port]);
    const isServed = () => Promise.all(workspaces.flat().map((tables) => tables.read('assets', TABLE)));
    await until(isServed, (answers) => answers.every(({ status }) => status === 200), RECOVERY_MS);
    for (const [tables] of workspaces) {
      expect(await tables!.rows('assets', TABLE)).toEqual(ITEMS);
    }
    expect((await notes(workspaces[0]![0]!)).body.data.items).toEqual([]);
    for (const tables of workspaces.flat()) {
      expect((await write(tables, 'again')).status).toBe(200);
      expect((await note(tables)).status).toBe(201);
    }
    await expectJobs(workspaces[0]!);
  });

  it('serves reads and writes while the tables of their workspace are moved', async () => {
    const [moved] = workspaces as [Tables[]];
    const { workspaceId } = moved[0]!;
    const revision = await moved[0]!.revision('assets', TABLE);
    let isMoving = true;
    let round = 0;
    const statuses = new Set<number>();
    const requests = moved.map(async (tables) => {
      while (isMoving)
        for (const { status } of [await write(tables, `round ${++round}`), await tables.read('assets', TABLE)])
          statuses.add(status);
    });
    for (const { port } of [tunnels[1]!, tunnels[0]!]) {
      await services[0]!.operator('cluster', 'move', workspaceId, `127.0.0.1:${port}`);
      expect(await portOfTables(workspaceId)).toBe(port);
    }
    isMoving = false;
    await Promise.all(requests);
    expect([...statuses]).toEqual([200]);
    const last = await moved[0]!.rows('assets', TABLE);
    expect(last.map(({ key }) => key)).toEqual(ITEMS.map(({ key }) => key));
    expect(new Set(last.map(({ name }) => name)).size).toBe(1);
    expect(await moved[0]!.revision('assets', TABLE)).toBe(round + revision);
  }, 120_000);
});
