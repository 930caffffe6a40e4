import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../support/api.js';
import { base64 } from '../support/files.js';
import type { Database } from '../support/database.js';
import { type SharedService, shareServices } from '../support/shared-services.js';
import { manyRows } from '../support/tables.js';
import { until } from '../support/until.js';

interface LoggedEvent {
  id: string;
  type: string;
  sequence: number;
  workspaceId: string;
  timestamp: string;
  actor: { userId: string | null; source: string };
  data: any;
}

interface EventList {
  events: LoggedEvent[];
  latestSequence: number;
  hasMore: boolean;
  nextCursor: number;
}

const COLUMNS = [
  { name: 'Key', type: 'text' },
  { name: 'Name', type: 'text' },
];

describe('the event log of a workspace', () => {
  let services: SharedService[];
  let database: Database;
  let api: Api;
  let path: string;
  let userId: string;

  beforeAll(async () => {
    ({ services, database } = await shareServices(2));
  });

  beforeEach(async () => {
    const me = await services[0]!.provision();
    api = new Api(services[0]!.baseUrl).withKey(me.apiKey);
    path = `/v2/api/workspaces/${me.workspaceId}`;
    userId = me.userId;
  });

  async function read(query = ''): Promise<EventList> {
    const { status, body } = await api.get(`${path}/events${query}`);
    expect(status).toBe(200);
    return body.data as EventList;
  }

  const push = (items: object[], name = 'Pumps') =>
    api.post(`${path}/cw/assets/bulk`, { assets: [{ name, columns: COLUMNS, items }] });

  it('begins with the first member', async () => {
    const { events, ...rest } = await read();
    expect(rest).toEqual({ latestSequence: 1, hasMore: false, nextCursor: 1 });
    expect(events).toMatchObject([{ sequence: 1, type: 'member.joined', actor: { userId: null }, data: { userId } }]);
  });

  it('contains one event for the table and one for the rows of a bulk request that creates a table', async () => {
    const { body } = await push([{ key: 'a' }, { key: 'b' }]);
    const { id, name, revision } = body.data.tables[0];
    const { events, ...rest } = await read('?after=1');
    const table = { id, entity: 'asset', name };
    expect(rest).toEqual({ latestSequence: 3, hasMore: false, nextCursor: 3 });
    expect(events).toMatchObject([
      { sequence: 2, type: 'table.created', data: { table: { ...table, revision } } },
      {
        sequence: 3,
        type: 'table.rows_changed',
        actor: { userId, source: 'api' },
        data: { table, fromRevision: 0, toRevision: revision, counts: { created: 2, updated: 0, deleted: 0 } },
      },
    ]);
    const { data } = (await api.get(`${path}/cw/assets/${name}/changes?since=${events[1]!.data.fromRevision}`)).body;
    expect(data.items.map(({ key }: { key: string }) => key)).toEqual(['a', 'b']);
  });

  it('contains no event of an unchanged, rejected or tried bulk request', async () => {
    await push([{ key: 'a' }]);
    const { nextCursor } = await read();
    expect((await push([{ key: 'a' }])).status).toBe(200);
    expect((await push([{ key: 'b' }, { nosuch: 1 }])).status).toBe(422);
    const batch = { assets: [{ name: 'Pumps', items: [{ key: 'c' }] }] };
    expect((await api.post(`${path}/cw/assets/bulk?dryRun=true`, batch)).status).toBe(200);
    expect(await read(`?after=${nextCursor}`)).toEqual({
      events: [],
      latestSequence: nextCursor,
      hasMore: false,
      nextCursor,
    });
  });

  it('contains one event per write of a single row, with consecutive revisions', async () => {
    await push([{ key: 'a' }]);
    const { nextCursor } = await read();
    const row = `${path}/cw/assets/Pumps/items/b`;
    expect((await api.put(row, { name: 'B' })).status).toBe(201);
    expect((await api.patch(row, { name: 'C' })).status).toBe(200);
    expect((await api.patch(row, { name: 'C' })).status).toBe(200);
    expect((await api.delete(row)).status).toBe(200);
    expect((await api.delete(row)).status).toBe(404);
    const { events } = await read(`?after=${nextCursor}`);
    const counts = { created: 0, updated: 0, deleted: 0 };
    expect(events.map(({ type, data, actor }) => ({ type, actor, ...data }))).toMatchObject([
      { type: 'table.rows_changed', fromRevision: 1, toRevision: 2, counts: { ...counts, created: 1 } },
      { type: 'table.rows_changed', fromRevision: 2, toRevision: 3, counts: { ...counts, updated: 1 } },
      { type: 'table.rows_changed', fromRevision: 3, toRevision: 4, counts: { ...counts, deleted: 1 } },
    ]);
    for (const { actor } of events) expect(actor).toEqual({ userId, source: 'api' });
  });

  it('contains one event for the rows that a request deletes', async () => {
    await push([{ key: 'a' }, { key: 'b' }]);
    const { nextCursor } = await read();
    const deletion = `${path}/cw/assets/Pumps/items/delete`;
    expect((await api.post(deletion, { keys: ['a', 'b', 'c'] })).status).toBe(200);
    expect((await api.post(deletion, { keys: ['a'] })).status).toBe(200);
    const { events } = await read(`?after=${nextCursor}`);
    expect(events.map(({ data }) => data)).toMatchObject([
      { fromRevision: 1, toRevision: 2, counts: { created: 0, updated: 0, deleted: 2 } },
    ]);
  });

  it('contains each of the rows that are written together once', async () => {
    await push([{ key: 'a' }]);
    const { nextCursor } = await read();
    const keys = Array.from({ length: 30 }, (_, number) => `r${number}`);
    const writes = keys.map((key) => api.put(`${path}/cw/assets/Pumps/items/${key}`, { name: key }));
    for (const { status } of await Promise.all(writes)) expect(status).toBe(201);
    const { events } = await read(`?after=${nextCursor}`);
    const changes = events.map(({ data }) => data);
    expect(changes.reduce((created, { counts }) => created + counts.created, 0)).toBe(30);
    // The revisions of the events follow each other.
    let revision = 1;
    for (const { fromRevision, toRevision } of changes) {
      expect(fromRevision).toBe(revision);
      revision = toRevision;
    }
    const readRow = async (key: string) => (await api.get(`${path}/cw/assets/Pumps/items/${key}`)).body.data.revision;
    const written = await Promise.all(keys.map(readRow));
    expect([...new Set(written)].sort((x, y) => x - y)).toEqual(changes.map(({ toRevision }) => toRevision));
  });

  it('contains the change, the key rename and the end of a table', async () => {
    await push([{ key: 'a' }, { key: 'b' }]);
    const { nextCursor } = await read();
    const table = `${path}/cw/assets/Pumps`;
    expect((await api.put(table, { columns: [{ name: 'Weight', type: 'number' }] })).status).toBe(200);
    expect((await api.post(`${table}/items/a/rename`, { key: 'z' })).status).toBe(200);
    expect((await api.delete(`${table}?confirm=Pumps`)).status).toBe(200);
    const { events } = await read(`?after=${nextCursor}`);
    expect(events.map(({ type }) => type)).toEqual(['table.updated', 'table.rows_changed', 'table.deleted']);
    expect(events[1]!.data).toMatchObject({ renamed: { from: 'a', to: 'z' }, fromRevision: 2, toRevision: 3 });
  });

  it('contains one event for an import and one for its rows', async () => {
    await push([{ key: 'a' }]);
    const { nextCursor } = await read();
    const send = (csv: string, query = '') =>
      api.send(`${path}/cw/assets/Pumps/items/import${query}`, {
        method: 'POST',
        headers: { 'Content-Type': 'text/csv' },
        body: csv,
      });
    const { importId } = (await send('key,name\nb,B\n')).body.data;
    expect((await send('nosuch\nc\n')).status).toBe(422);
    expect((await send('key,name\nd,D\n', '?dryRun=true')).status).toBe(200);
    const { events } = await read(`?after=${nextCursor}`);
    expect(events.map(({ type, data }) => [type, data])).toMatchObject([
      ['table.rows_changed', { importId, counts: { created: 1 } }],
      ['import.succeeded', { import: { id: importId, status: 'succeeded', rowsWritten: 1 } }],
      ['import.failed', { import: { status: 'failed' } }],
    ]);
  });

  it('contains the changes of a note, on any surface', async () => {
    const externalReferences = [{ system: 'SAP', id: '17' }];
    const created = (await api.post(`${path}/notes`, { title: 'Leak', status: 'open', externalReferences })).body.data;
    const note = `/v1/api/notes/${created.id}`;
    expect((await api.patch(note, { title: 'Large leak', priority: 'high' })).status).toBe(200);
    expect((await api.patch(note, { title: 'Large leak' })).status).toBe(200);
    expect((await api.post(`${path}/notes/${created.id}/watchers`, {})).status).toBe(200);
    const message = (await api.post(`${path}/notes/${created.id}/messages`, { description: 'Closed the valve.' })).body
      .data;
    expect((await api.delete(note)).status).toBe(200);
    const current = (await api.post(`${note}/restore`)).body.data;
    const { events } = await read('?types=note.*');
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['note.created', { note: current }],
      [
        'note.updated',
        {
          note: current,
          changes: [
            { field: 'title', from: 'Leak', to: 'Large leak' },
            { field: 'priority', from: null, to: 'high' },
          ],
        },
      ],
      ['note.updated', { note: current, changes: [{ field: 'watchers', from: [], to: [userId] }] }],
      ['note.message_created', { noteId: created.id, message, externalReferences, watchers: [userId] }],
      ['note.archived', { note: current }],
      ['note.restored', { note: current }],
    ]);
    expect(events[0]!.actor).toEqual({ userId, source: 'workspace' });
    expect(events[1]!.actor).toEqual({ userId, source: 'api' });
  });

  it('contains the changes of projects, tours, tags and virtual stagings', async () => {
    const { nextCursor } = await read();
    const post = async (route: string, body: object = {}) => (await api.post(`/v1/api/${route}`, body)).body.data;
    const project = await post('projects', { name: 'Retrofit' });
    await api.patch(`/v1/api/projects/${project.id}`, { name: 'Retrofit 2' });
    await api.patch(`/v1/api/projects/${project.id}`, { name: 'Retrofit 2' });
    await api.delete(`/v1/api/projects/${project.id}`);
    await post(`projects/${project.id}/restore`);
    const { id: tourId } = await post('tours', { projectId: project.id, title: 'Hall' });
    await api.patch(`/v1/api/tours/${tourId}`, { title: 'Hall 2' });
    const position = { x: 0, y: 0, z: 0 };
    await post('tags', { tourId, label: 'Pump', anchorPosition: position });
    const staging = await post('virtual-stagings', { tourId, type: 'declutter', files: [base64('picture.png')] });
    await post(`virtual-stagings/${staging.id}/cancel`);
    const { events } = await read(`?after=${nextCursor}`);
    expect(events.map(({ type }) => type)).toEqual([
      'project.created',
      'project.updated',
      'project.archived',
      'project.restored',
      'tour.created',
      'tour.updated',
      'tag.created',
      'virtual_staging.queued',
      'virtual_staging.cancelled',
    ]);
    const get = async (route: string) => (await api.get(`/v1/api/${route}`)).body.data;
    expect(events[1]!.data).toEqual({ project: await get(`projects/${project.id}`) });
    expect(events[5]!.data).toMatchObject({ tour: { id: tourId, title: 'Hall 2' } });
    expect(events[8]!.data).toMatchObject({ virtualStaging: { id: staging.id, status: 'cancelled' } });
  });

  it('contains the changes of members, as the responses to their requests', async () => {
    const workspaceId = path.split('/').at(-1);
    const email = `${userId}@example.com`;
    const { id } = (await api.post('/v1/api/users', { email })).body.data;
    expect((await api.delete(`/v1/api/users/${id}`)).status).toBe(200);
    const { events } = await read('?after=1&types=member.*');
    const data = { userId: id, workspaceId };
    expect(events).toMatchObject([
      { type: 'member.invited', data },
      { type: 'member.removed', data },
    ]);
  });

  it('cuts a note that is larger than an event to its IDs', async () => {
    const { id, workspaceId } = (await api.post(`${path}/notes`, { title: 'Long', description: 'x'.repeat(70_000) }))
      .body.data;
    const { events } = await read('?after=1');
    expect(events[0]!.data).toEqual({
      note: { id, workspaceId, externalId: null, projectId: null, tagId: null, tourId: null },
      truncated: true,
    });
  });

  /** Records 1,000 events that refer to the same record. @param data an expression of the number `n` of the event. */
  async function repeatEvent(type: string, data: string, ...values: unknown[]): Promise<void> {
    await database.query(
      `INSERT INTO pending_events (workspace_id, id, type, source, data)
       SELECT $1, gen_random_uuid(), $2, 'api', ${data} FROM generate_series(0, 999) AS n`,
      [path.split('/').at(-1), type, ...values],
    );
    await until(
      () => read('?limit=1'),
      ({ latestSequence }) => latestSequence > 1_000,
    );
  }

  /** @returns the events, and the CPU time of the event loop in milliseconds. */
  async function measureRead(query: string) {
    const before = services[0]!.eventLoopTime();
    const { events } = await read(query);
    return { events, cpuMs: services[0]!.eventLoopTime() - before };
  }

  it('measures a large note once for all events of a page', async () => {
    const { id, workspaceId } = (await api.post(`${path}/notes`, { title: 'Large' })).body.data;
    await database.query(
      `UPDATE notes SET custom_fields = (SELECT jsonb_object_agg('f' || n, repeat('🏠', 9000))
                                           FROM generate_series(1, 300) AS n)
        WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, id],
    );
    await repeatEvent('note.restored', `json_build_object('noteId', $3::text)`, id);
    const { events, cpuMs } = await measureRead('?limit=1000&types=note.restored');
    expect(events).toHaveLength(1_000);
    expect(events.at(-1)!.data).toMatchObject({ note: { id }, truncated: true });
    expect(cpuMs).toBeLessThan(2_000);
  });

  it('reads the many changes of a page of notes in linear time', async () => {
    const { id, workspaceId } = (await api.post(`${path}/notes`, { title: 'Changed' })).body.data;
    const last = 100_000;
    await database.query(
      `INSERT INTO note_events (workspace_id, sequence, note_id, kind, field, "from", "to", source)
       SELECT $1, n, $2, 'updated', 'title', 'null', to_jsonb(n), 'api' FROM generate_series(1000, 999 + $3) AS n`,
      [workspaceId, id, last],
    );
    const range = `'first', 1000 + 100 * n, 'last', 1099 + 100 * n`;
    await repeatEvent('note.updated', `json_build_object('noteId', $3::text, ${range})`, id);
    const { events, cpuMs } = await measureRead('?limit=1000&types=note.updated');
    const changes = events.flatMap(({ data }) => data.changes.map(({ to }: { to: number }) => to));
    expect(changes).toEqual(manyRows(last, (n) => 1_000 + n));
    expect(cpuMs).toBeLessThan(2_000);
  });

  it('is read page by page, and by types', async () => {
    for (const name of ['A', 'B', 'C']) await push([{ key: 'a' }], name);
    const first = await read('?limit=4');
    expect(first).toMatchObject({ hasMore: true, nextCursor: 4, latestSequence: 7 });
    const second = await read('?limit=4&after=4');
    expect(second).toMatchObject({ hasMore: false, nextCursor: 7 });
    expect([...first.events, ...second.events].map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect((await read('?types=table.created')).events.map(({ sequence }) => sequence)).toEqual([2, 4, 6]);
    expect((await read('?types=table.*')).events).toHaveLength(6);
    expect(await read('?after=100')).toMatchObject({ events: [], nextCursor: 100, latestSequence: 7 });
  });

  it('rejects unknown types, invalid numbers and callers of another workspace', async () => {
    for (const query of ['types=nosuch.*', 'types=ping', 'after=-1', 'after=x', 'limit=0', 'wait=1000', 'x=1'])
      expect((await api.get(`${path}/events?${query}`)).status).toBe(400);
    const other = new Api(api.baseUrl).withKey((await services[0]!.provision()).apiKey);
    expect((await other.get(`${path}/events`)).status).toBe(404);
    expect((await new Api(api.baseUrl).get(`${path}/events`)).status).toBe(401);
  });

  it('a waiting reader receives an event that any instance records', async () => {
    for (const service of services) {
      const { nextCursor } = await read();
      const started = Date.now();
      const waiting = read(`?after=${nextCursor}&wait=20`);
      const writer = new Api(service.baseUrl, api.headers);
      await writer.post(`${path}/cw/assets/bulk`, {
        assets: [{ name: `Of ${service.pid}`, columns: COLUMNS, items: [{ key: 'a' }] }],
      });
      const { events } = await waiting;
      expect(events.map(({ sequence }) => sequence)).toEqual([nextCursor + 1, nextCursor + 2]);
      expect(Date.now() - started).toBeLessThan(10_000);
    }
  });

  it('waiting readers do not count as concurrent requests, which the overload gate limits', async () => {
    const { nextCursor } = await read();
    const waiting = Array.from({ length: 40 }, () => read(`?after=${nextCursor}&wait=50`));
    // They have arrived, and count as running for a period of the gate.
    await delay(2_000);
    const metrics = await (await fetch(`${services[0]!.baseUrl}/metrics`)).text();
    const running = /^http_requests_concurrent\{kind="running"\} (\d+)$/m.exec(metrics)?.[1];
    expect(Number(running)).toBeLessThan(10);
    await push([{ key: 'a' }]);
    for (const { events } of await Promise.all(waiting)) expect(events).not.toEqual([]);
  });

  it('a reader waits for the selected types only, and no longer than it asked for', async () => {
    const waiting = read('?types=table.deleted&wait=20');
    await push([{ key: 'a' }]);
    expect((await api.delete(`${path}/cw/assets/Pumps?confirm=Pumps`)).status).toBe(200);
    expect((await waiting).events.map(({ type }) => type)).toEqual(['table.deleted']);
    expect(await read('?types=note.created&wait=1')).toMatchObject({ events: [], latestSequence: 4, nextCursor: 0 });
  });
});
