import { randomUUID } from 'node:crypto';
import { Api, type ApiResponse } from '../support/api.js';
import { base64 } from '../support/files.js';
import { column, text, unique } from '../support/tables.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import type { Database } from '../support/database.js';
import { until } from '../support/until.js';

const COLUMNS = [text('Key'), text('Plant'), column('Parent', 'hierarchyParent')];

let service: SharedService;
let database: Database;
let owner: Api;
let workspaceId: string;
let workspace: string;
const [limited, whole, hidden] = ['Limited', 'Whole', 'Hidden'].map((name) => unique(name)) as [string, string, string];

const bulk = async (name: string, items: object[], api = owner) => {
  const { status } = await api.post(`${workspace}/cw/locations/bulk`, { locations: [{ name, items }] });
  expect(status).toBe(200);
};

async function createPolicy(policy: object): Promise<string> {
  const created = await owner.post(`${workspace}/access-policies`, { name: unique('Policy'), ...policy });
  expect([created.status, created.body.details]).toEqual([201, undefined]);
  return created.body.data.id as string;
}

const replacePolicy = (id: string, policy: object) =>
  owner.put(`${workspace}/access-policies/${id}`, { name: unique('Policy'), ...policy });

async function restrict(policy: object): Promise<Api> {
  const key = await owner.post(`${workspace}/api-keys`, { name: 'Key', policyId: await createPolicy(policy) });
  return new Api(service.baseUrl).withKey(key.body.data.apiKey as string);
}

const latest = async () => (await owner.get(`${workspace}/events?limit=1`)).body.data.latestSequence as number;

/** The events after a number, in pages. */
async function eventsOf(caller: Api, after: number, query = ''): Promise<any[]> {
  const events: any[] = [];
  for (let cursor = after; ;) {
    const { status, body } = await caller.get(`${workspace}/events?after=${cursor}&limit=2${query}`);
    expect(status).toBe(200);
    events.push(...body.data.events);
    if (!body.data.hasMore) return events;
    expect(body.data.nextCursor).toBeGreaterThan(cursor);
    cursor = body.data.nextCursor as number;
  }
}

const summarize = (events: any[]) =>
  events.map(({ type, data }) => [type, data.table?.name ?? data.note?.title ?? data.import?.id]);

beforeAll(async () => {
  ({ service, database } = await shareService());
  const me = await service.provision();
  owner = await new Api(service.baseUrl).signIn(me);
  ({ workspaceId } = me);
  workspace = `/v2/api/workspaces/${workspaceId}`;
  const items = [
    { key: 'A', plant: 'A' },
    { key: 'A1', plant: 'A', parent: 'A' },
    { key: 'B', plant: 'B' },
  ];
  const locations = [limited, whole, hidden].map((name) => ({ name, columns: COLUMNS, items }));
  expect((await owner.post(`${workspace}/cw/locations/bulk`, { locations })).status).toBe(201);
}, 60_000);

const TABLES = [
  { entity: 'locations', table: limited, filter: { plant: 'A' }, write: true },
  { entity: 'locations', table: whole, write: true },
];

describe('the events of callers with an access policy', () => {
  it('are those of permitted tables, without the numbers and keys of hidden rows', async () => {
    const caller = await restrict({ tables: TABLES });
    const after = await latest();
    for (const name of [limited, hidden, whole]) await bulk(name, [{ key: 'C', plant: 'B' }]);
    for (const name of [limited, hidden, whole])
      await owner.post(`${workspace}/cw/locations/${name}/items/C/rename`, { key: 'D' });
    const events = await eventsOf(caller, after);
    expect(summarize(events)).toEqual([
      ['table.rows_changed', limited],
      ['table.rows_changed', whole],
      ['table.rows_changed', limited],
      ['table.rows_changed', whole],
    ]);
    expect(events.map(({ data }) => [data.counts, data.renamed])).toEqual([
      [null, undefined],
      [{ created: 1, updated: 0, deleted: 0 }, undefined],
      [null, undefined],
      [expect.any(Object), { from: 'C', to: 'D' }],
    ]);
    expect(await eventsOf(owner, after)).toHaveLength(6);
    const dropped = await owner.delete(`${workspace}/cw/locations/${hidden}?confirm=${hidden}`);
    expect(dropped.status).toBe(200);
    expect(await eventsOf(caller, after, '&types=table.deleted')).toEqual([]);
  });

  it('have no types that policies cannot restrict', async () => {
    const caller = await restrict({ tables: TABLES });
    const audit = await caller.get(`${workspace}/events?types=audit.*`);
    expect([audit.status, audit.body.error]).toEqual([403, 'insufficient_role']);
    expect((await eventsOf(caller, 0)).some(({ type }) => type.startsWith('audit.'))).toBe(false);
  });

  it('have no types without a declared restriction, also with the role and the scope that they need', async () => {
    const caller = await restrict({ notes: { under: 'A' } });
    const note = { title: 'Purged', location: 'A1', locationKey: limited };
    const created = await caller.post(`${workspace}/notes`, note);
    expect([created.status, created.body.details]).toEqual([201, undefined]);
    const after = await latest();
    expect((await owner.delete(`${workspace}/notes/${created.body.data.id}?purge=true`)).status).toBe(200);
    expect((await eventsOf(owner, after)).map(({ type }) => type)).toContain('note.deleted');
    expect(await eventsOf(caller, after)).toEqual([]);
    const named = await caller.get(`${workspace}/events?after=${after}&types=note.deleted`);
    expect([named.status, named.body.error]).toEqual([403, 'policy_denied']);
  });

  it('wait for the first one that exists for the caller', async () => {
    const caller = await restrict({ tables: TABLES });
    const after = await latest();
    const waiting = caller.get(`${workspace}/events?after=${after}&wait=20`);
    const other = unique('Other');
    await owner.post(`${workspace}/cw/locations/bulk`, { locations: [{ name: other, columns: COLUMNS, items: [] }] });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await bulk(whole, [{ key: 'waited' }]);
    expect(summarize((await waiting).body.data.events)).toEqual([['table.rows_changed', whole]]);
  });

  // Only a caller that is no longer permitted receives a response before the end of its wait.
  it.each<[string, (key: { id: string; policyId: string }) => Promise<ApiResponse>, number, unknown[]]>([
    [
      'the key was revoked',
      ({ id }) => owner.delete(`${workspace}/api-keys/${id}`),
      30,
      [401, 'invalid_api_key', undefined],
    ],
    [
      'the policy no longer names the table',
      ({ policyId }) => replacePolicy(policyId, { tables: [{ entity: 'locations', table: limited }] }),
      3,
      [200, undefined, 0],
    ],
    [
      'the policy no longer has the scope',
      ({ policyId }) => replacePolicy(policyId, { scopes: ['read:projects'] }),
      30,
      [403, 'insufficient_scope', undefined],
    ],
  ])('are not delivered to a caller that waits if %s meanwhile', async (_, end, wait, expected) => {
    const policyId = await createPolicy({ tables: TABLES });
    const { id, apiKey } = (await owner.post(`${workspace}/api-keys`, { name: 'Key', policyId })).body.data;
    const caller = new Api(service.baseUrl).withKey(apiKey as string);
    const waiting = caller.get(`${workspace}/events?after=${await latest()}&wait=${wait}&types=table.*`);
    const findUse = async () => (await owner.get(`${workspace}/api-keys/${id}`)).body.data.lastUsedAt as string | null;
    await until(findUse, (at) => at !== null);
    expect((await end({ id: id as string, policyId })).status).toBe(200);
    await bulk(whole, [{ key: unique('row') }]);
    const { status, body } = await waiting;
    expect([status, body.error, body.data?.events.length]).toEqual(expected);
  });

  it('of notes are those at permitted locations', async () => {
    const caller = await restrict({ notes: { under: 'A' } });
    const after = await latest();
    const ids: string[] = [];
    for (const location of ['A1', 'B', undefined]) {
      const note = { title: `at ${location}`, ...(location ? { location, locationKey: limited } : {}) };
      const created = await owner.post(`${workspace}/notes`, note);
      expect([created.status, created.body.details]).toEqual([201, undefined]);
      ids.push(created.body.data.id as string);
    }
    for (const id of ids)
      expect((await owner.post(`${workspace}/notes/${id}/messages`, { description: 'Text' })).status).toBe(201);
    const events = await eventsOf(caller, after, '&types=note.*');
    expect(events.map(({ type, data }) => [type, data.note?.id ?? data.noteId])).toEqual([
      ['note.created', ids[0]],
      ['note.message_created', ids[0]],
    ]);
    expect(await eventsOf(owner, after, '&types=note.*')).toHaveLength(6);
    const counts = (await caller.get(`/v1/api/analytics/overview?workspaceId=${workspaceId}`)).body.data.notes;
    expect(counts).toMatchObject({ total: 1 });
    const at = (location: string) =>
      caller.get(`/v1/api/analytics/overview?workspaceId=${workspaceId}&location=${location}&locationKey=${limited}`);
    expect((await at('A')).body.data.notes.total).toBe(1);
    expect((await at('B')).body.data.notes.total).toBe(0);
    const series = (await caller.get(`/v1/api/analytics/notes?workspaceId=${workspaceId}`)).body.data;
    expect(series.totals.opened).toBe(1);
  });

  it('of loads are those of the caller', async () => {
    const caller = await restrict({ tables: TABLES });
    const after = await latest();
    const importFile = (api: Api, body: string) =>
      api.send(`${workspace}/cw/locations/${whole}/items/import`, {
        method: 'POST',
        headers: { 'Content-Type': 'text/csv' },
        body,
      });
    await importFile(owner, 'key,plant\nsecret,B\n');
    const { importId } = (await importFile(caller, 'key,plant\nown,B\n')).body.data;
    expect(summarize(await eventsOf(caller, after, '&types=import.*'))).toEqual([['import.succeeded', importId]]);
    expect(await eventsOf(owner, after, '&types=import.*')).toHaveLength(2);
  });
});

describe('notes that an access policy hides', () => {
  const [inside, outside] = ['A1', 'B'];
  let caller: Api;
  let project: { id: string };
  let tour: { id: string };
  let files: { id: string; location: string }[];

  beforeAll(async () => {
    const create = async (path: string, body: object) => {
      const created = await owner.post(path, body);
      expect([created.status, created.body.details]).toEqual([201, undefined]);
      return created.body.data;
    };
    caller = await restrict({ notes: { under: 'A' } });
    project = await create('/v1/api/projects', { name: 'Plant', workspaceId });
    tour = await create('/v1/api/tours', { projectId: project.id, title: 'Tour' });
    const tag = await create('/v1/api/tags', { tourId: tour.id, label: 'Valve' });
    files = [];
    for (const location of [inside, outside, outside]) {
      const note = await create('/v1/api/notes', {
        tagId: tag.id,
        title: 'Counted',
        files: [base64('picture.png')],
      });
      const moved = await owner.patch(`${workspace}/notes/${note.id}`, { location, locationKey: limited });
      expect([moved.status, moved.body.details]).toEqual([200, undefined]);
      const message = await create(`${workspace}/notes/${note.id}/messages`, { files: [base64('report.pdf')] });
      for (const { id } of [...note.files, ...message.files]) files.push({ id, location });
    }
  });

  it('are not in any count of other records, on any surface', async () => {
    const after = await latest();
    expect((await owner.patch(`/v1/api/projects/${project.id}`, { name: 'Plant 2' })).status).toBe(200);
    expect((await owner.patch(`/v1/api/tours/${tour.id}`, { title: 'Tour 2' })).status).toBe(200);
    const data = async (api: Api, path: string) => (await api.get(path)).body.data;
    const ofItem = (page: any, id: string) => page.items.find((item: any) => item.id === id).counts;
    const ofEvent = async (api: Api, type: string) => {
      const [event] = await eventsOf(api, after, `&types=${type}`);
      return (event.data.project ?? event.data.tour).counts;
    };
    const total = (await data(owner, `${workspace}/notes?limit=200`)).items.length;
    const own = (await data(caller, `${workspace}/notes?limit=200`)).items.length;
    expect(total).toBeGreaterThan(own);
    const surfaces: Record<string, [(api: Api) => Promise<any>, number, number]> = {
      project: [async (api) => (await data(api, `/v1/api/projects/${project.id}`)).counts.openNotes, 3, 1],
      projects: [async (api) => ofItem(await data(api, '/v1/api/projects'), project.id).openNotes, 3, 1],
      tour: [async (api) => (await data(api, `/v1/api/tours/${tour.id}`)).counts.openNotes, 3, 1],
      tours: [async (api) => ofItem(await data(api, '/v1/api/tours'), tour.id).openNotes, 3, 1],
      workspaces: [async (api) => ofItem(await data(api, '/v1/api/workspaces'), workspaceId).notes, total, own],
      'events of projects': [async (api) => (await ofEvent(api, 'project.*')).openNotes, 3, 1],
      'events of tours': [async (api) => (await ofEvent(api, 'tour.*')).openNotes, 3, 1],
      analytics: [
        async (api) => (await data(api, `/v1/api/analytics/overview?workspaceId=${workspaceId}`)).notes.total,
        total,
        own,
      ],
    };
    const counted = async (api: Api) => {
      const entries: [string, unknown][] = [];
      for (const [name, [count]] of Object.entries(surfaces)) entries.push([name, await count(api)]);
      return Object.fromEntries(entries);
    };
    const expected = (at: 1 | 2) =>
      Object.fromEntries(Object.entries(surfaces).map(([name, each]) => [name, each[at]]));
    // The counts of one caller are not those of the caller before.
    expect([await counted(caller), await counted(owner), await counted(caller)]).toEqual([
      expected(2),
      expected(1),
      expected(2),
    ]);
  });

  it('have no readable files and thumbnails, also as the source of a virtual staging', async () => {
    for (const api of [caller, owner])
      for (const { id, location } of files) {
        const status = api === owner || location === inside ? 200 : 404;
        const file = await api.get(`/v1/api/attachments/${id}`);
        const thumbnail = await api.get(`/v1/api/attachments/${id}/thumbnail`);
        expect([location, file.status, status === 404 && thumbnail.status]).toEqual([
          location,
          status,
          status === 404 && 404,
        ]);
        if (status === 404) expect(thumbnail.body.message).toBe(file.body.message);
      }
    const staging = { tourId: tour.id, type: 'declutter', roomType: 'hall' };
    const hidden = files.find(({ location }) => location === outside)!.id;
    const rejected = await caller.post('/v1/api/virtual-stagings', { ...staging, sourceFileId: hidden });
    expect([rejected.status, rejected.body.error]).toEqual([422, 'unknown_file']);
    const staged = await caller.post('/v1/api/virtual-stagings', { ...staging, sourceFileId: files[0]!.id });
    expect(staged.status).toBe(201);
    expect((await caller.get(`/v1/api/attachments/${staged.body.data.sourceFile.id}`)).status).toBe(200);
  });

  it('are not the only records without files: so are those of modules that show none', async () => {
    const { id } = files.find(({ location }) => location === inside)!;
    await database.query('UPDATE attachments SET owner_id = $2 WHERE workspace_id = $1 AND id = $3', [
      workspaceId,
      randomUUID(),
      id,
    ]);
    expect((await caller.get(`/v1/api/attachments/${id}`)).status).toBe(404);
    expect((await owner.get(`/v1/api/attachments/${id}`)).status).toBe(200);
  });
});

describe('the analytics of callers with an access policy', () => {
  it('count the permitted rows of permitted tables', async () => {
    const caller = await restrict({
      tables: [{ entity: 'locations', table: limited, filter: { key: { in: ['A', 'A1'] } } }],
    });
    const { status, body } = await caller.get(`/v1/api/analytics/tables?workspaceId=${workspaceId}`);
    expect([status, body.data.totals]).toEqual([200, { tables: 1, rows: 2, unresolvedLinks: 0 }]);
    expect(body.data.tables.map(({ name, rows }: any) => [name, rows])).toEqual([[limited, 2]]);
    expect(
      (await owner.get(`/v1/api/analytics/tables?workspaceId=${workspaceId}`)).body.data.totals.rows,
    ).toBeGreaterThan(2);
    expect((await caller.get(`/v1/api/analytics/tours?workspaceId=${workspaceId}`)).status).toBe(200);
  });
});
