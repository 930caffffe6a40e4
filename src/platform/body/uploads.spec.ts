import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Body, Controller, Get, Global, Headers, type INestApplication, Module, Post, Req } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, NestFactory } from '@nestjs/core';
import type { Request } from 'express';
import { Jobs } from '../jobs/jobs.js';
import { ConfigModule } from '../config/config.module.js';
import { Config } from '../config/config.js';
import { parseEnvironment } from '../config/environment.js';
import { ErrorFilter } from '../http/error.filter.js';
import { ReplyAdapter } from '../http/reply-adapter.js';
import { RequestBodyGuard } from './request-body.guard.js';
import { AcceptsFiles } from './body.decorators.js';
import { type Upload, Uploads } from './upload.js';
import { BodyModule } from './body.module.js';
import { FilePolicy } from './file-policy.js';

const MIB = 1024 * 1024;
const CRLF = Buffer.from('\r\n');
const SAMPLES = join(__dirname, '../../../test/fixtures/files');
const PNG = readFileSync(join(SAMPLES, 'picture.png'));
const PDF = readFileSync(join(SAMPLES, 'report.pdf'));

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A picture of exactly so many bytes. Bytes after its end are ignored. */
const picture = (size: number) => Buffer.concat([PNG, Buffer.alloc(size - PNG.length)]);

/** Handlers wait for this promise. */
let gate: Promise<void> | undefined;
let entered = 0;

@Controller()
class EchoController {
  @Post('files')
  @AcceptsFiles()
  async files(@Body() body: unknown, @Uploads() uploads: Upload[], @Req() request: Request) {
    entered++;
    await gate;
    const files = uploads.map(({ path, ...upload }) => ({ ...upload, content: sha256(readFileSync(path)) }));
    return { body, files, bodyDigest: request.bodyDigest };
  }

  @Post('plain')
  plain(@Body() body: unknown, @Headers('content-type') type: string) {
    return { body, type };
  }

  @Get('alive')
  alive() {
    return { alive: true };
  }
}

@Global()
@Module({ providers: [{ provide: Jobs, useValue: { cleanUp: () => undefined } }], exports: [Jobs] })
class JobsModule {}

/** An application with the body pipeline of the service and routes that return what they received. */
class EchoApp {
  private constructor(
    private readonly app: INestApplication,
    readonly dataDir: string,
    readonly port: number,
  ) {}

  static async start(settings: Record<string, string> = {}): Promise<EchoApp> {
    const dataDir = mkdtempSync(join(tmpdir(), 'atrium-uploads-'));
    const env = parseEnvironment({ DATA_DIR: dataDir, ...settings });
    const config = new Config(env, { pepper: Buffer.alloc(32), encryptionKey: Buffer.alloc(32) });

    @Module({
      imports: [ConfigModule.with(config), JobsModule, BodyModule],
      controllers: [EchoController],
      providers: [
        { provide: APP_GUARD, useClass: RequestBodyGuard },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    })
    class EchoModule {}

    const app = await NestFactory.create(EchoModule, new ReplyAdapter(config), { logger: false, bodyParser: false });
    await app.listen(0, '127.0.0.1');
    return new EchoApp(app, dataDir, (app.getHttpServer() as { address(): AddressInfo }).address().port);
  }

  limitFiles(maxFileBytes: number): void {
    this.app.get(FilePolicy).maxFileBytes = maxFileBytes;
  }

  get temporaryFiles(): string[] {
    const directory = join(this.dataDir, 'temporary');
    return existsSync(directory) ? readdirSync(directory) : [];
  }

  /** Waits until the files are removed, a moment after the response. */
  async remainingFiles(): Promise<string[]> {
    for (let attempt = 0; attempt < 200 && this.temporaryFiles.length > 0; attempt++) await delay(25);
    return this.temporaryFiles;
  }

  async send(body: FormData | Uint8Array | string, headers: Record<string, string> = {}, path = '/files') {
    const url = `http://127.0.0.1:${this.port}${path}`;
    const response = await fetch(url, { method: 'POST', body, headers });
    return { status: response.status, headers: response.headers, body: (await response.json()) as any };
  }

  json(body: unknown, headers: Record<string, string> = {}) {
    const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    return this.send(text, { 'Content-Type': 'application/json', ...headers });
  }

  /** Sends a form from its text. */
  raw(parts: string, type = 'multipart/form-data; boundary=b') {
    return this.send(parts, { 'Content-Type': type });
  }

  async stop(): Promise<void> {
    await this.app.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

let echo: EchoApp;

// The files of a test are charged until their blocks are freed, a moment after their names are gone. The next test has
// its own space.
beforeAll(async () => (echo = await EchoApp.start({ UPLOAD_TEMPORARY_BYTES: String(8192 * MIB) })));
afterAll(() => echo.stop());
afterEach(async () => {
  gate = undefined;
  expect(await echo.remainingFiles()).toEqual([]);
  expect((await fetch(`http://127.0.0.1:${echo.port}/alive`)).status).toBe(200);
});

const base64 = (bytes: Buffer) => bytes.toString('base64');
const file = (bytes: Uint8Array, name: string, type = '') => new File([bytes], name, { type });

function form(files: [field: string, file: File][], fields: Record<string, string> = {}): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  for (const [field, value] of files) data.append(field, value);
  return data;
}

const part = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const jsonPart = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a.json"\r\nContent-Type: application/json\r\n\r\n${value}\r\n`;
const END = '--b--\r\n';

describe('form and JSON', () => {
  const names = ['valve.png', 'Prüfbericht ☕ 配管.pdf'];

  it('produce the same files and the same rest of the body', async () => {
    const [multi, json] = await Promise.all([
      echo.send(
        form(
          [
            ['files', file(PNG, names[0]!)],
            ['files', file(PDF, names[1]!)],
          ],
          { title: 'Leak', 'customFields[Größe]': 'DN 50' },
        ),
      ),
      echo.json({
        title: 'Leak',
        customFields: { Größe: 'DN 50' },
        files: [
          { filename: names[0], data: base64(PNG) },
          { filename: names[1], contentType: 'application/pdf', data: `data:application/pdf;base64,${base64(PDF)}` },
        ],
      }),
    ]);
    expect(multi.body).toEqual({
      body: { title: 'Leak', customFields: { Größe: 'DN 50' } },
      files: [
        {
          filename: names[0],
          contentType: 'image/png',
          kind: 'image',
          size: PNG.length,
          sha256: sha256(PNG),
          content: sha256(PNG),
        },
        {
          filename: names[1],
          contentType: 'application/pdf',
          kind: 'pdf',
          size: PDF.length,
          sha256: sha256(PDF),
          content: sha256(PDF),
        },
      ],
    });
    expect(json.body).toEqual(multi.body);
  });

  it('may have no files', async () => {
    for (const answer of [
      await echo.json({ title: 'x' }),
      await echo.json({ title: 'x', files: [] }),
      await echo.json({ title: 'x', files: null }),
      await echo.send(form([], { title: 'x' })),
    ]) {
      expect(answer.body).toEqual({ body: { title: 'x' }, files: [] });
    }
  });

  it('ignore the declared type', async () => {
    const multi = await echo.send(form([['files', file(PNG, 'a.pdf', 'application/pdf')]]));
    const json = await echo.json({ files: [{ filename: 'a.pdf', contentType: 'application/pdf', data: base64(PNG) }] });
    for (const answer of [multi, json])
      expect(answer.body.files[0]).toMatchObject({ contentType: 'image/png', filename: 'a.pdf' });
  });

  /** Sends the same files by each transport. */
  const transports: [string, (files: [string, Buffer][]) => ReturnType<EchoApp['send']>][] = [
    ['multipart', (files) => echo.send(form(files.map(([name, bytes]) => ['files', file(bytes, name)])))],
    ['JSON', (files) => echo.json({ files: files.map(([filename, bytes]) => ({ filename, data: base64(bytes) })) })],
  ];

  describe.each(transports)('%s', (_, send) => {
    it('accepts ten files', async () => {
      const answer = await send(Array.from({ length: 10 }, (_, at) => [`${at}.png`, PNG]));
      expect(answer.body.files.map(({ filename }: Upload) => filename)).toEqual(
        Array.from({ length: 10 }, (_, at) => `${at}.png`),
      );
    });

    it('rejects eleven files', async () => {
      const answer = await send(Array.from({ length: 11 }, (_, at) => [`${at}.png`, PNG]));
      expect(answer).toMatchObject({
        status: 400,
        body: { error: 'too_many_files', details: { limit: 10, actual: 11 } },
      });
    });

    it('rejects an empty file and names it', async () => {
      const answer = await send([
        ['a.png', PNG],
        ['empty.png', Buffer.alloc(0)],
      ]);
      expect(answer).toMatchObject({
        status: 400,
        body: { error: 'empty_file', details: { errors: [{ field: 'files[1]' }] } },
      });
      expect(answer.body.message).toContain('empty.png');
    });

    it('rejects a file of another type and lists the accepted ones', async () => {
      const answer = await send([
        ['a.png', PNG],
        ['evil.png', Buffer.from('<svg onload="alert(1)"/>')],
      ]);
      expect(answer).toMatchObject({
        status: 415,
        body: { error: 'unsupported_file_type', details: { errors: [{ field: 'files[1]' }] } },
      });
      expect(answer.body.message).toMatch(/evil\.png.*markup.*JPEG.*PDF/);
    });

    it.each([
      ['../../x.png', 'x.png'],
      ['../', 'file'],
      ['a\r\nb.png', 'ab.png'],
      ['gnp.\u202eexe', 'gnp.exe'],
      ['"quoted".png', '"quoted".png'],
      [`${'n'.repeat(300)}.png`, `${'n'.repeat(251)}.png`],
      ['Ä 配管 👩‍🔧.png', 'Ä 配管 👩‍🔧.png'],
    ])('makes the name %j safe', async (given, expected) => {
      expect((await send([[given, PNG]])).body.files[0].filename).toBe(expected);
    });
  });
});

describe('a form', () => {
  it('may have a file of exactly 20 MiB', async () => {
    const bytes = picture(20 * MIB);
    const { status, body } = await echo.send(form([['files', file(bytes, 'large.png')]]));
    expect([status, body.files?.[0].size, body.files?.[0].content]).toEqual([201, 20 * MIB, sha256(bytes)]);
  });

  it('with one byte more is rejected, naming file and limit', async () => {
    const answer = await echo.send(
      form([
        ['files', file(PNG, 'a.png')],
        ['files', file(picture(20 * MIB + 1), 'large.png')],
      ]),
    );
    expect(answer).toMatchObject({
      status: 413,
      body: { error: 'file_too_large', details: { limit: 20 * MIB, errors: [{ field: 'files[1]' }] } },
    });
    expect(answer.body.message).toContain('large.png');
  });

  it('may have ten files of 20 MiB', async () => {
    const large = picture(20 * MIB);
    const { status, body } = await echo.send(
      form(Array.from({ length: 10 }, (_, at) => ['files', file(large, `${at}.png`)])),
    );
    expect([status, body.files?.length]).toEqual([201, 10]);
  });

  it('whose Content-Length exceeds the limit is rejected before its data', async () => {
    const answer = await new Promise<number | undefined>((done, failed) => {
      const sending = httpRequest({
        port: echo.port,
        path: '/files',
        method: 'POST',
        headers: { 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': 203 * MIB },
      });
      sending.once('response', (response) => {
        done(response.statusCode);
        sending.destroy();
      });
      sending.once('error', failed);
      sending.flushHeaders();
    });
    expect(answer).toBe(413);
  });

  it('without Content-Length is cut at the limit, and the sender receives the response after it has sent on', async () => {
    const chunk = (bytes: Buffer) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, CRLF]);
    const socket = connect(echo.port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    const sent = (bytes: Buffer | string) => new Promise((done) => socket.write(bytes, done));
    await sent('POST /files HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n');
    await sent('Transfer-Encoding: chunked\r\n\r\n');
    // White space before the first part has no limit of its own.
    const blanks = chunk(Buffer.alloc(4 * MIB, ' '));
    for (let mib = 0; mib < 240; mib += 4) await sent(blanks);
    const answer = await new Promise<string>((done) => {
      let text = '';
      socket.on('data', (bytes) => (text += bytes.toString())).once('close', () => done(text));
      socket.once('end', () => socket.destroy());
      socket.resume();
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/^Connection: close\r$/m);
    expect(answer).toContain('"too_large"');
    expect(await echo.remainingFiles()).toEqual([]);
  });

  it('has limits for each field and for all together', async () => {
    expect((await echo.send(form([], { title: 'x'.repeat(MIB - 5) }))).status).toBe(201);
    const half = 'x'.repeat(MIB / 2);
    const tooLarge: Record<string, string>[] = [{ title: 'x'.repeat(MIB + 1) }, { title: half, text: half }];
    for (const fields of tooLarge) {
      expect(await echo.send(form([], fields))).toMatchObject({
        status: 413,
        body: { error: 'too_large', details: { limit: MIB } },
      });
    }
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`f${at}`, 'x']));
    expect(await echo.send(form([], many))).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});

describe('a malformed form', () => {
  it.each([
    ['a file', 'name="files"; filename="B\xff.png"', PNG.toString('latin1')],
    ['a file in the extended notation', `name="files"; filename*=utf-8''B%ff.png`, PNG.toString('latin1')],
    ['a field', 'name="titl\xff"', 'x'],
  ])('is rejected if the name of %s is not UTF-8', async (_, parameters, content) => {
    const text = `--b\r\nContent-Disposition: form-data; ${parameters}\r\n\r\n${content}\r\n${END}`;
    const answer = await echo.send(Buffer.from(text, 'latin1'), { 'Content-Type': 'multipart/form-data; boundary=b' });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(answer.body.message).toMatch(/is not valid UTF-8/);
  });

  it('has LF for the line breaks of browsers, and other characters as they are', async () => {
    const answer = await echo.raw(
      `${part('title', 'a\r\nb\nc\rd\\r\\n')}${part('customFields[x]', '1\r\n\r\n2')}${END}`,
    );
    expect(answer.body.body).toEqual({ title: 'a\nb\nc\rd\\r\\n', customFields: { x: '1\n\n2' } });
  });

  it('is rejected if a field is not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nB'),
      Buffer.from([0xe4]),
      Buffer.from('r\r\n--b--\r\n'),
    ]);
    expect(await echo.send(bytes, { 'Content-Type': 'multipart/form-data; boundary=b' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', message: expect.stringContaining('title') },
    });
  });

  const nested = `a${'[b]'.repeat(33)}`;

  it.each([
    ['a huge index', part('items[4294967294]', 'x') + END],
    ['deep nesting', part(nested, 'x') + END],
    ['__proto__', part('__proto__', 'x') + END],
    ['a nested __proto__', part('a[__proto__][polluted]', 'x') + END],
    ['a nested constructor', part('a[constructor][prototype]', 'x') + END],
    ...['__proto__', 'constructor', 'prototype'].map((name) => [
      `${name} of a field that contains JSON`,
      jsonPart('a', '{}') + part(`a[${name}][polluted]`, 'x') + END,
    ]),
    ['an object in a field that contains a list', jsonPart('a', '[]') + part('a[length][polluted]', 'x') + END],
    ['a name of 2,000 bytes', part('n'.repeat(2_000), 'x') + END],
    ['an empty name', part('', 'x') + END],
    ['no name', '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n'],
    ['text instead of files', part('files', 'x') + END],
    ['files as objects of text', part('files[0][data]', 'x') + END],
    [
      'a file in another field',
      '--b\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\n\r\nx\r\n--b--\r\n',
    ],
    [
      'a file in a huge index',
      '--b\r\nContent-Disposition: form-data; name="files[4294967294]"; filename="a.png"\r\n\r\nx\r\n--b--\r\n',
    ],
    [
      'a file without a filename',
      '--b\r\nContent-Disposition: form-data; name="files"\r\nContent-Type: application/octet-stream\r\n\r\nx\r\n--b--\r\n',
    ],
    ['no end', part('title', 'x')],
    [
      'an end in the middle of a file',
      `--b\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\n\r\n${PNG.toString('latin1')}`,
    ],
    ['malformed headers', '--b\r\nContent\x01Disposition\r\n\r\nx\r\n--b--\r\n'],
    ['no form at all', 'x'],
  ])('returns 400 for %s', async (_, parts) => {
    expect(await echo.raw(parts)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', details: { total: 1 } },
    });
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('is rejected with the name of a field that could reach a prototype', async () => {
    const { body } = await echo.raw(part('a[__proto__][b]', 'x') + END);
    expect(body.details.errors).toMatchObject([{ field: 'a[__proto__][b]' }]);
  });

  it('does not take an inherited property for a field that contains JSON', async () => {
    const parts = jsonPart('a', '{"b":1}') + part('a[toString][c]', 'x') + END;
    expect((await echo.raw(parts)).body.body).toEqual({ a: { b: 1, toString: { c: 'x' } } });
    expect(Object.keys(Object.prototype.toString)).toEqual([]);
  });

  it('returns 400 without a boundary', async () => {
    const answer = await echo.raw(part('title', 'x') + END, 'multipart/form-data');
    expect(answer).toMatchObject({ status: 400, body: { message: 'The Content-Type has no boundary.' } });
  });

  it('is rejected with the field name if a file is in another field', async () => {
    const answer = await echo.send(form([['photo', file(PNG, 'a.png')]]));
    expect(answer.body).toMatchObject({ details: { errors: [{ field: 'photo' }] } });
  });

  it('returns 415 for another multipart type and for a compressed form', async () => {
    expect((await echo.raw(END, 'multipart/mixed; boundary=b')).status).toBe(415);
    const packed = gzipSync(part('title', 'x') + END);
    expect(
      (await echo.send(packed, { 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Encoding': 'gzip' }))
        .status,
    ).toBe(415);
    expect((await echo.raw('x', 'text/plain')).body.message).toContain('application/json or multipart/form-data');
  });

  it.each(['gzip', 'br', 'deflate', 'constructor'])(
    'returns 415 for JSON with the Content-Encoding %s',
    async (coding) => {
      const packed = coding === 'br' ? brotliCompressSync('{"title":"x"}') : gzipSync('{"title":"x"}');
      const answer = await echo.json(packed, { 'Content-Encoding': coding });
      expect(answer).toMatchObject({ status: 415, body: { message: expect.stringContaining(`"${coding}"`) } });
    },
  );

  it('returns 415 on a route that does not accept files', async () => {
    const data = form([['files', file(PNG, 'a.png')]]);
    expect((await echo.send(data, {}, '/plain')).status).toBe(415);
  });

  it.each(['files', 'files[]', 'files[0]'])('may name its files %s', async (field) => {
    expect((await echo.send(form([[field, file(PNG, 'a.png')]]))).body.files).toHaveLength(1);
  });

  it('may have empty inputs as browsers send them', async () => {
    const empty =
      '--b\r\nContent-Disposition: form-data; name="files"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n';
    expect((await echo.raw(empty + part('title', 'x') + END)).body).toEqual({ body: { title: 'x' }, files: [] });
  });

  it('is rejected at its first error without waiting for the rest', async () => {
    const svg = `--b\r\nContent-Disposition: form-data; name="files"; filename="a.svg"\r\n\r\n<svg/>\r\n`;
    const status = await new Promise<number | undefined>((done, failed) => {
      const sending = httpRequest({
        port: echo.port,
        path: '/files',
        method: 'POST',
        headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
      });
      sending.once('response', (response) => {
        done(response.statusCode);
        sending.destroy();
      });
      sending.once('error', failed);
      // The form never ends.
      sending.write(`${svg}--b\r\n`);
    });
    expect(status).toBe(415);
  });
});

describe('files in JSON', () => {
  it.each<[string, object, string]>([
    ['other characters', { data: '!!!!' }, 'files[1].data'],
    ['data after padding', { data: 'QQ==QUJD' }, 'files[1].data'],
    ['a blank in a line, which may be a lost +', { data: 'QUJD RE' }, 'files[1].data'],
    ['a name of 4,097 characters', { filename: 'n'.repeat(4_097) }, 'files[1].filename'],
    ['another data URI', { data: 'data:,hello' }, 'files[1].data'],
    ['no data', { data: undefined }, 'files[1].data'],
    ['no filename', { filename: undefined }, 'files[1].filename'],
    ['a type that is not a text', { contentType: 5 }, 'files[1].contentType'],
    ['an unknown field', { url: 'http://127.0.0.1' }, 'files[1].url'],
  ])('with %s are rejected with the field path', async (_, override, field) => {
    const good = { filename: 'a.png', data: base64(PNG) };
    const answer = await echo.json({ files: [good, { ...good, ...override }] });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request', details: { errors: [{ field }] } } });
  });

  it.each([{ files: {} }, { files: 'x' }, { files: ['x'] }, { files: [null] }])(
    'given as %j are rejected',
    async (body) => {
      expect((await echo.json(body)).status).toBe(400);
    },
  );

  it('follow the rules of JSON: duplicate keys, prototypes, nesting', async () => {
    const duplicate = `{"files":[{"filename":"a.png","filename":"b.png","data":"${base64(PNG)}"}]}`;
    expect((await echo.json(duplicate)).body.details.errors[0]).toMatchObject({
      field: 'files[0].filename',
      code: 'duplicate_key',
    });
    expect((await echo.json('{"files":[],"__proto__":{}}')).status).toBe(400);
    expect((await echo.json(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`)).status).toBe(400);
  });

  /** A body of exactly so many bytes that contains a picture. */
  function bodyOf(bytes: number): Buffer {
    const head = '{"files":[{"filename":"a.png","data":"';
    const length = bytes - head.length - '"}]}'.length;
    const size = Math.floor(length / 4) * 3;
    // Spaces fill up what is not a multiple of four.
    return Buffer.from(`${head}${base64(picture(size))}"}]${' '.repeat(length % 4)}}`);
  }

  it('may fill exactly 20 MiB, and one byte more returns 413 with advice', async () => {
    const fits = bodyOf(20 * MIB);
    const tooLarge = bodyOf(20 * MIB + 1);
    expect([fits.length, tooLarge.length]).toEqual([20 * MIB, 20 * MIB + 1]);
    expect((await echo.json(fits)).status).toBe(201);
    const answer = await echo.json(tooLarge);
    expect(answer).toMatchObject({
      status: 413,
      body: { error: 'too_large', details: { limit: 20 * MIB, actual: 20 * MIB + 1 } },
    });
    expect(answer.body.message).toMatch(/grows by a third.*multipart\/form-data/);
  });

  it('have the same size limit', async () => {
    const small = await EchoApp.start();
    small.limitFiles(1000);
    expect((await small.json({ files: [{ filename: 'a.png', data: base64(picture(1000)) }] })).status).toBe(201);
    const answer = await small.json({ files: [{ filename: 'a.png', data: base64(picture(1001)) }] });
    expect(answer).toMatchObject({
      status: 413,
      body: { error: 'file_too_large', details: { limit: 1000 } },
    });
    await small.stop();
  });
});

describe('both transports', () => {
  const lines = (text: string) => text.replace(/.{76}/g, '$&\r\n');
  const encodings: [string, (bytes: Buffer) => string][] = [
    ['base64', base64],
    ['base64 in lines', (bytes) => `${lines(base64(bytes))}\n`],
    ['base64 without padding', (bytes) => base64(bytes).replace(/=+$/, '')],
    ['the URL alphabet', (bytes) => bytes.toString('base64url')],
    ['a data URI', (bytes) => `data:image/png;base64,${base64(bytes)}`],
    ['a data URI without type', (bytes) => `data:;base64,${base64(bytes)}`],
    ['a data URI of Firefox', (bytes) => `data:video/webm; codecs="vp8, opus";base64,${base64(bytes)}`],
    ['a data URI of Chromium', (bytes) => `data:video/webm;codecs=vp8,opus;base64,${base64(bytes)}`],
  ];
  const contents: [string, Buffer, number][] = [
    ['a picture', PNG, 201],
    ['a picture of 1 MB', picture(1_000_000), 201],
    ['a PDF', PDF, 201],
    ['no bytes', Buffer.alloc(0), 400],
    ['a text', Buffer.from('hello'), 415],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 415],
  ];
  const names: [string, number][] = [
    ['a.png', 201],
    ['../x/a.png', 201],
    ['Größe 新.png', 201],
    ['a"b;c.png', 201],
    ['x'.repeat(300), 201],
  ];

  const outcome = ({ status, body }: Awaited<ReturnType<EchoApp['send']>>) => [status, body.error, body.files];

  it.each(
    encodings.flatMap(([encoding, encode]) => contents.map((content) => [encoding, ...content, encode] as const)),
  )('accept or reject the same file: %s of %s', async (_encoding, _name, bytes, status, encode) => {
    const json = await echo.json({ files: [{ filename: 'a', data: encode(bytes) }] });
    const sent = await echo.send(form([['files', file(bytes, 'a')]]));
    expect(json.status).toBe(status);
    expect(outcome(json)).toEqual(outcome(sent));
  });

  it.each(names)('store the same name for %j', async (name, status) => {
    const json = await echo.json({ files: [{ filename: name, data: base64(PNG) }] });
    const sent = await echo.send(form([['files', file(PNG, name)]]));
    expect(json.status).toBe(status);
    expect(outcome(json)).toEqual(outcome(sent));
  });

  it('reject a name that is not Unicode', async () => {
    const answer = await echo.json(`{"files":[{"filename":"B\\ud800.png","data":"${base64(PNG)}"}]}`);
    expect(answer).toMatchObject({ status: 400, body: { details: { errors: [{ field: 'files[0].filename' }] } } });
  });
});

/** Labels of charsets, a text, and its bytes in each. */
const CHARSETS: [label: string, text: string, bytes: number[]][] = [
  ['utf-8', 'é€', [0xc3, 0xa9, 0xe2, 0x82, 0xac]],
  ['UTF8', 'é', [0xc3, 0xa9]],
  ['us-ascii', 'é', [0xc3, 0xa9]],
  ['iso-8859-1', 'é€', [0xe9, 0x80]],
  ['windows-1252', 'Prüfung – 5 €', [...Buffer.from('Pr\xfcfung \x96 5 \x80', 'latin1')]],
  ['latin1', 'Ÿ\x81', [0x9f, 0x81]],
  ['iso-8859-15', '€', [0xa4]],
  ['windows-1251', 'Ж', [0xc6]],
  ['koi8-r', 'Ж', [0xf6]],
  ['gbk', '阀', [0xb7, 0xa7]],
  ['shift_jis', '弁', [0x95, 0xd9]],
];

describe('the charset of JSON and of fields of forms', () => {
  const sendJson = (label: string, bytes: Buffer) =>
    echo.send(Buffer.concat([Buffer.from('{"title":"'), bytes, Buffer.from('"}')]), {
      'Content-Type': `application/json; charset=${label}`,
    });

  it.each(CHARSETS)('may be %s', async (label, text, bytes) => {
    for (const name of [label, `"${label}"`, `${label}; x=y`]) {
      const answer = await sendJson(name, Buffer.from(bytes));
      expect(answer).toMatchObject({ status: 201, body: { body: { title: text } } });
    }
  });

  it.each(CHARSETS)('may be %s for a field of a form', async (label, text, bytes) => {
    const head = `--b\r\nContent-Disposition: form-data; name="title"\r\nContent-Type: text/plain; charset=${label}\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from(`\r\n${END}`)]);
    const answer = await echo.send(body, { 'Content-Type': 'multipart/form-data; boundary=b' });
    expect(answer).toMatchObject({ status: 201, body: { body: { title: text } } });
  });

  it('may be UTF-16 for JSON', async () => {
    const headers = { 'Content-Type': 'application/json; charset=utf-16le' };
    const answer = await echo.send(Buffer.from('{"title":"é€"}', 'utf16le'), headers);
    expect(answer.body.body).toEqual({ title: 'é€' });
  });

  it.each(['utf-7', 'base64', 'nonsense', '__proto__', 'constructor', 'x-user-defined'])(
    'is rejected if it is %s',
    async (label) => {
      const answer = await sendJson(label, Buffer.from('x'));
      expect(answer).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } });
      expect(answer.body.message).toBe(`The charset "${label}" is not accepted. Send UTF-8.`);
      const type = `Content-Type: text/plain; charset=${label}`;
      const field = await echo.raw(`${part('title', 'x').replace('\r\n\r\n', `\r\n${type}\r\n\r\n`)}${END}`);
      expect(field).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } });
      expect(field.body.message).toBe(`The charset "${label}" of the form field "title" is not accepted. Send UTF-8.`);
    },
  );

  it.each([
    ['utf-8', [0xe9]],
    ['us-ascii', [0xe9]],
    ['shift_jis', [0x95]],
  ])('is rejected for bytes that are not %s', async (label, bytes) => {
    expect((await sendJson(label, Buffer.from(bytes))).status).toBe(400);
  });

  it('may be announced by a byte order mark', async () => {
    const answer = await echo.json('\ufeff{"title":"é"}');
    expect(answer).toMatchObject({ status: 201, body: { body: { title: 'é' } } });
  });
});

describe('the digest of a body', () => {
  const digest = async (data: FormData) =>
    (await echo.send(data, { 'Idempotency-Key': 'k' })).body.bodyDigest as string;
  const files: [string, File][] = [['files', file(PNG, 'a.png')]];

  it('exists only if the request has an Idempotency-Key', async () => {
    expect((await echo.send(form(files))).body.bodyDigest).toBeUndefined();
    expect((await echo.json({})).body.bodyDigest).toBeUndefined();
  });

  it('of JSON depends on its values, and not on how they are written', async () => {
    const digestText = async (text: string) =>
      (await echo.json(text, { 'Idempotency-Key': 'k' })).body.bodyDigest as string;
    const first = await digestText('{"title":"é/","list":[1,{"a":1,"10":null}]}');
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await digestText('{ "list": [1.0, {"10":null, "a":1e0}],\n"title": "\\u00e9\\/" }')).toBe(first);
    for (const other of [
      '{"title":"é/","list":[{"a":1,"10":null},1]}',
      '{"title":"é/","list":["1",{"a":1,"10":null}]}',
      '{"title":"é/","list":[1,{"a":1,"10":"null"}]}',
      '{"title":"é/","list":[1,{"a":1}]}',
      '{"title":"é/","list":[1],"a":1,"10":null}',
      '{"title":"é/"}',
    ])
      expect([other, await digestText(other)]).not.toEqual([other, first]);
  });

  it('of a form does not depend on the boundary and the order of fields', async () => {
    const first = await digest(form(files, { title: 'x', status: 'open' }));
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await digest(form(files, { status: 'open', title: 'x' }))).toBe(first);
    for (const other of [
      form(files, { title: 'x', status: 'done' }),
      form(files, { title: 'x' }),
      form([], { title: 'x', status: 'open' }),
      form([['files', file(PNG, 'b.png')]], { title: 'x', status: 'open' }),
      form([['files', file(PDF, 'a.png')]], { title: 'x', status: 'open' }),
    ]) {
      expect(await digest(other)).not.toBe(first);
    }
  });
});

describe('the capacity for uploads', () => {
  it('is limited and available again after the request', async () => {
    const small = await EchoApp.start({ UPLOAD_TEMPORARY_BYTES: '5000' });
    let open!: () => void;
    gate = new Promise((done) => (open = done));
    entered = 0;
    const first = small.send(form([['files', file(picture(4_000), 'a.png')]]));
    while (entered === 0) await delay(10);
    const second = await small.send(form([['files', file(picture(4_000), 'b.png')]]));
    expect(second).toMatchObject({ status: 503, body: { error: 'overloaded' } });
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
    const json = await small.json({ files: [{ filename: 'a.png', data: base64(picture(4_000)) }] });
    expect(json.status).toBe(503);
    open();
    expect((await first).status).toBe(201);
    expect(await small.remainingFiles()).toEqual([]);
    expect((await small.send(form([['files', file(picture(4_000), 'b.png')]]))).status).toBe(201);
    await small.stop();
  });
});

describe('temporary files', () => {
  const HEADERS =
    'POST /files HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000000\r\n\r\n';
  const START = '--b\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\n\r\n';

  const descriptors = () => readdirSync('/proc/self/fd').length;

  it('and descriptors are released after twenty connections were cut', async () => {
    const before = descriptors();
    const cut = async (bytes: number) => {
      const socket = connect(echo.port, '127.0.0.1');
      socket.on('error', () => undefined);
      await new Promise<void>((done) =>
        socket.write(Buffer.concat([Buffer.from(HEADERS + START), PNG, randomBytes(bytes)]), () => done()),
      );
      for (let attempt = 0; attempt < 4_000 && echo.temporaryFiles.length === 0; attempt++) await delay(5);
      const count = echo.temporaryFiles.length;
      socket.destroy();
      return count;
    };
    const counts = await Promise.all(Array.from({ length: 20 }, (_, at) => cut(at * 50_000)));
    expect(Math.max(...counts)).toBeGreaterThan(0);
    expect(await echo.remainingFiles()).toEqual([]);
    for (let attempt = 0; attempt < 200 && descriptors() > before; attempt++) await delay(25);
    expect(descriptors()).toBeLessThanOrEqual(before);
  });

  it('of a disconnected client remain until its handler is done', async () => {
    let open!: () => void;
    gate = new Promise((done) => (open = done));
    entered = 0;
    const client = new AbortController();
    const sent = fetch(`http://127.0.0.1:${echo.port}/files`, {
      method: 'POST',
      body: form([['files', file(PNG, 'a.png')]]),
      signal: client.signal,
    });
    while (entered === 0) await delay(10);
    client.abort();
    await expect(sent).rejects.toThrow();
    await delay(100);
    expect(echo.temporaryFiles).toHaveLength(1);
    open();
    expect(await echo.remainingFiles()).toEqual([]);
  });

  it('of a dead process, and no others, are removed when the service starts', async () => {
    const one = await EchoApp.start();
    expect((await one.send(form([['files', file(PNG, 'a.png')]]))).status).toBe(201);
    expect(await one.remainingFiles()).toEqual([]);
    const [old, recent] = ['old', 'recent'].map((name) => join(one.dataDir, 'temporary', name));
    for (const path of [old!, recent!]) writeFileSync(path, 'x');
    const before = Date.now() / 1000 - 6 * 60;
    utimesSync(old!, before, before);
    const other = await EchoApp.start({ DATA_DIR: one.dataDir });
    expect(one.temporaryFiles).toEqual(['recent']);
    await other.stop();
    await one.stop();
  });
});
