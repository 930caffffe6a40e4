import { createSocket, type Socket as DnsSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { measureElapsed } from '../support/elapsed.js';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { Receiver } from '../support/receiver.js';
import { preload, TestDatabase, TestService } from '../support/service.js';
import { sendWhile } from '../support/small-requests.js';
import { until } from '../support/until.js';

const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

/** A workspace, which has half of the attempts, sends as many deliveries at a time as there are hostile receivers. */
const RECEIVERS = 22;

/** Within which an attempt ends if its name server is silent. A request that waits for it takes as long, or forever. */
const SILENCE_MS = 3_000;

const SETTINGS = {
  EVENTS_ALLOW_HTTP: 'true',
  EVENTS_ALLOWED_NETWORKS: '127.0.0.1',
  EVENTS_CONCURRENCY: String(2 * RECEIVERS),
  EVENTS_RETRY_DELAYS_S: '1,1,1',
  SHUTDOWN_TIMEOUT_MS: '20000',
};

describe('receivers that do not answer', () => {
  let database: TestDatabase;
  let service: TestService;
  let hostile: Server;
  let receiver: Receiver;
  let names: DnsSocket;
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    database = await TestDatabase.create();
    names = createSocket('udp4');
    await new Promise<void>((done) => names.bind(0, '127.0.0.1', done));
  });

  beforeEach(async () => {
    receiver = await Receiver.start();
    hostile = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket.on('error', () => undefined));
      socket.once('data', () => socket.write(SWITCH));
    });
    await new Promise<void>((done) => hostile.listen(0, '127.0.0.1', done));
  });

  afterEach(async () => {
    await service?.stop('SIGKILL');
    receiver.stop();
    for (const socket of sockets) socket.destroy();
    hostile.close();
  });

  afterAll(async () => {
    names.close();
    await database?.drop();
  });

  const callerOf = ({ apiKey }: Credentials) => new Api(service.baseUrl).withKey(apiKey);
  const pathOf = ({ workspaceId }: Credentials, path: string) => `/v2/api/workspaces/${workspaceId}/${path}`;

  async function subscribe(owner: Credentials, url: string): Promise<string> {
    const { status, body } = await callerOf(owner).post(pathOf(owner, 'subscriptions'), {
      url,
      events: ['note.created'],
    });
    expect(status).toBe(201);
    return body.data.id as string;
  }

  const attemptsOf = async (owner: Credentials, id: string): Promise<any[]> =>
    (await callerOf(owner).get(pathOf(owner, `subscriptions/${id}/deliveries`))).body.data.items[0]?.attempts ?? [];

  it('end each attempt if they switch the protocol, delay no other workspace, and not the end of the process', async () => {
    service = await TestService.start(database, { ...SETTINGS, EVENTS_TIMEOUT_MS: '1000' });
    const [attacker, other] = [await service.provision(), await service.provision()];
    const url = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}/`;
    const ids = await Promise.all(Array.from({ length: RECEIVERS }, () => subscribe(attacker, url)));
    await subscribe(other, receiver.url);
    await callerOf(attacker).post(pathOf(attacker, 'notes'), { title: 'Note' });
    const [id] = ids;
    await until(async () => (await attemptsOf(attacker, id!)).length > 0);
    expect((await attemptsOf(attacker, id!))[0]).toMatchObject({ responseStatus: 101, error: null });
    await callerOf(other).post(pathOf(other, 'notes'), { title: 'Note' });
    await until(() => receiver.received.length > 0, Boolean);
    const elapsed = measureElapsed();
    expect(await service.stop()).toBe(0);
    // It would wait for SHUTDOWN_TIMEOUT_MS.
    expect(elapsed()).toBeLessThan(15_000);
    expect(service.output.join('')).not.toContain('The shutdown timeout is over');
  });

  it('use no threads of requests if their name server is silent', async () => {
    service = await TestService.start(database, {
      ...SETTINGS,
      EVENTS_TIMEOUT_MS: String(SILENCE_MS),
      NODE_OPTIONS: preload('silent-names.mjs'),
      SILENT_DNS: `127.0.0.1:${names.address().port}`,
    });
    const [attacker, other] = [await service.provision(), await service.provision()];
    const urls = Array.from({ length: RECEIVERS }, (_, number) => `http://receiver-${number}.silent.test/`);
    const ids = await Promise.all(urls.map((url) => subscribe(attacker, url)));
    await callerOf(attacker).post(pathOf(attacker, 'notes'), { title: 'Note' });
    const { statuses, p99 } = await sendWhile(callerOf(other), pathOf(other, 'notes'), async () => {
      for (const id of ids)
        await until(
          () => attemptsOf(attacker, id),
          (attempts) => attempts.length > 1,
        );
    });
    expect(Object.keys(statuses).sort()).toEqual(['200', '201']);
    expect(p99).toBeLessThan(SILENCE_MS);
    const [attempt] = await attemptsOf(attacker, ids[0]!);
    expect(attempt).toMatchObject({ responseStatus: null, error: 'No response within 3 s' });
  });
});
