import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setMaxListeners } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Server as RawServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from '../../../test/support/until.js';
import { DeliverySender } from './delivery-sender.js';
import { NameResolver } from './name-resolver.js';
import { NetworkPolicy } from './network-policy.js';

const TIMEOUT_MS = 3_000;

/** Longer than a busy machine takes for an attempt that must not end by its time limit. */
const LONG_MS = 60_000;

/** The channel on which Node reports each new socket of a client. */
const CLIENT_SOCKETS = 'net.client.socket';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const createSender = (timeoutMs: number) =>
  new DeliverySender(new NetworkPolicy(['127.0.0.1']), new NameResolver(), timeoutMs);

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
    sender = createSender(LONG_MS);
  });

  afterEach(() => {
    sender.close();
    server.closeAllConnections();
    server.close();
  });

  const url = (host: string) => `http://${host}:${(server.address() as AddressInfo).port}/`;

  it('ends each request after the timeout, with the status that it has, also while memory is being freed', async () => {
    const impatient = createSender(TIMEOUT_MS);
    answer = (response) => {
      if (requests === 1) response.writeHead(200).write('begin');
    };
    const timer = setInterval(collectGarbage, 200);
    const send = () => impatient.send(url('127.0.0.1'), {}, '{}', running);
    const begun = send();
    await until(() => requests === 1, Boolean);
    const results = await Promise.allSettled(Array.from({ length: 20 }, send));
    clearInterval(timer);
    for (const result of results)
      expect(result).toMatchObject({ status: 'rejected', reason: { message: 'No response within 3 s' } });
    expect(await begun).toMatchObject({ status: 200, body: 'begin' });
    impatient.close();
  });

  it(
    'waits for a moment only for the body after the status',
    async () => {
      answer = (response) => void response.writeHead(200).write('begin');
      expect(await sender.send(url('127.0.0.1'), {}, '{}', running)).toEqual({ status: 200, body: 'begin' });
    },
    LONG_MS / 2,
  );

  it('sends a request again if the receiver closes a reused connection', async () => {
    answer = (response) => response.writeHead(204).end();
    await sender.send(url('127.0.0.1'), {}, '{}', running);
    answer = (response) => (requests === 2 ? response.destroy() : response.writeHead(204).end());
    expect(await sender.send(url('127.0.0.1'), {}, '{}', running)).toMatchObject({ status: 204 });
    expect(requests).toBe(3);
  });

  it('sends a request once if the receiver resets a reused connection while it responds', async () => {
    answer = (response) => response.writeHead(204).end();
    let client: Socket;
    const addSocket = (message: unknown): void => void ({ socket: client } = message as { socket: Socket });
    subscribe(CLIENT_SOCKETS, addSocket);
    await sender.send(url('127.0.0.1'), {}, '{}', running);
    unsubscribe(CLIENT_SOCKETS, addSocket);
    answer = (response) => {
      const connection = response.socket!;
      const { bytesRead } = client;
      response.writeHead(200, { 'Content-Length': 9 }).write('start');
      // The sender reads the beginning of the response first.
      void until(() => client.bytesRead > bytesRead, Boolean).then(() => connection.resetAndDestroy());
    };
    expect(await sender.send(url('127.0.0.1'), {}, '{}', running)).toEqual({ status: 200, body: 'start' });
    answer = (response) => response.writeHead(204).end();
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
    subscribe(CLIENT_SOCKETS, onSocket);
    const closed = new Promise<void>((done) => {
      answer = (response) => {
        response.on('close', done).on('error', () => undefined);
        response.end(Buffer.alloc(10 * 1024 * 1024, 'x'));
      };
    });
    const { status, body } = await sender.send(url('127.0.0.1'), {}, '{}', running);
    unsubscribe(CLIENT_SOCKETS, onSocket);
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
    const names = new NameResolver();
    names.resolve = (hostname) => {
      asked.push(hostname);
      return Promise.resolve([{ address: answers.shift() ?? '127.0.0.1', family: 4 }]);
    };
    const policy = new NetworkPolicy([]);
    const check = await new Promise((done) =>
      policy.createLookup(names)('rebinding.example', {}, (_error, address) => done(address)),
    );
    expect(check).toBe('93.184.216.34');
    const strict = new DeliverySender(policy, names, LONG_MS);
    await expect(strict.send(url('rebinding.example'), {}, '{}', running)).rejects.toThrow(
      'rebinding.example has an address that is not public',
    );
    strict.close();
    expect(asked).toEqual(['rebinding.example', 'rebinding.example']);
    expect(requests).toBe(0);
  });

  describe('if the receiver does not follow HTTP', () => {
    const receivers: RawServer[] = [];
    const sockets = new Set<Socket>();

    afterAll(() => {
      for (const socket of sockets) socket.destroy();
      for (const receiver of receivers) receiver.close();
    });

    /** Sends a request to a new receiver. @returns what the attempt ended with. */
    async function attempt(by: DeliverySender, behavior: (socket: Socket) => void, body = '{}'): Promise<unknown> {
      const receiver = createRawServer({ allowHalfOpen: true }, (socket) => {
        sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
        behavior(socket);
      });
      receivers.push(receiver);
      await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
      const sent = by.send(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`, {}, body, running);
      const result = sent.then(({ status, body: text }) => ({ status, body: text }));
      const pending = delay(10 * TIMEOUT_MS, 'the attempt is still pending', { ref: false });
      return Promise.race([result.catch((error: unknown) => (error as Error).message), pending]);
    }

    const respond = (text: string) => (socket: Socket) => void socket.once('data', () => socket.write(text));
    const timeout = 'No response within 3 s';

    const CASES: [name: string, behavior: (socket: Socket) => void, outcome: unknown, body?: string][] = [
      [
        'switches the protocol',
        respond('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
        { status: 101, body: '' },
      ],
      [
        'switches the protocol without a name',
        respond('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
        { status: 101, body: '' },
      ],
      ['sends one interim response', respond('HTTP/1.1 103 Early Hints\r\n\r\n'), timeout],
      [
        'sends interim responses without an end',
        respond('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)),
        'More than 10 interim responses',
      ],
      [
        'sends an interim response before its response',
        respond('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
        { status: 200, body: 'ok' },
      ],
      ['ends its side without a response', (socket) => void socket.resume().end(), 'socket hang up'],
      [
        'ends its side in the header',
        (socket) => void socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent')),
        'socket hang up',
      ],
      [
        'ends its side in the body',
        (socket) => void socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nstart')),
        { status: 200, body: 'start' },
      ],
      ['sends a header slowly', respond('HTTP/1.1 200 OK\r\nX'), timeout],
      [
        'does not send what it announced',
        respond('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'),
        { status: 200, body: '' },
      ],
      ['sends no HTTP', respond('hello\r\n'), expect.stringMatching(/^Parse Error/)],
      ['reads nothing', (socket) => void socket.pause(), timeout, 'x'.repeat(20 * 1024 * 1024)],
    ];
    const outcomes = new Map<string, unknown>();

    // All at once: some last until their limit.
    beforeAll(async () => {
      const impatient = createSender(TIMEOUT_MS);
      await Promise.all(
        CASES.map(async ([name, behavior, , body]) => outcomes.set(name, await attempt(impatient, behavior, body))),
      );
      impatient.close();
    });

    it.each(CASES)('ends the attempt within its limit: it %s', (name, _behavior, expected) => {
      expect(outcomes.get(name)).toEqual(expected);
    });

    it('closes a connection whose receiver responds before it has read the request', async () => {
      const opened: Socket[] = [];
      const onSocket = (message: unknown): void => void opened.push((message as { socket: Socket }).socket);
      subscribe(CLIENT_SOCKETS, onSocket);
      const respondEarly = (socket: Socket): void =>
        void socket.pause().write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      expect(await attempt(sender, respondEarly, 'x'.repeat(20 * 1024 * 1024))).toEqual({ status: 200, body: '' });
      unsubscribe(CLIENT_SOCKETS, onSocket);
      await until(() => opened.every(({ destroyed }) => destroyed), Boolean);
      expect(opened).toHaveLength(1);
    });

    it('retains at most 100 idle connections to all receivers', async () => {
      answer = (response) => response.writeHead(204).end();
      const hosts = Array.from({ length: 130 }, (_, index) => `127.0.1.${index + 1}`);
      const others = createServer((_request, response) => response.writeHead(204).end());
      await new Promise<void>((done) => others.listen(0, done));
      const { port } = others.address() as AddressInfo;
      const open = new Set<Socket>();
      others.on('connection', (socket: Socket) => {
        open.add(socket);
        socket.on('close', () => open.delete(socket));
      });
      const many = new DeliverySender(new NetworkPolicy(['127.0.0.0/8']), new NameResolver(), LONG_MS);
      await Promise.all(hosts.map((host) => many.send(`http://${host}:${port}/`, {}, '{}', running)));
      await until(() => open.size <= 100, Boolean);
      expect(open.size).toBe(100);
      many.close();
      others.closeAllConnections();
      others.close();
    });
  });
});
