import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { passwordGrant } from '../support/tokens.js';
import { Tunnel } from '../support/tunnel.js';

describe('the number of statements, including BEGIN and COMMIT,', () => {
  let database: TestDatabase;
  let tunnel: Tunnel;
  let service: TestService;
  let me: Credentials;
  let api: Api;

  beforeAll(async () => {
    database = await TestDatabase.create();
    tunnel = await Tunnel.to(database);
    // During the test, the instance neither looks for queued work nor reads the signing keys.
    const settings = { DATABASE_URL: tunnel.url, JOB_POLL_S: '60', SIGNING_KEY_RELOAD_S: '120' };
    service = await TestService.start(database, settings);
    me = await service.provision();
    api = new Api(service.baseUrl);
    expect((await api.token(passwordGrant(me))).status).toBe(200);
  });

  afterAll(async () => {
    await service?.stop();
    await tunnel?.close();
    await database?.drop();
  });

  /** Waits until the events of earlier requests are numbered. */
  async function untilQuiet(): Promise<void> {
    let before: number;
    do {
      before = tunnel.statements;
      await delay(1_000);
    } while (tunnel.statements !== before);
  }

  async function counted(request: () => Promise<{ status: number }>, status: number): Promise<number> {
    const before = tunnel.statements;
    expect((await request()).status).toBe(status);
    return tunnel.statements - before;
  }

  /**
   * The number of the request itself: on a busy machine, its events may be numbered before the client has received the
   * response, and the use of its API key is recorded once a minute.
   */
  async function countFewest(request: () => Promise<{ status: number }>, status: number): Promise<number> {
    await request();
    const counts: number[] = [];
    for (let run = 0; run < 3; run++) {
      await untilQuiet();
      counts.push(await counted(request, status));
    }
    return Math.min(...counts);
  }

  it('is 4 for a sign-in, 1 for a refresh, and 5 for rejected credentials', async () => {
    let refreshToken = '';
    const send = async (body: Record<string, unknown>) => {
      const answer = await api.token(body);
      refreshToken = (answer.body.data?.refresh_token as string | undefined) ?? refreshToken;
      return answer;
    };
    expect(await counted(() => send(passwordGrant(me)), 200)).toBe(4);
    expect(await counted(() => send({ grant_type: 'refresh_token', refresh_token: refreshToken }), 200)).toBe(1);
    const other = await service.provision();
    const wrong = { clientId: me.clientId, clientSecret: other.clientSecret };
    // The transaction that finds the reason and the user of the client, and the entry of
    // the rejection in the audit log.
    expect(await counted(() => send(passwordGrant(wrong)), 401)).toBe(5);
    // The user of the client, and the entry.
    expect(await counted(() => send(passwordGrant({ ...wrong, clientSecret: 'typo' })), 401)).toBe(2);
  });

  it('is 8 for a note, 14 for a row that is written, and 3 for one that is read', async () => {
    const caller = api.withKey(me.apiKey);
    const path = `/v2/api/workspaces/${me.workspaceId}`;
    const columns = ['Key', 'Name'].map((name) => ({ name, type: 'text' }));
    const assets = [{ name: 'Counted', columns, items: [] }];
    expect((await caller.post(`${path}/cw/assets/bulk`, { assets })).status).toBe(201);
    let written = 0;
    const put = () => caller.put(`${path}/cw/assets/Counted/items/a`, { name: `Pump ${++written}` });
    for (const [request, status, count] of [
      [() => caller.post(`${path}/notes`, { title: 'Leak' }), 201, 8],
      [put, 200, 14],
      [() => caller.get(`${path}/cw/assets/Counted/items/a`), 200, 3],
    ] as const)
      expect(await countFewest(request, status)).toBe(count);
  });

  it('does not depend on what could refer to a project when it is created', async () => {
    const caller = api.withKey(me.apiKey);
    const create = () => caller.post('/v1/api/projects', { name: 'Plant' });
    // The API key, the project with its entry in the directory and its event, and the transaction.
    expect(await countFewest(create, 201)).toBe(6);
  });

  it('grows by two per table that receives a row: the comparison and the insertion', async () => {
    const caller = api.withKey(me.apiKey);
    let key = 0;
    const write = (tables: number) => {
      const columns = [{ name: 'Key', type: 'text' }];
      const assets = Array.from({ length: tables }, (_, at) => ({
        name: `T${at}`,
        columns,
        items: [{ key: `k${++key}` }],
      }));
      return caller.post(`/v2/api/workspaces/${me.workspaceId}/cw/assets/bulk`, { assets });
    };
    expect((await write(20)).status).toBe(201);
    // The API key, the tables, their locks and revisions, the time of the batch, the batch,
    // the origins of the revisions, its events, its entry in the audit log, and the transaction.
    expect([await countFewest(() => write(2), 200), await countFewest(() => write(20), 200)]).toEqual([
      11 + 2 * 2,
      11 + 2 * 20,
    ]);
  });

  it('is one per second for 500 readers that wait for events, and one for each when all of them receive one', async () => {
    const path = `/v2/api/workspaces/${me.workspaceId}`;
    const caller = api.withKey(me.apiKey);
    const { latestSequence } = (await caller.get(`${path}/events`)).body.data;
    const waiting: Promise<{ status: number; body: any }>[] = [];
    // A burst of readers is rejected as any other burst of requests, if the machine is busy.
    const read = async (): Promise<{ status: number; body: any }> => {
      const answer = await caller.get(`${path}/events?after=${latestSequence}&wait=40`);
      return answer.body.error === 'overloaded' ? delay(100).then(read) : answer;
    };
    for (let burst = 0; burst < 10; burst++) {
      for (let reader = 0; reader < 50; reader++) waiting.push(read());
      await delay(300);
    }
    // Rejected readers try again: wait until all of them wait for events.
    for (let sent = -1; tunnel.statements - sent > 2;) {
      sent = tunnel.statements;
      await delay(1_000);
    }
    const before = tunnel.statements;
    await delay(3_000);
    expect(tunnel.statements - before).toBeLessThanOrEqual(4);
    expect((await caller.post(`${path}/notes`, { title: 'Leak' })).status).toBe(201);
    const answers = await Promise.all(waiting);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.data.nextCursor as number))).toEqual(new Set([latestSequence + 1]));
    // The API key of each reader is read again; the event is read once.
    expect(tunnel.statements - before).toBeLessThan(waiting.length + 50);
  });
});
