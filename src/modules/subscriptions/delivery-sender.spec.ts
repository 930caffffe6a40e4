import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setMaxListeners } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DeliverySender } from './delivery-sender.js';
import { NetworkPolicy, type Resolver } from './network-policy.js';

const TIMEOUT_MS = 300;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('the sender of deliveries', () => {
  let server: Server;
  let answer: (response: ServerResponse) => void;
  let requests: number;
  let sender: DeliverySender;
  const running = new AbortController().signal;
  setMaxListeners(0, running);

  beforeEach(async () => {
    requests = 0;
    server = createServer((request, response) => {
      requests++;
      request.resume();
      answer(response);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    sender = new DeliverySender(new NetworkPolicy(['127.0.0.1']), TIMEOUT_MS);
  });

  afterEach(() => {
    sender.close();
    server.closeAllConnections();
    server.close();
  });

  const url = (host: string) => `http://${host}:${(server.address() as AddressInfo).port}/`;

  it('ends each request after the timeout, also while memory is being freed', async () => {
    answer = () => undefined;
    const timer = setInterval(collectGarbage, 20);
    const sent = Array.from({ length: 20 }, () => sender.send(url('127.0.0.1'), {}, '{}', running));
    const results = await Promise.allSettled(sent);
    clearInterval(timer);
    for (const result of results)
      expect(result).toMatchObject({ status: 'rejected', reason: { message: 'No response within 0.3 s' } });
  }, 10_000);

  it('ends a request whose body does not end, with its status', async () => {
    answer = (response) => response.writeHead(200).write('begin');
    const timer = setInterval(collectGarbage, 20);
    const response = await sender.send(url('127.0.0.1'), {}, '{}', running);
    clearInterval(timer);
    expect(response).toMatchObject({ status: 200, body: 'begin' });
  }, 10_000);

  it('sends a request again if the receiver closes a reused connection', async () => {
    answer = (response) => response.writeHead(204).end();
    await sender.send(url('127.0.0.1'), {}, '{}', running);
    answer = (response) => (requests === 2 ? response.destroy() : response.writeHead(204).end());
    expect(await sender.send(url('127.0.0.1'), {}, '{}', running)).toMatchObject({ status: 204 });
    expect(requests).toBe(3);
  });

  it('sends a request once if the receiver closes a new connection', async () => {
    answer = (response) => response.destroy();
    await expect(sender.send(url('127.0.0.1'), {}, '{}', running)).rejects.toThrow('socket hang up');
    expect(requests).toBe(1);
  });

  it('ends a request when the instance stops', async () => {
    answer = () => stopping.abort();
    const stopping = new AbortController();
    await expect(sender.send(url('127.0.0.1'), {}, '{}', stopping.signal)).rejects.toThrow('The instance stopped');
  });

  it('reads the beginning of a body of 10 MB, and closes its connection', async () => {
    const sockets: Socket[] = [];
    const onSocket = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
    const channel = 'net.client.socket';
    subscribe(channel, onSocket);
    const closed = new Promise<void>((done) => {
      answer = (response) => {
        response.on('close', done).on('error', () => undefined);
        response.end(Buffer.alloc(10 * 1024 * 1024, 'x'));
      };
    });
    const { status, body } = await sender.send(url('127.0.0.1'), {}, '{}', running);
    unsubscribe(channel, onSocket);
    expect({ status, body }).toEqual({ status: 200, body: 'x'.repeat(1_024) });
    await closed;
    expect(sockets).toHaveLength(1);
    // 64 KiB, and what the connection had received meanwhile.
    expect(sockets[0]!.bytesRead).toBeLessThan(256 * 1024);
  });

  it('sends nothing to a name that has a public address at the check and a private one at the connection', async () => {
    answer = (response) => response.writeHead(204).end();
    const asked: string[] = [];
    const answers = ['93.184.216.34'];
    const resolver: Resolver = (hostname, _options, callback) => {
      asked.push(hostname);
      callback(null, [{ address: answers.shift() ?? '127.0.0.1', family: 4 }]);
    };
    const policy = new NetworkPolicy([], resolver);
    const check = await new Promise((done) =>
      policy.lookup('rebinding.example', {}, (_error, address) => done(address)),
    );
    expect(check).toBe('93.184.216.34');
    const strict = new DeliverySender(policy, TIMEOUT_MS);
    await expect(strict.send(url('rebinding.example'), {}, '{}', running)).rejects.toThrow(
      '127.0.0.1 is not a public address',
    );
    strict.close();
    expect(asked).toEqual(['rebinding.example', 'rebinding.example']);
    expect(requests).toBe(0);
  });
});
