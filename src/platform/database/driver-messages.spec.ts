import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Client, type ClientConfig, Pool } from 'pg';
import { describeAlarm, isDatabaseUnavailable } from './database.errors.js';
import { findDriverErrorMeaning } from '../../../packages/sql/src/driver-messages.js';

/** The sources of the driver whose errors reach the service. */
const SOURCES = ['pg/lib', 'pg/lib/crypto', 'pg-pool', 'pg-protocol/dist'].map((path) => join('node_modules', path));

/** The messages of `new Error(…)` in a file; a part that is computed is `x`. */
function listMessages(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/new (?:Type)?Error\(\s*(['"`])(.*?)\1/gs);
  return [...found].map(([, , message]) => message!.replaceAll(/\$\{[^}]*\}/g, 'x'));
}

/** Messages of code that the service does not execute: encoders of certificates, and checks of the operands of XOR. */
const UNREACHABLE = /^(?:(?:first|second) argument must be|Buffer lengths|Buffers cannot|unknown OID)/;

it('knows each message of the installed driver', () => {
  const files = SOURCES.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.js') && !name.includes('.test.'))
      .map((name) => join(folder, name)),
  );
  const messages = files.flatMap(listMessages).filter((message) => !UNREACHABLE.test(message));
  expect(messages.length).toBeGreaterThan(60);
  expect(messages.filter((message) => findDriverErrorMeaning(message) === undefined)).toEqual([]);
});

describe('a connection', () => {
  let server: Server | undefined;
  const sockets = new Set<Socket>();

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => (server?.listening ? server.close(resolve) : resolve(undefined)));
  });

  const listen = async (onConnection: (socket: Socket) => void): Promise<ClientConfig> => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      onConnection(socket);
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return { host: '127.0.0.1', port, user: 'u', password: 'p', database: 'd', connectionTimeoutMillis: 30_000 };
  };

  const connect = async (config: ClientConfig): Promise<Error> => {
    const client = new Client(config);
    client.on('error', () => undefined);
    return client.connect().then(
      () => Promise.reject(new Error('The connection was opened.')),
      (error: unknown) => error as Error,
    );
  };

  it('to a socket that does not exist is unavailable, other than a file that does not exist', async () => {
    const failure = await connect({ host: '/nowhere', user: 'u', password: 'p', database: 'd' });
    expect([failure.message, isDatabaseUnavailable(failure)]).toEqual([expect.stringContaining('ENOENT'), true]);
    const file = await readFile('/nowhere').catch((error: unknown) => error);
    expect(isDatabaseUnavailable(file)).toBe(false);
  });

  /** `AuthenticationOk` and `ReadyForQuery`. */
  const READY = Buffer.from('5200000008000000005a0000000549', 'hex');

  it.each<[string, string | RegExp, (socket: Socket) => void, ClientConfig]>([
    ['is silent', 'timeout expired', () => undefined, { connectionTimeoutMillis: 100 }],
    ['closes the connection', 'Connection terminated unexpectedly', (socket) => void socket.end(), {}],
    ['resets the connection', /ECONNRESET/, (socket) => void socket.once('data', () => socket.resetAndDestroy()), {}],
    [
      'fails during the encryption',
      'There was an error establishing an SSL connection',
      (socket) => void socket.write('E'),
      { ssl: true },
    ],
  ])('to a server that %s is retried', async (_, message, onConnection, options) => {
    const error = await connect({ ...(await listen(onConnection)), ...options });
    expect(error.message).toMatch(message);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(describeAlarm(error)).toBeUndefined();
  });

  it('to a port without a server is retried', async () => {
    const config = await listen(() => undefined);
    await new Promise((resolve) => server!.close(resolve));
    const error = await connect(config);
    expect(error.message).toMatch('ECONNREFUSED');
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it('that is cut during a statement is retried', async () => {
    const config = await listen((socket) => {
      socket.once('data', () => {
        socket.write(READY);
        socket.once('data', () => socket.destroy());
      });
    });
    const client = new Client(config);
    client.on('error', () => undefined);
    await client.connect();
    const failures = await Promise.all(
      ['SELECT 1', 'SELECT 2'].map((sql) => client.query(sql).catch((error: unknown) => error as Error)),
    );
    const late = await client.query('SELECT 3').catch((error: unknown) => error as Error);
    for (const error of [...failures, late]) expect(isDatabaseUnavailable(error)).toBe(true);
    expect((late as Error).message).toBe('Client has encountered a connection error and is not queryable');
  });

  it.each([
    ['that is not open in time', 'Connection terminated due to connection timeout', 0, 100],
    // A busy machine must open the connection that is used within this time.
    ['that is not free in time', 'timeout exceeded when trying to connect', 1, 2_000],
  ])('of a pool %s is retried', async (_, message, used, connectionTimeoutMillis) => {
    const config = await listen((socket) => {
      if (used > 0) socket.once('data', () => socket.write(READY));
    });
    // Only the time limit of the pool applies: the client has none of its own.
    class PatientClient extends Client {
      constructor(options?: ClientConfig) {
        super({ ...options, connectionTimeoutMillis: 0 });
      }
    }
    const pool = new Pool({ ...config, connectionTimeoutMillis, max: 1, Client: PatientClient });
    const clients = await Promise.all(Array.from({ length: used }, () => pool.connect()));
    const error = await pool.connect().then(
      () => undefined,
      (cause: unknown) => cause as Error,
    );
    expect(error!.message).toBe(message);
    expect(isDatabaseUnavailable(error)).toBe(true);
    for (const client of clients) client.release(true);
    await pool.end();
  });

  it('to a server without encryption is an alarm for the operator', async () => {
    const error = await connect({ ...(await listen((socket) => void socket.write('N'))), ssl: true });
    expect(error.message).toBe('The server does not support SSL connections');
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(describeAlarm(error)).toEqual({
      state: 'connection',
      message: 'The connection to PostgreSQL failed: The server does not support SSL connections',
    });
  });
});

it('fails for good if the service misuses the driver', () => {
  expect(isDatabaseUnavailable(new Error('Query values must be an array'))).toBe(false);
  expect(isDatabaseUnavailable(new TypeError("Cannot read properties of undefined (reading 'x')"))).toBe(false);
});
