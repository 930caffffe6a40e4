import type { ServerResponse } from 'node:http';
import { Api } from '../support/api.js';
import { ACTIVITY, type Database } from '../support/database.js';
import { Receiver } from '../support/receiver.js';
import { DELIVERING, type SharedService, shareServices } from '../support/shared-services.js';
import { until } from '../support/until.js';

interface Delivery {
  id: string;
  status: string;
  nextAttemptAt: string | null;
  attempts: { responseStatus: number | null }[];
}

let services: SharedService[];
let database: Database;
/** The owner, on each instance. */
let owner: Api[];
let workspace: string;
let path: string;
const receivers: Receiver[] = [];

beforeAll(async () => {
  ({ services, database } = await shareServices(2, DELIVERING));
});

beforeEach(async () => {
  const { workspaceId, apiKey } = await services[0]!.provision();
  owner = services.map(({ baseUrl }) => new Api(baseUrl).withKey(apiKey));
  workspace = `/v2/api/workspaces/${workspaceId}`;
  path = `${workspace}/subscriptions`;
});

afterEach(() => {
  for (const receiver of receivers.splice(0)) receiver.stop();
});

async function receive(...behavior: Parameters<typeof Receiver.start>): Promise<Receiver> {
  const receiver = await Receiver.start(...behavior);
  receivers.push(receiver);
  return receiver;
}

async function subscribe(url: string): Promise<string> {
  const { status, body } = await owner[0]!.post(path, { url, events: ['note.created'] });
  expect(status).toBe(201);
  return body.data.id as string;
}

async function change(id: string, body: object): Promise<void> {
  expect((await owner[1]!.patch(`${path}/${id}`, body)).status).toBe(200);
}

const writeNote = async (title: string) =>
  expect((await owner[0]!.post(`${workspace}/notes`, { title })).status).toBe(201);
const read = async (id: string) => (await owner[0]!.get(`${path}/${id}`)).body.data;
const deliveries = async (id: string): Promise<Delivery[]> =>
  (await owner[0]!.get(`${path}/${id}/deliveries`)).body.data.items;
const titlesOf = ({ received }: Receiver) => received.map(({ event }) => event.data.note?.title as string);

const accept = (response: ServerResponse) => void response.writeHead(204).end();

describe('an answer that a receiver sends late', () => {
  const move = (id: string, { url }: Receiver) => change(id, { url });

  /** The new receiver rejects the first event: the time of failures begins again with it. */
  async function moveToBusy(id: string, next: Receiver): Promise<void> {
    next.behavior = (response) => {
      next.behavior = accept;
      response.writeHead(503).end();
    };
    await move(id, next);
  }

  async function enableAgain(id: string): Promise<void> {
    await change(id, { status: 'disabled' });
    await change(id, { status: 'enabled' });
  }

  async function replay(id: string): Promise<void> {
    expect((await owner[1]!.post(`${path}/${id}/replay?from=1`)).status).toBe(200);
  }

  it.each<[number, string, (id: string, next: Receiver) => Promise<void>]>([
    [410, 'was moved', move],
    [410, 'was enabled again', enableAgain],
    [503, 'was moved', move],
    [503, 'was moved to a busy receiver', moveToBusy],
    [503, 'was enabled again', enableAgain],
    [503, 'was replayed', replay],
  ])('does not disable the subscription: %s after it %s', async (status, _, changeMeanwhile) => {
    const [first, next] = [await receive(), await receive()];
    const answers: ServerResponse[] = [];
    first.behavior = (response) => void answers.push(response);
    const id = await subscribe(first.url);
    // The next failure disables the subscription.
    const sql = `UPDATE subscriptions SET failing_since = now() - interval '6 days' WHERE id = $1`;
    if (status === 503) await database.query(sql, [id]);
    await writeNote('Late');
    await until(() => answers.length === 1, Boolean);
    first.behavior = accept;
    await changeMeanwhile(id, next);
    answers[0]!.writeHead(status).end();
    await writeNote('Next');
    const isSent = () => [...titlesOf(first), ...titlesOf(next)].includes('Next');
    await until(async () => isSent() || (await read(id)).status === 'disabled');
    // No attempt is in progress, and none is due.
    await until(async () => (await deliveries(id)).every((delivery) => delivery.status !== 'pending'));
    expect(await read(id)).toMatchObject({ status: 'enabled', disabledReason: null });
    expect(isSent()).toBe(true);
    const [{ isFailing }] = (await database.query(
      'SELECT failing_since IS NOT NULL AS "isFailing" FROM subscriptions WHERE id = $1',
      [id],
    )) as [{ isFailing: boolean }];
    expect(isFailing).toBe(false);
  });
});

describe('a subscription', () => {
  const disable = (id: string) => owner[0]!.patch(`${path}/${id}`, { status: 'disabled' });
  const remove = (id: string) => owner[0]!.delete(`${path}/${id}`);
  const ping = (id: string) => owner[1]!.post(`${path}/${id}/ping`);
  const redeliver = (id: string, { id: delivery }: Delivery) =>
    owner[1]!.post(`${path}/${id}/deliveries/${delivery}/redeliver`);

  it.each<[string, string, typeof redeliver, typeof disable, unknown[]]>([
    ['disabled', 'pings', ping, disable, [409, 'subscription_disabled']],
    ['disabled', 'redeliveries', redeliver, disable, [409, 'subscription_disabled']],
    ['deleted', 'pings', ping, remove, [404, 'not_found']],
    ['deleted', 'redeliveries', redeliver, remove, [404, 'not_found']],
  ])('that is being %s rejects %s, and sends nothing more', async (_, __, send, end, expected) => {
    const receiver = await receive();
    const id = await subscribe(receiver.url);
    await writeNote('Sent');
    const [sent] = await until(
      () => deliveries(id),
      ([first]) => first?.status === 'succeeded',
    );
    receiver.behavior = (response) => void response.writeHead(503, { 'Retry-After': '3600' }).end();
    await writeNote('Queued');
    const [queued] = await until(
      () => deliveries(id),
      (all) => all.length === 2 && typeof all[0]!.nextAttemptAt === 'string' && all[0]!.attempts.length > 0,
    );
    // The end waits for the lock of a queued delivery, after it has locked the subscription.
    const entry = `workspace_id = '${workspace.split('/').at(-1)}' AND id = '${queued!.id}'`;
    const unlock = await database.lock(`SELECT 1 FROM event_deliveries WHERE ${entry} FOR UPDATE`);
    const waiting = `SELECT FROM ${ACTIVITY} WHERE datname = current_database() AND wait_event_type = 'Lock'
                        AND query ~ 'ubscription|event_deliveries'`;
    const untilWaiting = (requests: number, hasAnswer: () => boolean) =>
      until(async () => hasAnswer() || (await database.query(waiting)).length >= requests);
    const ending = end(id);
    await untilWaiting(1, () => false);
    let hasAnswer = false;
    const sending = send(id, sent!).finally(() => (hasAnswer = true));
    await untilWaiting(2, () => hasAnswer);
    await unlock();
    expect((await ending).status).toBe(200);
    const { status, body } = await sending;
    expect([status, body.error]).toEqual(expected);
    const left = `SELECT FROM event_deliveries WHERE subscription_id = $1 AND due_at IS NOT NULL`;
    expect(await database.query(left, [id])).toEqual([]);
    expect(titlesOf(receiver)).toEqual(['Sent', 'Queued']);
  });
});
