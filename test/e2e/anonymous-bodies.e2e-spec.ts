import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { bytesOf, file, form, picture, sendForm } from '../support/files.js';
import { TestDatabase, TestService } from '../support/service.js';
import { Tables, text } from '../support/tables.js';

const MIB = 1024 * 1024;
const NOTES = '/v1/public/saveThread';
const sockets: Socket[] = [];

let database: TestDatabase;
let service: TestService;
let credentials: Credentials;
let signedIn: Api;
let projectId: string;

beforeAll(async () => {
  database = await TestDatabase.create();
  // Anonymous callers may use a quarter of the temporary files, and one address an eighth: 10 MiB.
  const settings = { RATE_LIMIT_PUBLIC: 'off', UPLOAD_TEMPORARY_BYTES: String(80 * MIB) };
  service = await TestService.start(database, settings);
  credentials = await service.provision();
  signedIn = new Api(service.baseUrl).withKey(credentials.apiKey);
  projectId = (await signedIn.post('/v1/api/projects', { name: 'Plant' })).body.data.id;
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

/** Within this time a busy machine answers. */
const ANSWER_MS = 30_000;

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'multipart/form-data; boundary=b';
const FORM = '--b\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\n\r\n';

/**
 * Announces a note of many bytes without credentials, and sends some of them.
 *
 * @param withinMs milliseconds to wait for a response.
 * @returns the status; 0 while there is none.
 */
async function announce(type: string, bytes: number, part: string | Buffer, withinMs = 1_500): Promise<number> {
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  const head = ['POST', NOTES, 'HTTP/1.1\r\nHost: x\r\nContent-Type:', `${type}\r\nContent-Length:`, bytes].join(' ');
  socket.write(`${head}\r\n\r\n`);
  socket.write(part);
  return new Promise((done) => {
    const timer = setTimeout(() => done(0), withinMs);
    socket.once('data', (chunk: Buffer) => {
      clearTimeout(timer);
      done(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString())![1]));
    });
  });
}

const many = (count: number, send: () => Promise<number>) => Promise.all(Array.from({ length: count }, send));

it('tokens of an unknown key prevent no batches of other callers', async () => {
  const tables = Tables.of(service, credentials);
  const items = Array.from({ length: 400 }, (_, at) => ({ code: String(at), note: 'x'.repeat(100) }));
  const push = () => tables.bulk('assets', { name: 'Batches', columns: [text('Code'), text('Note')], items });
  expect((await push()).status).toBe(201);
  const header = Buffer.from('{"alg":"ES256","typ":"at+jwt","kid":"unknown"}').toString('base64url');
  const path = `/v2/api/workspaces/${credentials.workspaceId}/cw/assets/bulk`;
  for (let round = 0; round < 3; round++) {
    for (let at = 0; at < 20; at++) {
      const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${header}.e30.aa\r\nContent-Length: 40000\r\n\r\n`,
      );
    }
    await delay(50);
    expect((await push()).status).toBe(200);
  }
});

describe('anonymous callers that announce more than they send', () => {
  it('prevent neither other anonymous callers nor signed-in ones', async () => {
    const [bodies, forms] = await Promise.all([
      many(10, () => announce(JSON_TYPE, 19 * MIB, '{')),
      many(20, () => announce(FORM_TYPE, 100 * MIB, `${FORM}x`)),
    ]);
    expect(new Set([...bodies, ...forms])).toEqual(new Set([0]));
    const note = form({ projectId, title: 'Leak' }, ['picture.png']);
    expect((await sendForm(new Api(service.baseUrl), NOTES, note)).status).toBe(201);

    const tables = Tables.of(service, credentials);
    const rows = Array.from({ length: 3_000 }, (_, at) => ({ code: String(at), note: 'x'.repeat(5_000) }));
    const stored = await tables.bulk('assets', { name: 'Large', columns: [text('Code'), text('Note')], items: rows });
    expect(stored.status).toBe(201);
    const session = await new Api(service.baseUrl).signIn(credentials);
    expect((await session.get('/v1/api/projects')).status).toBe(200);
  });
});

describe('anonymous callers that send many bytes', () => {
  it('use up only their own memory', async () => {
    expect(await announce(JSON_TYPE, 12 * MIB, Buffer.alloc(11 * MIB, ' '))).toBe(0);
    expect(await announce(JSON_TYPE, 12 * MIB, Buffer.alloc(12 * MIB, ' '), ANSWER_MS)).toBe(503);
    const description = 'x'.repeat(50_000);
    expect((await signedIn.post('/v1/api/projects', { name: 'Plant', description })).status).toBe(201);
  });

  it('use up only their own disk', async () => {
    const start = Buffer.concat([Buffer.from(FORM), bytesOf('picture.png')]);
    const complete = Buffer.concat([start, Buffer.alloc(7 * MIB), Buffer.from('\r\n--b--\r\n')]);
    expect(await announce(FORM_TYPE, 8 * MIB, Buffer.concat([start, Buffer.alloc(7 * MIB)]))).toBe(0);
    expect(await announce(FORM_TYPE, complete.length, complete, ANSWER_MS)).toBe(503);
    const note = form({ projectId, title: 'Leak' }, [file('a.png', picture(15 * MIB))]);
    expect((await sendForm(signedIn, '/v1/api/notes', note)).status).toBe(201);
  });
});

describe('with the default wait for a turn', () => {
  let busy: TestService;
  let other: Credentials;

  beforeAll(async () => {
    const unlimited = { RATE_LIMIT_PUBLIC: 'off', RATE_LIMIT_PUBLIC_TOGETHER: 'off', RATE_LIMIT_TOKEN: 'off' };
    busy = await TestService.start(database, { ...unlimited, REQUEST_WAIT_MS: '1000' });
    other = await busy.provision();
  });

  afterAll(() => busy?.stop());

  /** Sends the head of a POST and the first bytes of its body. */
  function begin(path: string, headers: string[], part: string | Buffer): Socket {
    const socket = connect(Number(new URL(busy.baseUrl).port), '127.0.0.1').on('error', () => undefined);
    sockets.push(socket.resume());
    const head = [`POST ${path} HTTP/1.1`, 'Host: x', `Content-Type: ${JSON_TYPE}`, ...headers];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(part);
    return socket;
  }

  it.each([NOTES, '/v1/api/oauth2/token'])(
    'slow anonymous bodies of %s do not take the turns of batches',
    async (path) => {
      const tables = Tables.of(busy, other);
      const items = Array.from({ length: 1_000 }, (_, at) => ({ code: String(at), note: 'x'.repeat(40) }));
      const send = () => tables.bulk('assets', { name: 'Batch', columns: [text('Code'), text('Note')], items });
      await send();
      const sending = setInterval(() => {
        for (let count = 0; count < 10; count++) begin(path, ['Transfer-Encoding: chunked'], '1\r\n{\r\n');
      }, 100);
      try {
        await delay(500);
        const statuses: number[] = [];
        for (let round = 0; round < 15; round++) {
          statuses.push((await send()).status);
          await delay(100);
        }
        expect(new Set(statuses)).toEqual(new Set([200]));
      } finally {
        clearInterval(sending);
      }
    },
  );

  it('credentials that do not arrive do not prevent a sign-in', async () => {
    // Together they announce more than the memory for credentials.
    for (let round = 0; round < 45; round++) {
      for (let count = 0; count < 15; count++) begin('/v1/api/oauth2/token', ['Content-Length: 16384'], '{');
      await delay(100);
    }
    const session = await new Api(busy.baseUrl).signIn(other);
    expect((await session.get('/v1/api/projects')).status).toBe(200);
  });

  it('the batches of one caller leave memory for those of another one', async () => {
    const path = Tables.of(busy, credentials).path + '/assets/bulk';
    const headers = [`X-API-Key: ${credentials.apiKey}`, `Content-Length: ${13 * MIB + 1}`];
    for (let count = 0; count < 4; count++) {
      begin(path, headers, Buffer.alloc(13 * MIB, ' '));
      await delay(500);
    }
    const rows = Array.from({ length: 2_400 }, (_, at) => ({ code: String(at), note: 'x'.repeat(5_000) }));
    const columns = [text('Code'), text('Note')];
    const { status } = await Tables.of(busy, other).bulk('assets', { name: 'Large', columns, items: rows });
    expect(status).toBe(201);
  });
});
