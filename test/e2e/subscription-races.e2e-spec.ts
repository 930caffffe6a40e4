import type { ServerResponse } from 'node:http';
import { Api } from '../support/api.js';
import type { Database } from '../support/database.js';
import { Receiver } from '../support/receiver.js';
import { DELIVERING, type SharedService, shareServices } from '../support/shared-services.js';
import { until } from '../support/until.js';

interface Delivery {
  status: string;
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
