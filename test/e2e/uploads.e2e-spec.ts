import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import contentDisposition from 'content-disposition';
import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import {
  base64,
  bytesOf,
  download,
  file,
  form,
  localUrl,
  newPicture,
  picture,
  sendForm,
  sha256,
  withoutExpiry,
} from '../support/files.js';
import { TestDatabase, TestService } from '../support/service.js';
import { manyRows } from '../support/tables.js';

const MIB = 1024 * 1024;
const TIMEOUT_MS = 30_000;
const NOTES = '/v1/api/notes';
const PNG = bytesOf('picture.png');

let database: TestDatabase;
let service: TestService;
let me: Credentials;
let api: Api;
let anonymous: Api;
let projectId: string;
/** Every route that accepts files, with its required fields. */
let routes: [path: string, caller: Api, fields: Record<string, string>][];

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await TestService.start(database, { RATE_LIMIT_PUBLIC: 'off', RATE_LIMIT_PUBLIC_TOGETHER: 'off' });
  me = await service.provision();
  anonymous = new Api(service.baseUrl);
  api = anonymous.withKey(me.apiKey);
  projectId = (await api.post('/v1/api/projects', { name: 'Boiler house' })).body.data.id;
  const threadId = (await anonymous.post('/v1/public/saveThread', { projectId })).body.data.id;
  const workspace = `/v2/api/workspaces/${me.workspaceId}/notes`;
  routes = [
    [NOTES, api, { projectId }],
    [`${NOTES}/messages`, api, { threadId }],
    [workspace, api, {}],
    [`${workspace}/${threadId}/messages`, api, {}],
    ['/v1/public/saveThread', anonymous, { projectId }],
    ['/v1/public/saveThreadMessage', anonymous, { threadId }],
  ];
});

afterAll(async () => {
  const output = service.output.join('');
  await service?.stop();
  await database?.drop();
  expect(output).not.toMatch(/internal_error|unhandled|uncaught/i);
});

/** Names of the temporary files of the service. */
const temporaryFiles = () => {
  const folder = join(service.env['DATA_DIR']!, 'temporary');
  return existsSync(folder) ? readdirSync(folder) : [];
};

/** Row counts of all tables that a request with files writes. */
const stored = async () =>
  (
    await database.query(`
      SELECT (SELECT count(*) FROM notes) AS notes, (SELECT count(*) FROM note_messages) AS messages,
             (SELECT count(*) FROM attachments) AS attachments, (SELECT count(*) FROM blobs) AS blobs,
             (SELECT count(*) FROM note_events) AS events, (SELECT count(*) FROM directory) AS directory`)
  )[0];

/** No temporary file remains after a request, and the service is alive. */
afterEach(async () => {
  for (const end = Date.now() + TIMEOUT_MS; temporaryFiles().length > 0 && Date.now() < end;) await delay(25);
  expect(temporaryFiles()).toEqual([]);
  expect((await api.get('/health/live')).status).toBe(200);
});

const errorOf = ({ status, body }: ApiResponse) => [status, body.error];

/** Content-Type of the forms that the tests write by hand. */
const FORM = 'multipart/form-data; boundary=b';
const raw = (parts: string | Buffer, caller = api, path = NOTES, type = FORM) =>
  sendForm(caller, path, parts, { 'Content-Type': type });
const part = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const filePart = (parameters: string, bytes = PNG) =>
  Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; name="files"; ${parameters}\r\n\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
const END = '--b--\r\n';

describe('a file in a request', () => {
  it('accepts a file of exactly 20 MiB in a form, and returns 413 for one byte more', async () => {
    const bytes = picture(20 * MIB);
    const created = await sendForm(api, NOTES, form({ projectId }, [file('large.png', bytes)]));
    expect([created.status, created.body.data?.files[0].size]).toEqual([201, 20 * MIB]);
    const downloaded = await download(localUrl(service, created.body.data.files[0].url));
    expect(sha256(downloaded.bytes)).toBe(sha256(bytes));
    const before = await stored();
    const tooLarge = file('large.png', picture(20 * MIB + 1));
    const rejected = await sendForm(api, NOTES, form({ projectId }, ['picture.gif', tooLarge]));
    expect(rejected).toMatchObject({
      status: 413,
      body: { error: 'file_too_large', details: { limit: 20 * MIB, errors: [{ field: 'files[1]' }] } },
    });
    expect(rejected.body.message).toContain('large.png');
    expect(await stored()).toEqual(before);
  });

  it('accepts files in a JSON body of exactly 20 MiB, and returns 413 with advice to send a form for one byte more', async () => {
    const head = `{"projectId":"${projectId}","files":[{"filename":"large.png","data":"`;
    const bodyOf = (bytes: number) => {
      const available = bytes - head.length - '"}]}'.length;
      const data = picture(Math.floor(available / 4) * 3).toString('base64');
      return Buffer.from(`${head}${data}"}]${' '.repeat(available % 4)}}`);
    };
    const fits = bodyOf(20 * MIB);
    expect(fits.length).toBe(20 * MIB);
    expect((await api.post(NOTES, fits)).status).toBe(201);
    const before = await stored();
    const rejected = await api.post(NOTES, bodyOf(20 * MIB + 1));
    expect(rejected).toMatchObject({
      status: 413,
      body: { error: 'too_large', details: { limit: 20 * MIB, actual: 20 * MIB + 1 } },
    });
    expect(rejected.body.message).toMatch(/grows by a third.*multipart\/form-data/);
    expect(await stored()).toEqual(before);
  });

  it('accepts ten files in both transports, and returns 400 on every route for more', async () => {
    const before = await stored();
    for (const [path, caller, fields] of routes) {
      const byForm = await sendForm(caller, path, form(fields, Array<string>(11).fill('picture.png')));
      const byJson = await caller.post(path, { ...fields, files: Array(11).fill(base64('picture.png')) });
      for (const answer of [byForm, byJson]) {
        expect([path, ...errorOf(answer)]).toEqual([path, 400, 'too_many_files']);
        expect(answer.body.details).toMatchObject({ limit: 10, actual: 11 });
      }
    }
    expect(await stored()).toEqual(before);
    const ten = Array<string>(10).fill('picture.png');
    const byForm = await sendForm(api, NOTES, form({ projectId }, ten));
    const byJson = await api.post(NOTES, { projectId, files: ten.map((name) => base64(name)) });
    for (const { status, body } of [byForm, byJson]) expect([status, body.data.files.length]).toEqual([201, 10]);
  });

  it.each<[string, string | Buffer]>([
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['HTML', '<!doctype html><script>alert(1)</script>'],
    ['an EXE', Buffer.concat([Buffer.from('MZ\x90\0\x03\0\0\0', 'latin1'), Buffer.alloc(200)])],
    ['a ZIP', Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)])],
    ['WASM', Buffer.from('\0asm\x01\0\0\0', 'latin1')],
    ['a PSD', Buffer.concat([Buffer.from('8BPS\0\x01', 'latin1'), Buffer.alloc(50)])],
    ['an EPS', '%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n'],
    ['a PDF behind more than 1,024 bytes', Buffer.concat([Buffer.alloc(1_100, 'x'), bytesOf('report.pdf')])],
  ])('returns 415 on every route for %s, whatever the name and type of the file', async (_, content) => {
    const bytes = Buffer.from(content);
    const before = await stored();
    for (const [path, caller, fields] of routes) {
      const good = file('a.png', PNG);
      const bad = new File([new Uint8Array(bytes)], 'b.png', { type: 'image/png' });
      const byForm = await sendForm(caller, path, form(fields, [good, bad]));
      const byJson = await caller.post(path, {
        ...fields,
        files: [base64('picture.png'), { ...base64('b.png', bytes), contentType: 'image/png' }],
      });
      for (const answer of [byForm, byJson]) {
        expect([path, ...errorOf(answer)]).toEqual([path, 415, 'unsupported_file_type']);
        expect(answer.body.details.errors[0].field).toBe('files[1]');
      }
    }
    expect(await stored()).toEqual(before);
  });
});

describe('a multipart form', () => {
  const hostile: [what: string, parts: string, type: string][] = [
    ['a huge index', part('items[4294967294]', 'x') + END, FORM],
    ['a huge index of custom fields', part('customFields[4294967294]', 'x') + END, FORM],
    ['33 brackets', part(`a${'[b]'.repeat(33)}`, 'x') + END, FORM],
    ['33 brackets of custom fields', part(`customFields${'[b]'.repeat(33)}`, 'x') + END, FORM],
    ['10,000 brackets', part(`a${'[b]'.repeat(10_000)}`, 'x') + END, FORM],
    ['an empty name', part('', 'x') + END, FORM],
    ['a prototype', part('customFields[__proto__][polluted]', 'x') + END, FORM],
    ['a constructor', part('constructor[prototype][polluted]', 'x') + END, FORM],
    ['an unknown field', part('colour', 'red') + END, FORM],
    ['text instead of files', part('files', 'x') + END, FORM],
    ['no end', part('title', 'x'), FORM],
    ['no boundary', part('title', 'x') + END, 'multipart/form-data'],
    ['an empty boundary', part('title', 'x') + END, 'multipart/form-data; boundary='],
    ['a boundary without a value', part('title', 'x') + END, 'multipart/form-data; boundary'],
    ['another boundary', part('title', 'x') + END, 'multipart/form-data; boundary=c'],
  ];

  it.each(hostile)('returns 400 for a form with %s and stores nothing', async (_, parts, type) => {
    const before = await stored();
    for (const [path, caller, fields] of routes) {
      const known = Object.entries(fields).map(([name, value]) => part(name, value));
      const answer = await raw(known.join('') + parts, caller, path, type);
      expect([path, answer.status]).toEqual([path, 400]);
    }
    expect(await stored()).toEqual(before);
  });

  it.each(['utf-7', 'klingon', '__proto__'])(
    'returns 415 for a field in the charset %s and stores nothing',
    async (charset) => {
      const before = await stored();
      const title = part('title', 'x').replace('\r\n\r\n', `\r\nContent-Type: text/plain; charset=${charset}\r\n\r\n`);
      for (const [path, caller, fields] of routes) {
        const known = Object.entries(fields).map(([name, value]) => part(name, value));
        const { status, body } = await raw(known.join('') + title + END, caller, path, FORM);
        expect([path, status, body.error]).toEqual([path, 415, 'unsupported_media_type']);
        expect(body.message).toContain('"title"');
      }
      expect(await stored()).toEqual(before);
    },
  );

  const DESCRIPTORS = `/proc/${process.pid}/fd`;
  const hasDescriptors = existsSync(DESCRIPTORS);
  const descriptors = () => (hasDescriptors ? readdirSync(`/proc/${service.pid}/fd`).length : 0);

  /** Sends a request on a new connection and closes it. */
  const readOnce = () =>
    new Promise<void>((done, failed) => {
      const request = get(`${service.baseUrl}${NOTES}`, { agent: false, headers: api.headers }, (response) =>
        response.resume().once('close', done),
      );
      request.once('error', failed);
    });

  it('leaves no file, row or open file descriptor if the connection of a form breaks', async () => {
    const before = await stored();
    const { port } = new URL(service.baseUrl);
    let most = 0;
    const breakOff = async (at: number) => {
      const [path, caller, fields] = routes[at % routes.length]!;
      const head = [
        `POST ${path} HTTP/1.1`,
        'Host: 127.0.0.1',
        ...Object.entries(caller.headers).map(([name, value]) => `${name}: ${value}`),
        'Content-Type: multipart/form-data; boundary=b',
        at % 2 ? 'Content-Length: 5000000' : 'Transfer-Encoding: chunked',
      ].join('\r\n');
      const known = Object.entries(fields).map(([name, value]) => part(name, value));
      const sent = Buffer.concat([
        Buffer.from(known.join('')),
        filePart('filename="a.png"'),
        Buffer.from('--b\r\nContent-Disposition: form-data; name="files"; filename="b.png"\r\n\r\n'),
        PNG,
        randomBytes(at * 20_000),
      ]);
      const body = at % 2 ? [sent] : [Buffer.from(`${sent.length.toString(16)}\r\n`), sent, Buffer.from('\r\n')];
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      const bytes = Buffer.concat([Buffer.from(`${head}\r\n\r\n`), ...body]);
      await new Promise<void>((done) => socket.write(bytes, () => done()));
      for (let attempt = 0; attempt < 4_000 && temporaryFiles().length === 0; attempt++) await delay(5);
      most = Math.max(most, temporaryFiles().length);
      if (at % 3) socket.destroy();
      else socket.resetAndDestroy();
    };
    // Opens the maximum number of database connections, so that the descriptor count is stable.
    await Promise.all(manyRows(30, readOnce));
    let open = Infinity;
    for (let time = 0; time < 2; time++) {
      await Promise.all(manyRows(20, breakOff));
      expect(most).toBeGreaterThan(0);
      const settled = () => temporaryFiles().length === 0 && descriptors() <= open;
      for (const end = Date.now() + TIMEOUT_MS; !settled() && Date.now() < end;) await delay(25);
      expect(temporaryFiles()).toEqual([]);
      // Descriptors can only be counted with /proc.
      if (hasDescriptors) expect(descriptors()).toBeLessThanOrEqual(open);
      open = descriptors();
    }
    expect(await stored()).toEqual(before);
  });

  describe('with an Idempotency-Key', () => {
    it('returns the first response under another boundary, and 422 for another file, field or body type', async () => {
      const bytes = newPicture();
      const key = { 'Idempotency-Key': randomUUID() };
      const send = (files: File[], fields: Record<string, string> = {}) =>
        sendForm(api, NOTES, form({ projectId, title: 'Once, by form', ...fields }, files), key);
      const first = await send([file('a.png', bytes)]);
      const again = await send([file('a.png', bytes)]);
      expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(withoutExpiry(again.body)).toEqual(withoutExpiry(first.body));
      const before = await stored();
      const others = [
        await send([file('a.png', newPicture())]),
        await send([file('b.png', bytes)]),
        await send([file('a.png', bytes), file('a.png', bytes)]),
        await send([file('a.png', bytes)], { title: 'Another' }),
        await send([]),
        await api.post(NOTES, { projectId, title: 'Once, by form', files: [base64('a.png', bytes)] }, key),
      ];
      expect(others.map(errorOf)).toEqual(Array(6).fill([422, 'idempotency_key_reused']));
      expect(await stored()).toEqual(before);
      expect(await database.query("SELECT FROM notes WHERE title = 'Once, by form'")).toHaveLength(1);
    });

    it('stores one note and one file from ten concurrent forms with one Idempotency-Key', async () => {
      const bytes = newPicture(20_000);
      const key = { 'Idempotency-Key': randomUUID() };
      const answers = await Promise.all(
        manyRows(10, () => sendForm(api, NOTES, form({ projectId, title: 'Tenfold' }, [file('a.png', bytes)]), key)),
      );
      const [created] = answers.filter(({ status }) => status === 201);
      for (const { status, body } of answers) {
        expect([201, 409]).toContain(status);
        if (status === 201) expect(body).toEqual(created!.body);
      }
      expect(await database.query("SELECT FROM notes WHERE title = 'Tenfold'")).toHaveLength(1);
      expect(await database.query('SELECT FROM attachments WHERE sha256 = $1', [sha256(bytes)])).toHaveLength(1);
    });

    it('accepts an Idempotency-Key again after a request with a rejected file', async () => {
      const key = { 'Idempotency-Key': randomUUID() };
      const svg = file('a.svg', Buffer.from('<svg/>'));
      expect((await sendForm(api, NOTES, form({ projectId }, [svg]), key)).status).toBe(415);
      expect((await sendForm(api, NOTES, form({ projectId, status: 'unheard-of' }, ['picture.png']), key)).status).toBe(
        422,
      );
      expect((await sendForm(api, NOTES, form({ projectId }, ['picture.png']), key)).status).toBe(201);
    });
  });
});

describe('the name of a file', () => {
  const long = `${'n'.repeat(300)}.png`;

  it.each<[what: string, given: string, stored: string, downloaded?: string]>([
    ['a path', '../../x.png', 'x.png'],
    ['a path of Windows', 'C:\\fakepath\\x.png', 'x.png'],
    ['nothing but dots', '../..', 'file', 'file.png'],
    ['a line break', 'a\r\nSet-Cookie: x=1.png', 'aSet-Cookie: x=1.png'],
    ['NUL', 'a\0.png', 'a.png'],
    ['300 characters', long, `${'n'.repeat(251)}.png`],
    ['a right-to-left override', 'gnp.\u202eexe.png', 'gnp.exe.png'],
    ['quotes, percent signs and semicolons', '"a"; b=%22 c%.png', '"a"; b=%22 c%.png'],
    ['letters of many scripts', 'Prüfbericht 配管 دليل 👩‍🔧.png', 'Prüfbericht 配管 دليل 👩‍🔧.png'],
  ])(
    'sanitizes a file name with %s in the record and in the download',
    async (_, given, sanitized, downloaded = sanitized) => {
      const byJson = await api.post(NOTES, { projectId, files: [{ ...base64('picture.png'), filename: given }] });
      expect(byJson.status).toBe(201);
      const [{ url, filename }] = byJson.body.data.files;
      expect(filename).toBe(sanitized);
      const { headers } = await download(localUrl(service, url));
      expect(headers.get('set-cookie')).toBeNull();
      const disposition = contentDisposition.parse(headers.get('content-disposition')!);
      expect([disposition.type, disposition.parameters['filename']]).toEqual(['attachment', downloaded]);
    },
  );

  it.each<[string, string, string]>([
    ['a path', 'filename="../../x.png"', 'x.png'],
    ['a right-to-left override', 'filename="gnp.\u202eexe.png"', 'gnp.exe.png'],
    ['300 characters', `filename="${long}"`, `${'n'.repeat(251)}.png`],
    ['UTF-8 as browsers send it', 'filename="Prüfbericht 配管.png"', 'Prüfbericht 配管.png'],
    ['UTF-8 as RFC 5987 has it', "filename*=UTF-8''Pr%C3%BCfbericht%0D%0A%00.png", 'Prüfbericht.png'],
  ])('sanitizes a file name with %s in a form', async (_, parameters, sanitized) => {
    const body = Buffer.concat([Buffer.from(part('projectId', projectId)), filePart(parameters), Buffer.from(END)]);
    const { status, body: answer } = await raw(body);
    expect([status, answer.data?.files[0].filename]).toEqual([201, sanitized]);
  });

  it('rejects or sanitizes a file name with NUL in a form', async () => {
    const known = Buffer.from(part('projectId', projectId));
    const answer = await raw(Buffer.concat([known, filePart('filename="a\0.png"'), Buffer.from(END)]));
    if (answer.status !== 400) expect([answer.status, answer.body.data?.files[0]?.filename]).toEqual([201, 'a.png']);
  });

  // The parser skips a part with an unreadable Content-Disposition: the note would be stored without its file.
  it.each([
    ['a line break', 'form-data; name="files"; filename="a\r\nX-Evil: 1.png"'],
    ['no closing quote', 'form-data; name="files"; filename="a.png'],
    ['another disposition', 'attachment; name="files"; filename="a.png"'],
  ])('returns 400 for a Content-Disposition with %s, which no parser can read', async (_, disposition) => {
    const head = `${part('projectId', projectId)}--b\r\nContent-Disposition: ${disposition}\r\n\r\n`;
    const answer = await raw(Buffer.concat([Buffer.from(head), PNG, Buffer.from(`\r\n${END}`)]));
    expect(answer.status).toBe(400);
  });
});
