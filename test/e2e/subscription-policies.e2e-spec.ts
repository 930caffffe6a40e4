import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { Receiver } from '../support/receiver.js';
import { TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

const SETTINGS = { EVENTS_ALLOW_HTTP: 'true', EVENTS_ALLOWED_NETWORKS: '127.0.0.1' };

const COLUMNS = [
  { name: 'key', type: 'text' },
  { name: 'name', type: 'text' },
  { name: 'parent', type: 'hierarchyParent' },
];

const PLANT = { entity: 'locations', table: 'Sites', under: 'AT10' };

let database: TestDatabase;
let services: TestService[];
let me: Credentials;
/** The owner, on each instance. */
let owner: Api[];
let workspace: string;
let path: string;
const receivers: Receiver[] = [];

beforeAll(async () => {
  database = await TestDatabase.create();
  services = [await TestService.start(database, SETTINGS), await TestService.start(database, SETTINGS)];
});

beforeEach(async () => {
  me = await services[0]!.provision();
  owner = services.map(({ baseUrl }) => new Api(baseUrl).withKey(me.apiKey));
  workspace = `/v2/api/workspaces/${me.workspaceId}`;
  path = `${workspace}/subscriptions`;
  for (const name of ['Sites', 'Other sites'])
    await write(name, [
      { key: 'AT10', name: 'Vienna works', parent: null },
      { key: 'DE20', name: 'Bonn works', parent: null },
    ]);
});

afterEach(() => {
  for (const receiver of receivers.splice(0)) receiver.stop();
});

afterAll(async () => {
  for (const service of services ?? []) await service.stop();
  await database?.drop();
});

async function write(name: string, items: object[], instance = 0): Promise<void> {
  const { status } = await owner[instance]!.post(`${workspace}/cw/locations/bulk`, {
    locations: [{ name, columns: COLUMNS, items }],
  });
  expect([200, 201]).toContain(status);
}

async function writeNote(title: string, location: string, instance = 0): Promise<void> {
  const note = { title, location, locationKey: 'Sites' };
  expect((await owner[instance]!.post(`${workspace}/notes`, note)).status).toBe(201);
}

async function createPolicy(rules: object): Promise<string> {
  const { status, body } = await owner[0]!.post(`${workspace}/access-policies`, { name: 'Plant', ...rules });
  expect(status).toBe(201);
  return body.data.id;
}

async function subscribe(policyId: string | null): Promise<{ id: string; receiver: Receiver }> {
  const receiver = await Receiver.start();
  receivers.push(receiver);
  const sent = { url: receiver.url, events: ['*'], policyId };
  const { status, body } = await owner[0]!.post(path, sent);
  expect(status).toBe(201);
  expect(body.data.policyId).toBe(policyId);
  return { id: body.data.id, receiver };
}

const describeEvent = ({ type, data }: { type: string; data: any }): string =>
  `${type} ${data.note?.title ?? data.table?.name ?? data.project?.name ?? ''}`;
const describeAll = ({ received }: Receiver) => received.map(({ event }) => describeEvent(event));

/** Waits until each queued delivery has ended. @returns those of the log */
const untilEnded = (id: string) =>
  until(
    async () => (await owner[0]!.get(`${path}/${id}/deliveries?limit=100`)).body.data.items as { status: string }[],
    (items) => items.every(({ status }) => status !== 'pending'),
  );

/** Waits until an unrestricted receiver has an event of a note, after which nothing else is written. */
async function waitFor(receiver: Receiver, title: string): Promise<void> {
  await until(() => describeAll(receiver).includes(`note.created ${title}`), Boolean);
}

describe('a subscription with an access policy', () => {
  it('receives the events of permitted tables and notes only, from every instance', async () => {
    const control = await subscribe(null);
    const plant = await subscribe(await createPolicy({ tables: [PLANT], notes: { under: 'AT10' } }));
    for (const instance of [0, 1]) {
      await write('Sites', [{ key: 'DE20', name: `Bonn ${instance}`, parent: null }], instance);
      await write('Other sites', [{ key: 'AT10', name: `Vienna ${instance}`, parent: null }], instance);
      await writeNote(`outside ${instance}`, 'DE20', instance);
      await writeNote(`inside ${instance}`, 'AT10', instance);
    }
    await waitFor(control.receiver, 'inside 1');
    await waitFor(plant.receiver, 'inside 1');
    await untilEnded(plant.id);
    expect(describeAll(plant.receiver).toSorted()).toEqual([
      'note.created inside 0',
      'note.created inside 1',
      'table.rows_changed Sites',
      'table.rows_changed Sites',
    ]);
    const changed = plant.receiver.received.filter(({ event }) => event.type === 'table.rows_changed');
    for (const { event } of changed) expect(event.data.counts).toBeNull();
    expect(plant.receiver.received.map(({ body }) => body).join('')).not.toMatch(/Bonn|DE20|outside/);
    expect(describeAll(control.receiver)).toEqual(expect.arrayContaining(['note.created outside 0']));
    // Deliveries of events outside of the policy are absent.
    const { items } = (await owner[1]!.get(`${path}/${plant.id}/deliveries?limit=100`)).body.data;
    expect(items).toHaveLength(4);
  });

  it('obeys a change of the policy, or another policy, from the next delivery on', async () => {
    const control = await subscribe(null);
    const policyId = await createPolicy({ tables: [PLANT], notes: { under: 'AT10' } });
    const plant = await subscribe(policyId);
    await writeNote('first', 'AT10');
    await waitFor(plant.receiver, 'first');
    const narrower = { name: 'Plant', tables: [{ ...PLANT, under: 'DE20' }], notes: { under: 'DE20' } };
    expect((await owner[1]!.put(`${workspace}/access-policies/${policyId}`, narrower)).status).toBe(200);
    await writeNote('second', 'AT10', 0);
    await writeNote('third', 'DE20', 1);
    await waitFor(plant.receiver, 'third');
    const removed = await owner[1]!.patch(`${path}/${plant.id}`, { policyId: null });
    expect(removed.body.data.policyId).toBeNull();
    await writeNote('fourth', 'AT10', 0);
    await waitFor(plant.receiver, 'fourth');
    await waitFor(control.receiver, 'fourth');
    expect(describeAll(plant.receiver).filter((each) => each.startsWith('note.'))).toEqual([
      'note.created first',
      'note.created third',
      'note.created fourth',
    ]);
    const audit = await owner[0]!.get(`${workspace}/audit?kind=subscription_changed`);
    expect(audit.body.data.items[0].details.reason).toBe(`${plant.id} policyId`);
  });

  it('is not sent an event again that its policy no longer permits; the log shows what was sent before', async () => {
    const sent = await subscribe(null);
    await writeNote('first', 'AT10');
    await waitFor(sent.receiver, 'first');
    const list = async () => (await owner[0]!.get(`${path}/${sent.id}/deliveries?limit=100`)).body.data.items;
    const [delivery] = await until(list, (items) => items.some((each: any) => each.status === 'succeeded'));
    const policyId = await createPolicy({ tables: [PLANT], notes: { under: 'DE20' } });
    expect((await owner[1]!.patch(`${path}/${sent.id}`, { policyId })).status).toBe(200);
    expect((await owner[1]!.post(`${path}/${sent.id}/deliveries/${delivery.id}/redeliver`)).status).toBe(200);
    // The audit event of the new policy may be in the list, too.
    const find = (items: any[]) => items.find(({ id }) => id === delivery.id);
    const ended = find(await until(list, (items) => find(items).status === 'failed'));
    expect(ended).toMatchObject({ attempts: delivery.attempts, nextAttemptAt: null });
    expect(ended.attempts).toHaveLength(1);
    expect(describeAll(sent.receiver).filter((each) => each.startsWith('note.'))).toEqual(['note.created first']);
  });

  it('receives only types that the scopes of the policy grant', async () => {
    const control = await subscribe(null);
    const projects = await subscribe(await createPolicy({ scopes: ['read:projects'] }));
    await writeNote('a note', 'AT10');
    const project = { name: 'Turnaround', workspaceId: me.workspaceId };
    expect((await owner[0]!.post('/v1/api/projects', project)).status).toBe(201);
    await until(() => control.receiver.types.includes('project.created'), Boolean);
    await until(() => projects.receiver.types.includes('project.created'), Boolean);
    await waitFor(control.receiver, 'a note');
    expect((await owner[0]!.post(`${path}/${projects.id}/ping`)).status).toBe(200);
    await until(() => projects.receiver.types.includes('ping'), Boolean);
    expect(projects.receiver.types.toSorted()).toEqual(['ping', 'project.created']);
  });

  it('receives neither audit events nor imports, although a caller with its policy has sent the import', async () => {
    const control = await subscribe(null);
    const policyId = await createPolicy({ tables: [{ entity: 'locations', table: '*', write: true }] });
    const plant = await subscribe(policyId);
    const key = await owner[0]!.post(`${workspace}/api-keys`, { name: 'Plant', policyId });
    expect(key.status).toBe(201);
    const caller = new Api(services[0]!.baseUrl).withKey(key.body.data.apiKey as string);
    const file = 'key,name,parent\nAT10-1,Hall 1,AT10\n';
    const csv = { 'Content-Type': 'text/csv' };
    const imported = await caller.post(`${workspace}/cw/locations/Sites/items/import`, file, csv);
    expect(imported.status).toBe(200);
    await until(() => control.receiver.types.includes('import.succeeded'), Boolean);
    await until(() => control.receiver.types.includes('audit.api_key_created'), Boolean);
    await until(() => plant.receiver.types.includes('table.rows_changed'), Boolean);
    await untilEnded(plant.id);
    expect(plant.receiver.types).toEqual(['table.rows_changed']);
  });
});

describe('a subscription without an access policy', () => {
  it('receives everything, also if a restricted reader causes the deliveries, who is not in the audit log', async () => {
    const control = await subscribe(null);
    const policyId = await createPolicy({ tables: [PLANT], notes: { under: 'AT10' } });
    const { apiKey } = (await owner[0]!.post(`${workspace}/api-keys`, { name: 'Plant', policyId })).body.data;
    const reader = new Api(services[0]!.baseUrl).withKey(apiKey as string);
    // The request of the reader numbers the events, before the instance does.
    const readAtOnce = async () => {
      const { status } = await reader.get(`${workspace}/events?after=${Number.MAX_SAFE_INTEGER}`);
      expect(status).toBe(200);
    };
    for (let number = 1; number <= 10; number++) {
      await writeNote(`note ${number}`, 'DE20');
      await readAtOnce();
    }
    await waitFor(control.receiver, 'note 10');
    await untilEnded(control.id);
    const notes = control.receiver.received.filter(({ event }) => event.type === 'note.created');
    expect(notes.map(({ event }) => event.data.note.location?.name)).toEqual(Array(10).fill('Bonn works'));
    control.receiver.behavior = (response) => response.writeHead(410).end();
    await writeNote('last', 'DE20');
    await readAtOnce();
    await until(async () => (await owner[0]!.get(`${path}/${control.id}`)).body.data.status === 'disabled');
    const { items } = (await owner[0]!.get(`${workspace}/audit?kind=subscription_disabled`)).body.data;
    expect(items).toMatchObject([{ principal: { type: 'service' }, address: null }]);
  });
});

describe('the access policy of a subscription', () => {
  it('must exist, and cannot be deleted while it is assigned', async () => {
    const policyId = await createPolicy({ tables: [PLANT] });
    const { id } = await subscribe(policyId);
    const inUse = await owner[0]!.delete(`${workspace}/access-policies/${policyId}`);
    expect([inUse.status, inUse.body.error]).toEqual([409, 'policy_in_use']);
    const other = await services[0]!.provision();
    const foreign = await new Api(services[0]!.baseUrl)
      .withKey(other.apiKey)
      .post(`/v2/api/workspaces/${other.workspaceId}/access-policies`, { name: 'Foreign', tables: [] });
    for (const unknown of [foreign.body.data.id as string, '01890000-0000-7000-8000-000000000000'])
      for (const rejected of [
        await owner[0]!.patch(`${path}/${id}`, { policyId: unknown }),
        await owner[0]!.post(path, { url: 'http://127.0.0.1:9/', events: ['*'], policyId: unknown }),
      ])
        expect([rejected.status, rejected.body.error]).toEqual([422, 'policy_not_assignable']);
    expect((await owner[0]!.get(`${path}/${id}`)).body.data.policyId).toBe(policyId);
    expect((await owner[0]!.delete(`${path}/${id}`)).status).toBe(200);
    expect((await owner[0]!.delete(`${workspace}/access-policies/${policyId}`)).status).toBe(200);
  });
});
