import type { ServerResponse } from 'node:http';
import { Api } from '../support/api.js';
import { Receiver } from '../support/receiver.js';
import { TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

/**
 * Nothing but the end of an attempt starts the next one: the job queue and the retries run later, and a test answers
 * within the time limit, also on a busy machine.
 */
const SETTINGS = {
  EVENTS_ALLOW_HTTP: 'true',
  EVENTS_ALLOWED_NETWORKS: '127.0.0.1',
  EVENTS_CONCURRENCY: '24',
  EVENTS_TIMEOUT_MS: '30000',
  EVENTS_RETRY_DELAYS_S: '3600',
  JOB_POLL_S: '60',
};

describe('concurrent deliveries', () => {
  let database: TestDatabase;
  let service: TestService;
  let api: Api;
  let workspace: string;
  const receivers: Receiver[] = [];

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database, SETTINGS);
  });

  beforeEach(() => provision());

  afterEach(() => {
    for (const receiver of receivers.splice(0)) receiver.stop();
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  /** A workspace and its owner, from now on those of `subscribe`, and by default those of `writeNotes`. */
  async function provision() {
    const { apiKey, workspaceId } = await service.provision();
    api = new Api(service.baseUrl).withKey(apiKey);
    workspace = `/v2/api/workspaces/${workspaceId}`;
    return { caller: api, path: workspace };
  }

  async function subscribe(...behavior: Parameters<typeof Receiver.start>): Promise<Receiver & { id: string }> {
    const receiver = await Receiver.start(...behavior);
    receivers.push(receiver);
    const { body } = await api.post(`${workspace}/subscriptions`, { url: receiver.url, events: ['note.created'] });
    return Object.assign(receiver, { id: body.data.id as string });
  }

  async function writeNotes(count: number, { caller, path } = { caller: api, path: workspace }): Promise<void> {
    for (let number = 1; number <= count; number++) await caller.post(`${path}/notes`, { title: `Note ${number}` });
  }

  it.each([0, 4, 9])('continue after attempt %i of those in progress has failed', async (failing) => {
    const open: ServerResponse[] = [];
    const receiver = await subscribe((response) => void open.push(response));
    await writeNotes(25);
    await until(() => open.length === 10, Boolean);
    receiver.behavior = (response) => response.writeHead(204).end();
    for (const [index, response] of open.entries()) {
      response.writeHead(index === failing ? 500 : 204).end();
      // One after the other: the next response arrives when this attempt is stored.
      const path = `${workspace}/subscriptions/${receiver.id}/deliveries?limit=100`;
      const isStored = ({ attempts }: { attempts: unknown[] }): boolean => attempts.length > 0;
      await until(async () => (await api.get(path)).body.data.items.filter(isStored).length > index);
    }
    await until(() => receiver.received.length === 25, Boolean);
    expect(new Set(receiver.received.map(({ event }) => event.sequence)).size).toBe(25);
  });

  it('are overdue in the metrics while no instance attempts them, but not if their receiver fails', async () => {
    await database.query('DELETE FROM event_deliveries');
    const metric = async (name: string): Promise<number> => {
      const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
      return Number(new RegExp(`^atrium_event_deliveries_${name} (\\S+)$`, 'm').exec(text)?.[1]);
    };
    const open: ServerResponse[] = [];
    await subscribe((response) => void open.push(response));
    await writeNotes(12);
    await until(() => open.length === 10, Boolean);
    // The metrics omit what the database does not return within a second.
    await until(
      () => metric('pending'),
      (count) => count === 12,
    );
    // The receiver does not answer: two deliveries wait.
    await until(
      () => metric('overdue_seconds'),
      (seconds) => seconds > 1,
    );
    open.shift()!.writeHead(500).end();
    await until(
      () => metric('overdue_seconds'),
      (seconds) => seconds === 0,
    );
    await until(
      () => metric('pending'),
      (count) => count === 12,
    );
    await until(
      () => metric('oldest_seconds'),
      (seconds) => seconds > 1,
    );
    for (const response of open) response.writeHead(204).end();
  });

  it('begin with the first event after a subscription, also if earlier events had no receiver', async () => {
    await writeNotes(3);
    const { events } = (await api.get(`${workspace}/events?types=note.created&wait=5`)).body.data;
    expect(events).not.toEqual([]);
    const receiver = await subscribe();
    await writeNotes(1);
    await until(() => receiver.received.length > 0, Boolean);
    expect(receiver.received.map(({ event }) => event.data.note.number)).toEqual([4]);
  });

  it('are limited per subscription if the statistics of the table are outdated', async () => {
    let highest = 0;
    const open: ServerResponse[] = [];
    const receiver = await subscribe((response) => {
      highest = Math.max(highest, open.push(response));
    });
    const answerAll = () => open.splice(0).forEach((response) => response.writeHead(204).end());
    await database.query('DELETE FROM event_deliveries');
    await writeNotes(1);
    await until(() => receiver.received.length === 1, Boolean);
    answerAll();
    // From now on, PostgreSQL expects one entry, and prefers nested loops.
    await database.query('VACUUM event_deliveries');
    await database.query('ANALYZE event_deliveries');
    await writeNotes(40);
    await until(() => open.length >= 10, Boolean);
    const answering = setInterval(answerAll, 200);
    await until(() => receiver.received.length === 41, Boolean);
    clearInterval(answering);
    answerAll();
    expect(highest).toBe(10);
  });

  it.each([
    ['workspace', 1, 12],
    ['instance', 3, 24],
  ])('are limited per %s, and no receiver is left out', async (_, workspaces, limit) => {
    const open = new Set<ServerResponse>();
    let highest = 0;
    const end = (response: ServerResponse): void => {
      open.delete(response);
      response.writeHead(204).end();
    };
    const each: Receiver[] = [];
    const writing: (() => Promise<void>)[] = [];
    for (let number = 0; number < workspaces; number++) {
      const owner = await provision();
      // The first attempts end when the limit is reached.
      for (let count = 0; count < 4; count++)
        each.push(
          await subscribe((response) => {
            open.add(response);
            highest = Math.max(highest, open.size);
            if (highest === limit) setTimeout(() => [...open].forEach(end), 20);
          }),
        );
      writing.push(
        () => writeNotes(20, owner),
        () => writeNotes(20, owner),
      );
    }
    await Promise.all(writing.map((write) => write()));
    await until(
      () => each.map(({ received }) => received.length),
      (counts) => counts.every((count) => count === 40),
    );
    expect(highest).toBe(limit);
  });

  it('of a workspace whose receivers do not answer delay no other workspace', async () => {
    const open: ServerResponse[] = [];
    for (let count = 0; count < 4; count++) await subscribe((response) => void open.push(response));
    await writeNotes(10);
    await until(() => open.length === 12, Boolean);
    await provision();
    const other = await subscribe();
    await writeNotes(30);
    await until(() => other.received.length === 30, Boolean);
    expect(open).toHaveLength(12);
    for (const response of open) response.writeHead(204).end();
  });
});
