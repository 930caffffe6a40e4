import { randomBytes } from 'node:crypto';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { OperatorClient } from '../support/operator-client.js';
import { Receiver } from '../support/receiver.js';
import { DELIVERING, type SharedService, shareServices } from '../support/shared-services.js';
import { until } from '../support/until.js';

interface Delivery {
  status: string;
  nextAttemptAt: string | null;
}

interface Member {
  id: string;
  api: Api;
}

let services: SharedService[];
let operator: OperatorClient;
let me: Credentials;
/** The remaining owner, on each instance. */
let owner: Api[];
let workspace: string;
let path: string;
const receivers: Receiver[] = [];

beforeAll(async () => {
  ({ services } = await shareServices(2, DELIVERING));
  operator = await services[0]!.operatorClient();
});

beforeEach(async () => {
  me = await services[0]!.provision();
  owner = services.map(({ baseUrl }) => new Api(baseUrl).withKey(me.apiKey));
  workspace = `/v2/api/workspaces/${me.workspaceId}`;
  path = `${workspace}/subscriptions`;
});

afterEach(() => {
  for (const receiver of receivers.splice(0)) receiver.stop();
});

async function addOwner(): Promise<Member> {
  const { id } = await operator.newUser(randomBytes(6).toString('hex'), me.workspaceId, 'owner');
  const client = await operator.newClient(id);
  return { id, api: await new Api(services[0]!.baseUrl).signIn(client) };
}

async function subscribe(api: Api, events: string[], ...behavior: Parameters<typeof Receiver.start>) {
  const receiver = await Receiver.start(...behavior);
  receivers.push(receiver);
  const { status, body } = await api.post(path, { url: receiver.url, events });
  expect(status).toBe(201);
  return { receiver, id: body.data.id as string, ownerId: body.data.ownerId as string };
}

const read = async (id: string) => (await owner[0]!.get(`${path}/${id}`)).body.data;
const writeNote = async (title: string, instance = 0) =>
  expect((await owner[instance]!.post(`${workspace}/notes`, { title })).status).toBe(201);
const titlesOf = ({ received }: Receiver) => received.map(({ event }) => event.data.note?.title as string);
const change = (api: Api, id: string, body: object) => api.patch(`${path}/${id}`, body);

describe('the subscription of a user', () => {
  it('who is demoted while events are due is disabled, and sends nothing more from any instance', async () => {
    const former = await addOwner();
    const failing: Parameters<typeof Receiver.start>[0] = (response) => void response.writeHead(500).end();
    const { id, receiver, ownerId } = await subscribe(former.api, ['note.*'], failing);
    expect(ownerId).toBe(former.id);
    const control = await subscribe(owner[0]!, ['note.*']);
    for (let number = 0; number < 4; number++) await writeNote(`before ${number}`, number % 2);
    await until(() => receiver.received.length >= 2, Boolean);
    const policy = { name: 'Notes of a plant', tables: [] };
    const { id: policyId } = (await owner[1]!.post(`${workspace}/access-policies`, policy)).body.data;
    const demoted = await owner[1]!.patch(`/v1/api/users/${former.id}`, { role: 'editor', policyId });
    expect(demoted.status).toBe(200);
    for (let number = 0; number < 4; number++) await writeNote(`after ${number}`, number % 2);
    const disabled = await until(
      () => read(id),
      ({ status }) => status === 'disabled',
    );
    expect(disabled).toMatchObject({ disabledReason: 'not_owner', ownerId: former.id });
    // A request that was in progress has ended.
    receiver.behavior = (response) => void response.writeHead(204).end();
    const sent = receiver.received.length;
    await writeNote('at the end');
    await until(() => titlesOf(control.receiver).includes('at the end'), Boolean);
    // No attempt is in progress, and none is due.
    await until(
      async () => (await owner[0]!.get(`${path}/${id}/deliveries?limit=100`)).body.data.items as Delivery[],
      (items) =>
        items.length > 0 && items.every(({ status, nextAttemptAt }) => status === 'failed' && nextAttemptAt === null),
    );
    expect(titlesOf(receiver).filter((title) => !title.startsWith('before'))).toEqual([]);
    expect(receiver.received.length - sent).toBeLessThanOrEqual(2);
    expect(await read(control.id)).toMatchObject({ status: 'enabled', disabledReason: null });
    const audit = `${workspace}/audit?kind=subscription_disabled`;
    const [entry] = (await owner[0]!.get(audit)).body.data.items;
    expect(entry).toMatchObject({ principal: { type: 'service' }, details: { reason: `${id} not_owner` } });
  });

  it('is taken over by another owner, who sends what was missed', async () => {
    const former = await addOwner();
    const { id, receiver } = await subscribe(former.api, ['note.*']);
    await writeNote('first');
    await until(() => titlesOf(receiver).includes('first'), Boolean);
    const sequence = receiver.received[0]!.event.sequence as number;
    expect((await owner[0]!.patch(`/v1/api/users/${former.id}`, { role: 'editor' })).status).toBe(200);
    await writeNote('missed');
    await until(
      () => read(id),
      ({ status }) => status === 'disabled',
    );
    expect((await change(former.api, id, { status: 'enabled' })).status).toBe(403);
    const enabled = await change(owner[1]!, id, { status: 'enabled' });
    expect(enabled.body.data).toMatchObject({ status: 'enabled', disabledReason: null, ownerId: me.userId });
    await writeNote('later');
    await until(() => titlesOf(receiver).includes('later'), Boolean);
    expect(titlesOf(receiver)).toEqual(['first', 'later']);
    expect((await owner[0]!.post(`${path}/${id}/replay?from=${sequence + 1}`)).status).toBe(200);
    await until(() => titlesOf(receiver).includes('missed'), Boolean);
  });

  it('is taken over before its next delivery, but not by a change of the description', async () => {
    const former = await addOwner();
    const [taken, described] = [await subscribe(former.api, ['note.*']), await subscribe(former.api, ['note.*'])];
    expect((await owner[0]!.patch(`/v1/api/users/${former.id}`, { role: 'reader' })).status).toBe(200);
    expect((await change(owner[0]!, taken.id, { status: 'enabled' })).body.data.ownerId).toBe(me.userId);
    const same = await change(owner[0]!, described.id, { description: 'Reports' });
    expect(same.body.data).toMatchObject({ ownerId: former.id, status: 'enabled' });
    await writeNote('next');
    await until(() => titlesOf(taken.receiver).includes('next'), Boolean);
    await until(
      () => read(described.id),
      ({ disabledReason }) => disabledReason === 'not_owner',
    );
    expect(described.receiver.received).toEqual([]);
    const [entry] = (
      await owner[0]!.get(`${workspace}/audit?kind=subscription_changed&limit=10`)
    ).body.data.items.filter(({ details }: { details: { reason: string } }) => details.reason.startsWith(taken.id));
    expect(entry.details.reason).toBe(`${taken.id} ownerId`);
  });

  it.each<[string, (member: Member) => Promise<unknown>]>([
    ['whose membership has ended', ({ id }) => owner[0]!.delete(`/v1/api/users/${id}`)],
    ['whose membership is suspended', ({ id }) => owner[0]!.patch(`/v1/api/users/${id}`, { status: 'suspended' })],
    ['whom the operator suspends', ({ id }) => operator.suspend(id)],
  ])('%s is disabled, and pings are not sent', async (_, end) => {
    const former = await addOwner();
    const { id, receiver } = await subscribe(former.api, ['note.*']);
    await end(former);
    expect((await owner[1]!.post(`${path}/${id}/ping`)).status).toBe(200);
    await until(
      () => read(id),
      ({ disabledReason }) => disabledReason === 'not_owner',
    );
    expect(receiver.received).toEqual([]);
    const ping = await owner[0]!.post(`${path}/${id}/ping`);
    expect([ping.status, ping.body.error]).toEqual([409, 'subscription_disabled']);
  });
});
