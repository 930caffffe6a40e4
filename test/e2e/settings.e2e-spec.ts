import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer, connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../support/api.js';
import { Home } from '../support/home.js';
import { Operator } from '../support/operator.js';
import type { Credentials } from '../support/credentials.js';
import { freePort, TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

const SECRETS = { CREDENTIAL_PEPPER: 'a'.repeat(64), ENCRYPTION_KEY: 'b'.repeat(64) };

describe('starting the service', () => {
  let home: Home;

  beforeEach(async () => {
    home = await Home.make();
  });

  afterEach(() => home.remove());

  /** Starts a service that must fail and returns the lines that it printed. */
  async function failedStart(settings: Record<string, string>): Promise<string[]> {
    const { code, output } = await home.failedStart({ LOG_FORMAT: 'json', ...settings });
    expect(code).toBe(1);
    return output
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{"level":"info"'));
  }

  it('rejects invalid values with one line each and creates no files', async () => {
    const lines = await failedStart({
      PORT: 'http',
      LOG_LEVEL: 'loud',
      PUBLIC_URL: 'ftp://atrium.test',
      DATABASE_URL: 'mysql://localhost/atrium',
      ENCRYPTION_KEY: 'short',
      TRUST_PROXY: '10.0.0.0/8,nonsense',
      CORS_ORIGINS: 'https://app.test,https://app.test/path',
      MAX_SESSIONS_PER_USER: '0',
      ACCESS_TOKEN_TTL_S: '1.5',
      SHUTDOWN_DRAIN_MS: '-1',
      IMPORT_MAX_BYTES: '1e400',
    });
    expect(lines.map((line) => line.split(':')[0]).sort()).toEqual([
      'ACCESS_TOKEN_TTL_S',
      'CORS_ORIGINS',
      'DATABASE_URL',
      'ENCRYPTION_KEY',
      'IMPORT_MAX_BYTES',
      'LOG_LEVEL',
      'MAX_SESSIONS_PER_USER',
      'PORT',
      'PUBLIC_URL',
      'SHUTDOWN_DRAIN_MS',
      'TRUST_PROXY',
    ]);
    for (const line of lines) expect(line).toMatch(/^[A-Z_]+: \S/);
    expect(lines).toContain('PORT: must be a whole number from 1 to 65535; it is "http"');
    expect(lines).toContain('ACCESS_TOKEN_TTL_S: must be a whole number from 1 to 315360000; it is "1.5"');
    expect(lines).toContain('SHUTDOWN_DRAIN_MS: must be a whole number from 0 to 86400000; it is "-1"');
    expect(lines).toContain('LOG_LEVEL: must be fatal, error, warn, info, debug, trace or silent; it is "loud"');
    expect(readdirSync(home.path)).toEqual([]);
  });

  it('never repeats a wrong secret', async () => {
    const secret = randomBytes(31).toString('hex');
    const url = `mysql://atrium:${secret}@localhost/atrium`;
    const lines = await failedStart({ CREDENTIAL_PEPPER: secret, ENCRYPTION_KEY: secret, DATABASE_URL: url });
    expect(lines).toHaveLength(3);
    expect(lines.join('\n')).not.toContain(secret);
  });

  it('reads them from a file .env too, and the environment wins', async () => {
    writeFileSync(join(home.path, '.env'), 'MAX_SESSIONS_PER_USER=many\nLOG_LEVEL=loud\n');
    const lines = await failedStart({ LOG_LEVEL: 'louder' });
    expect(lines.map((line) => line.split(':')[0])).toEqual(['LOG_LEVEL', 'MAX_SESSIONS_PER_USER']);
  });

  it('requires secrets in production and lists the absent ones', async () => {
    const both = await failedStart({ NODE_ENV: 'production' });
    expect(both.map((line) => line.split(':')[0])).toEqual(['CREDENTIAL_PEPPER', 'ENCRYPTION_KEY']);
    const one = await failedStart({ NODE_ENV: 'production', CREDENTIAL_PEPPER: SECRETS.CREDENTIAL_PEPPER });
    expect(one.map((line) => line.split(':')[0])).toEqual(['ENCRYPTION_KEY']);
    expect(readdirSync(home.path)).toEqual([]);
  });

  it.each([
    ['embedded', {}],
    ['of DATABASE_URL', { ...SECRETS, DATABASE_URL: 'postgres://localhost/atrium' }],
  ])('reports a DATA_DIR that is not a directory with a database %s', async (_database, settings) => {
    expect(await failedStart({ ...settings, DATA_DIR: '/dev/null' })).toEqual([
      'DATA_DIR: /dev/null is not a directory',
    ]);
    expect(await failedStart({ ...settings, DATA_DIR: '/dev/null/data' })).toEqual([
      'DATA_DIR: /dev/null/data is not a directory',
    ]);
  });

  it('reports a DATA_DIR that cannot be written with the other invalid settings, and creates none for them', async () => {
    const long = 'x'.repeat(300);
    for (const [DATA_DIR, reason] of [
      ['/dev/null', 'is not a directory'],
      ['/dev/null/data', 'is not a directory'],
      [long, 'cannot be created or written (ENAMETOOLONG)'],
    ] as const)
      expect(await failedStart({ LOG_LEVEL: 'loud', PORT: 'http', CREDENTIAL_PEPPER: 'short', DATA_DIR })).toEqual([
        expect.stringMatching(/^CREDENTIAL_PEPPER: /),
        `DATA_DIR: ${DATA_DIR} ${reason}`,
        expect.stringMatching(/^LOG_LEVEL: /),
        expect.stringMatching(/^PORT: /),
      ]);
    expect(await failedStart({ LOG_LEVEL: 'loud', DATA_DIR: 'new/data' })).toEqual([
      expect.stringMatching(/^LOG_LEVEL: /),
    ]);
    expect(readdirSync(home.path)).toEqual([]);
  });

  it('reports within seconds a DATA_DIR that the system does not create', async () => {
    const startedAt = Date.now();
    // Node's recursive mkdir never ends in /proc.
    expect(await failedStart({ DATA_DIR: '/proc/data/atrium' })).toEqual([
      'DATA_DIR: /proc/data/atrium cannot be created or written (ENOENT)',
    ]);
    const long = join(home.path, 'x'.repeat(300));
    expect(await failedStart({ DATA_DIR: long })).toEqual([
      `DATA_DIR: ${long} cannot be created or written (ENAMETOOLONG)`,
    ]);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });

  it('reports a DATA_DIR and a TMPDIR that are too long for a Unix socket', async () => {
    const TMPDIR = join(home.path, 'x'.repeat(90));
    mkdirSync(TMPDIR);
    const [line, ...more] = await failedStart({ DATA_DIR: join(TMPDIR, 'data'), TMPDIR });
    expect(line).toMatch(/^DATA_DIR: \S+ is too long for the path of a Unix socket, and so is TMPDIR: \S+\. Choose/);
    expect(more).toEqual([]);
  });

  it('reports a DATA_DIR in which files cannot be created', async () => {
    expect(await failedStart({ DATA_DIR: '/proc' })).toEqual([
      expect.stringMatching(/^DATA_DIR: \/proc\S* cannot be created or written \((EACCES|ENOENT)\)$/),
    ]);
  });

  it.each(['', '{', 'null', '{"pepper":"short","encryptionKey":"short"}'])(
    'reports generated secrets with the content %j, and never replaces them',
    async (content) => {
      const file = join(home.path, '.data', 'secrets.json');
      mkdirSync(join(home.path, '.data'));
      writeFileSync(file, content);
      expect(await failedStart({})).toEqual([
        expect.stringMatching(/^DATA_DIR: \S*secrets\.json must contain "pepper"/),
      ]);
      expect(readFileSync(file, 'utf8')).toBe(content);
    },
  );

  it('reads secrets from files, and reports each that it cannot read', async () => {
    const file = join(home.path, 'url');
    writeFileSync(file, `postgres://atrium:hidden@localhost:${await freePort()}/atrium\n`);
    const [line, ...more] = await failedStart({ ...SECRETS, DATABASE_URL_FILE: file });
    expect(line).toMatch(/^DATABASE_URL: .*ECONNREFUSED/);
    expect(line).not.toContain('hidden');
    expect(more).toEqual([]);
    const unreadable = { ENCRYPTION_KEY_FILE: 'absent', CREDENTIAL_PEPPER_FILE: home.path };
    expect(await failedStart({ ...unreadable, LOG_LEVEL: 'loud' })).toEqual([
      'CREDENTIAL_PEPPER_FILE: must name a file of at most 65536 bytes',
      'ENCRYPTION_KEY_FILE: the file cannot be read (ENOENT)',
      expect.stringMatching(/^LOG_LEVEL: /),
    ]);
  });

  it.each(['nonsense', '192.0.2.1', '999.1.1.1', 'fe80::1'])(
    'reports the address %s of another machine',
    async (HOST) => {
      const database = await TestDatabase.create();
      const lines = await failedStart({ ...SECRETS, DATABASE_URL: database.url, HOST });
      expect(lines).toEqual([`HOST: ${HOST} is not an address of this machine`]);
      await database.drop();
    },
  );

  it('reports a port that is in use', async () => {
    const database = await TestDatabase.create();
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1').unref();
    const lines = await failedStart({ ...SECRETS, DATABASE_URL: database.url, PORT: String(port) });
    expect(lines).toEqual([`PORT: ${port} is in use`]);
    for (const name of ['METRICS_PORT', 'DOCS_PORT']) {
      const settings = { ...SECRETS, DATABASE_URL: database.url, PORT: String(await freePort()), [name]: String(port) };
      expect(await failedStart(settings)).toEqual([`${name}: ${port} is in use`]);
    }
    other.close();
    await database.drop();
  });

  describe('warnings', () => {
    let database: TestDatabase;

    beforeAll(async () => {
      database = await TestDatabase.create();
    });

    afterAll(() => database.drop());

    /** The lines of the level `warn` of a service that has started. */
    async function warningsOf(settings: Record<string, string>): Promise<string[]> {
      const service = await TestService.start(database, settings);
      await service.stop();
      const lines = service.output.join('').split('\n');
      return lines
        .filter((line) => line.startsWith('{"level":"warn"'))
        .map((line) => (JSON.parse(line) as { msg: string }).msg);
    }

    it('name local files next to a database of its own server', async () => {
      expect(await warningsOf({})).toEqual([
        expect.stringMatching(/^DATA_DIR: files are stored in \S+\/files\. .*S3_BUCKET/),
      ]);
    });

    it('are absent if files are stored in S3', async () => {
      const bucket = { S3_BUCKET: 'files', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
      expect(await warningsOf({ ...bucket, S3_ENDPOINT: 'http://127.0.0.1:1' })).toEqual([]);
    });
  });

  describe('starting on an unsuitable database', () => {
    const startOn = async (url: string) => failedStart({ ...SECRETS, DATABASE_URL: url });

    it('rejects a database whose encoding is not UTF-8', async () => {
      const database = await TestDatabase.create();
      const name = `t_ascii_${randomBytes(4).toString('hex')}`;
      await database.query(`CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`);
      const lines = await startOn(database.url.replace(/\/t_\w+/, `/${name}`));
      expect(lines).toEqual(['DATABASE_URL: the database has the encoding SQL_ASCII; UTF8 is required.']);
      await database.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await database.drop();
    });

    it('rejects a database that does not exist', async () => {
      const database = await TestDatabase.create();
      const lines = await startOn(database.url.replace(/\/t_\w+/, '/nowhere'));
      expect(lines).toEqual([expect.stringMatching(/^DATABASE_URL: .*"nowhere" does not exist/)]);
      await database.drop();
    });

    it('rejects a database that accepts no connections', async () => {
      // The name has two addresses.
      const lines = await startOn(`postgres://atrium:hidden@localhost:${await freePort()}/atrium`);
      expect(lines).toEqual([expect.stringMatching(/^DATABASE_URL: .*ECONNREFUSED/)]);
      expect(lines[0]).not.toContain('hidden');
    });

    it('rejects a database of an unreleased version, and names the command that deletes it', async () => {
      const database = await TestDatabase.create();
      await database.query(`UPDATE migrations SET name = 'Platform1763700000000' WHERE name LIKE 'Platform%'`);
      const message = /^The database was created by an unreleased version, .* "npm run db:reset", .* DATABASE_URL/;
      expect(await startOn(database.url)).toContainEqual(expect.stringMatching(message));
      await database.drop();
    });

    it('rejects a database whose signing keys were encrypted with another ENCRYPTION_KEY', async () => {
      const database = await TestDatabase.create();
      const stored = { ...process.env, ...SECRETS, DATABASE_URL: database.url, DATA_DIR: join(home.path, '.data') };
      await new Operator(stored).json('key', 'list');
      const settings = { ...SECRETS, ENCRYPTION_KEY: 'c'.repeat(64), DATABASE_URL: database.url };
      expect(await failedStart(settings)).toEqual([expect.stringMatching(/^ENCRYPTION_KEY: differs/)]);
      await database.drop();
    });
  });
});

describe('stopping the service', () => {
  let database: TestDatabase;
  let first: TestService;
  let me: Credentials;

  beforeAll(async () => {
    database = await TestDatabase.create();
    first = await TestService.start(database);
    me = await first.provision();
  });

  afterAll(async () => {
    await first?.stop();
    await database?.drop();
  });

  it('exits immediately with code 0 on SIGTERM if no request is in progress', async () => {
    await new Api(first.baseUrl).get('/health/ready');
    const startedAt = Date.now();
    expect(await first.stop('SIGTERM')).toBe(0);
    // It would wait for SHUTDOWN_TIMEOUT_MS, which is 10 s.
    expect(Date.now() - startedAt).toBeLessThan(8_000);
  });

  it('exits immediately with code 0 on SIGINT, also if a connection sends nothing', async () => {
    const service = await TestService.start(database);
    await new Api(service.baseUrl).get('/health/ready');
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1').on('error', () => undefined);
    await new Promise((done) => socket.once('connect', done));
    const startedAt = Date.now();
    expect(await service.stop('SIGINT')).toBe(0);
    // It would wait for SHUTDOWN_TIMEOUT_MS, which is 10 s.
    expect(Date.now() - startedAt).toBeLessThan(8_000);
    socket.destroy();
  });

  it('drains, completes requests in progress, accepts no new ones and does not wait for idle connections', async () => {
    const drainMs = 6_000;
    const service = await TestService.start(database, { SHUTDOWN_DRAIN_MS: String(drainMs) });
    const api = new Api(service.baseUrl).withKey(me.apiKey);
    const project = postSlowly(service, JSON.stringify({ name: 'Under way' }));
    await project.begun;
    const startedAt = Date.now();
    const stopped = service.stop('SIGTERM');
    // While it drains, it is not ready and still processes requests.
    await until(async () => (await api.get('/health/ready')).status === 503);
    expect((await api.get('/health/live')).status).toBe(200);
    expect((await api.get('/v1/api/projects')).status).toBe(200);
    await until(() =>
      fetch(`${service.baseUrl}/health/live`).then(
        () => false,
        () => true,
      ),
    );
    expect(Date.now() - startedAt).toBeGreaterThan(drainMs - 500);
    project.finish();
    expect((await project.answer).statusCode).toBe(201);
    expect(await stopped).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(drainMs + 5_000);
  });

  it('aborts requests that exceed SHUTDOWN_TIMEOUT_MS, and has stored those that the previous instance completed', async () => {
    const service = await TestService.start(database, { SHUTDOWN_TIMEOUT_MS: '700' });
    const { body } = await new Api(service.baseUrl).withKey(me.apiKey).get('/v1/api/projects');
    expect(body.data.items).toEqual([expect.objectContaining({ name: 'Under way' })]);

    const stuck = postSlowly(service, JSON.stringify({ name: 'Never ends' }));
    stuck.answer.catch(() => undefined);
    await stuck.begun;
    const startedAt = Date.now();
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(8_000);
    await expect(stuck.answer).rejects.toThrow();
  });

  /** Creates a project on a keep-alive connection; `finish` sends the last byte of the body. */
  function postSlowly(service: TestService, body: string) {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length, 'X-API-Key': me.apiKey };
    const agent = new Agent({ keepAlive: true });
    const sent = request(`${service.baseUrl}/v1/api/projects`, { method: 'POST', headers, agent });
    const answer = new Promise<{ statusCode?: number }>((settle, fail) => {
      sent.once('error', fail).once('response', (response) => {
        response.resume().once('end', () => settle(response));
      });
    });
    sent.write(body.slice(0, -1));
    return { answer, begun: sleep(300), finish: () => sent.end(body.slice(-1)) };
  }
});
