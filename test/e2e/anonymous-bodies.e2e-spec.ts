import { connect, type Socket } from 'node:net';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { Tables, text } from '../support/tables.js';

const MIB = 1024 * 1024;
const sockets: Socket[] = [];

let database: TestDatabase;
let service: TestService;
let credentials: Credentials;

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await TestService.start(database);
  credentials = await service.provision();
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await service?.stop();
  await database?.drop();
});

/** Announces a note of many bytes without credentials, and sends one of them. @returns the status; 0 while there is none. */
async function announce(bytes: number): Promise<number> {
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  socket.write(
    'POST /v1/public/saveThread HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      `Content-Length: ${bytes}\r\n\r\n{`,
  );
  return new Promise((done) => {
    const timer = setTimeout(() => done(0), 1_500);
    socket.once('data', (chunk: Buffer) => {
      clearTimeout(timer);
      done(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString())![1]));
    });
  });
}

it('anonymous bodies use up neither the memory of signed-in callers nor that of sign-ins', async () => {
  expect(await announce(19 * MIB)).toBe(0);
  const others: number[] = [];
  for (let count = 0; count < 5; count++) others.push(await announce(19 * MIB));
  expect(others).toEqual([503, 503, 503, 503, 503]);

  const tables = Tables.of(service, credentials);
  // Together with the anonymous body, it exceeds the memory of signed-in callers.
  const rows = Array.from({ length: 9_600 }, (_, at) => ({ code: String(at), note: 'x'.repeat(5_000) }));
  const stored = await tables.bulk('assets', { name: 'Large', columns: [text('Code'), text('Note')], items: rows });
  expect(stored.status).toBe(201);
  const signedIn = await new Api(service.baseUrl).signIn(credentials);
  expect((await signedIn.get('/v1/api/projects')).status).toBe(200);
});
