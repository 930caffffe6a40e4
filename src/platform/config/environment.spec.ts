import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentSchema, parseEnvironment } from './environment.js';
import type { EnvironmentError } from './environment-error.js';
import { SECRET_SETTINGS } from './secret-files.js';

function errorsOf(environment: Record<string, string | undefined>): string[] {
  try {
    parseEnvironment(environment);
    return [];
  } catch (error) {
    return (error as EnvironmentError).errors;
  }
}

describe('the environment', () => {
  it.each(['65536', '80.5', 'true', '0', '0x50', '8e3', ' ', '-1'])('rejects the port %j', (PORT) => {
    expect(errorsOf({ PORT })).toEqual([expect.stringMatching(/^PORT: /)]);
  });

  it.each(['1', '65535'])('accepts the port %j', (PORT) => {
    expect(errorsOf({ PORT })).toEqual([]);
  });

  it.each(['METRICS_PORT', 'DOCS_PORT'] as const)('accepts "off" or a port for %s', (name) => {
    expect(parseEnvironment({})[name]).toBeUndefined();
    expect(parseEnvironment({ [name]: 'off' })[name]).toBeNull();
    expect(parseEnvironment({ [name]: '9090' })[name]).toBe(9090);
    for (const value of ['on', '0', '65536'])
      expect(errorsOf({ [name]: value })).toEqual([
        `${name}: must be "off" or a whole number from 1 to 65535; it is "${value}"`,
      ]);
  });

  it.each([
    ['CLEANUP_INTERVAL_S', '3000000'],
    ['SHUTDOWN_TIMEOUT_MS', '3000000000'],
    ['SHUTDOWN_DRAIN_MS', '3000000000'],
    ['REQUEST_WAIT_MS', '3000000000'],
    ['DATABASE_CONNECT_TIMEOUT_MS', '3000000000'],
    ['DATABASE_STATEMENT_TIMEOUT_MS', '3000000000'],
    ['AUDIT_RETENTION_DAYS', '9007199254740991'],
    ['REFRESH_TOKEN_TTL_S', '9007199254740991'],
    ['EVENT_RETENTION_DAYS', '9007199254740991'],
    ['TABLE_HISTORY_DAYS', '9007199254740991'],
    ['PUBLIC_URL', 'https://user:password@atrium.test'],
    ['PUBLIC_URL', 'https://atrium.test?a=b'],
    ['PUBLIC_URL', 'https://atrium.test/#a'],
    ['PUBLIC_URL', 'atrium.test'],
    ['STAGING_URL', 'https://atrium.test?a=b'],
  ])('rejects %s=%s with one line that begins with its name', (name, value) => {
    expect(errorsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name}: must `))]);
  });

  it('limits each number, so that no timer of Node ends at once and no buffer exceeds its maximum', () => {
    const defaults = parseEnvironment({});
    const names = Object.keys(environmentSchema.shape) as (keyof typeof defaults)[];
    const numbers = names.filter((name) => typeof defaults[name] === 'number' || name === 'SHUTDOWN_DRAIN_MS');
    expect(numbers.length).toBeGreaterThan(25);
    const value = '9007199254740991';
    const lines = numbers.map((name) => errorsOf({ [name]: value }));
    const allowed = `must be a whole number from \\d+ to \\d+; it is "${value}"`;
    expect(lines).toEqual(numbers.map((name) => [expect.stringMatching(new RegExp(`^${name}: ${allowed}$`))]));
  });

  it('limits the delays of deliveries', () => {
    const line = 'EVENTS_RETRY_DELAYS_S: must be at most 100 delays from 0 to 999999 seconds, separated by commas';
    expect(errorsOf({ EVENTS_RETRY_DELAYS_S: '1000000' })).toEqual([`${line}; it is "1000000"`]);
    const shortened = `${'1,'.repeat(50)}…`;
    expect(errorsOf({ EVENTS_RETRY_DELAYS_S: '1,'.repeat(101) })).toEqual([`${line}; it is "${shortened}"`]);
  });

  it.each([
    ['NODE_ENV', 'development, test or production'],
    ['LOG_LEVEL', 'fatal, error, warn, info, debug, trace or silent'],
    ['LOG_FORMAT', 'auto, json or pretty'],
    ['EVENTS_ALLOW_HTTP', 'true or false'],
    ['S3_FORCE_PATH_STYLE', 'true or false'],
    ['PUBLIC_NOTES', 'on or off'],
    ['DATABASE_POOLER', 'none, transaction or transaction-unprepared'],
  ])('lists the values of %s, and the one that was sent', (name, values) => {
    expect(errorsOf({ [name]: 'loud' })).toEqual([`${name}: must be ${values}; it is "loud"`]);
  });

  it('rejects the demo issuer in production, and with a database that has no demo', () => {
    const port = { DEMO_ISSUER_PORT: '3001' };
    expect(errorsOf({ ...port, NODE_ENV: 'production' })).toContain('DEMO_ISSUER_PORT: must not be set in production');
    expect(errorsOf({ ...port, DATABASE_URL: 'postgres://localhost/atrium' })).toEqual([
      'DEMO_ISSUER_PORT: must not be set because DATABASE_URL is set',
    ]);
  });

  it('reports invalid settings, absent ones and files together', () => {
    const lines = errorsOf({
      NODE_ENV: 'production',
      PORT: 'http',
      S3_BUCKET: 'files',
      DATABASE_URL_FILE: '/absent/url',
      CREDENTIAL_PEPPER: 'short',
    });
    expect(lines).toEqual([
      expect.stringMatching(/^CREDENTIAL_PEPPER: must be 64 hexadecimal digits/),
      'DATABASE_URL_FILE: the file cannot be read (ENOENT)',
      expect.stringMatching(/^ENCRYPTION_KEY: must be set in production/),
      'PORT: must be a whole number from 1 to 65535; it is "http"',
      'S3_ACCESS_KEY_ID: must be set because S3_BUCKET is set',
      'S3_SECRET_ACCESS_KEY: must be set because S3_BUCKET is set',
    ]);
  });

  it.each([
    ['https://user:se/cret@atrium.test', 'https://…@atrium.test'],
    ['https://atrium.test/api?token=secret', 'https://atrium.test/api?…'],
    ['postgres://user:secret@db/atrium', 'postgres://…@db/atrium'],
  ])('masks the credentials of the URL %s', (sent, masked) => {
    const [line, ...more] = errorsOf({ PUBLIC_URL: sent });
    expect(line).toMatch(/^PUBLIC_URL: must /);
    expect(line!.slice(line!.indexOf('; it is '))).toBe(`; it is "${masked}"`);
    expect(more).toEqual([]);
  });

  describe('a secret in a file', () => {
    const VALUES: Record<(typeof SECRET_SETTINGS)[number], string> = {
      DATABASE_URL: 'postgres://atrium:secret@localhost/atrium',
      DATABASE_READ_URL: 'postgres://atrium:secret@replica/atrium',
      CREDENTIAL_PEPPER: 'a'.repeat(64),
      ENCRYPTION_KEY: 'b'.repeat(64),
      S3_SECRET_ACCESS_KEY: 'secret',
    };
    const others = { S3_BUCKET: 'atrium', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'other' };
    let folder: string;
    const store = (content: string) => {
      const file = join(folder, 'secret');
      writeFileSync(file, content);
      return file;
    };

    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'atrium-secrets-'));
    });

    afterAll(() => rmSync(folder, { recursive: true }));

    it.each(SECRET_SETTINGS)('reads %s without the last line break', (name) => {
      for (const end of ['', '\n', '\r\n']) {
        const env = parseEnvironment({ ...others, [name]: undefined, [`${name}_FILE`]: store(VALUES[name] + end) });
        expect(env[name]).toBe(VALUES[name]);
      }
    });

    it('removes only one line break', () => {
      expect(errorsOf({ ENCRYPTION_KEY_FILE: store(`${VALUES.ENCRYPTION_KEY}\n\n`) })).toEqual([
        expect.stringMatching(/^ENCRYPTION_KEY_FILE: must be 64 hexadecimal digits/),
      ]);
    });

    it.each(SECRET_SETTINGS)(
      'rejects %s together with its file, an empty file, an absent one and a directory',
      (name) => {
        const setting = `${name}_FILE`;
        const set = { ...others, [name]: undefined };
        expect(errorsOf({ ...others, [name]: VALUES[name], [setting]: store(VALUES[name]) })).toEqual([
          `${setting}: must not be set if ${name} is set`,
        ]);
        const empty = store('\n');
        expect(errorsOf({ ...set, [setting]: empty })).toEqual([`${setting}: the file ${empty} is empty`]);
        expect(errorsOf({ ...set, [setting]: join(folder, 'absent') })).toEqual([
          `${setting}: the file cannot be read (ENOENT)`,
        ]);
        expect(errorsOf({ ...set, [setting]: folder })).toEqual([
          `${setting}: must name a file of at most 65536 bytes`,
        ]);
      },
    );
  });
});
