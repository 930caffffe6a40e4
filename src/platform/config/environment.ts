import { isIP } from 'node:net';
import * as z from 'zod';
import { EnvironmentError } from './environment-error.js';
import { parsePolicy, InvalidPolicyError } from './rate-policy.js';
import { readSecretFiles } from './secret-files.js';
import { describeSetting } from './setting-errors.js';

/** An integer; the error message states the range. */
function integer(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  const isInRange = (value: number) => Number.isInteger(value) && value >= min && value <= max;
  return z
    .string({ error })
    .trim()
    .regex(/^\d+$/, { error, abort: true })
    .transform(Number)
    .refine(isInRange, { error });
}

/** One of some values; the error message lists them. */
function oneOf<const T extends readonly string[]>(values: T) {
  return z.enum(values, { error: `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}` });
}

const port = integer(1, 65_535);
/** A port; null if it is `off`. */
const optionalPort = z.string().transform((text, context) => {
  const parsed = port.safeParse(text);
  if (text === 'off' || parsed.success) return parsed.data ?? null;
  context.addIssue({ code: 'custom', message: 'must be "off" or a whole number from 1 to 65535' });
  return z.NEVER;
});
const DAY_S = 86_400;
/**
 * Limits of times. Timers of Node longer than 24.8 days end after 1 ms, and PostgreSQL rejects intervals of centuries.
 */
const milliseconds = integer(1, DAY_S * 1_000);
const timerSeconds = integer(1, 7 * DAY_S);
const seconds = integer(1, 3_650 * DAY_S);
const days = integer(1, 3_650);
const MIB = 1024 * 1024;
/** Memory of all requests of an instance. */
const memoryBytes = integer(1, 65_536 * MIB);
/** Files, or rows in the database. */
const storedBytes = integer(1, 1_048_576 * MIB);

/** Does the URL consist of scheme, host, port and path? */
function isBase(text: string): boolean {
  return !/[?#]/.test(text) && new URL(text).username === '' && new URL(text).password === '';
}

/** A URL without a trailing slash, so that paths can be appended. */
const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL', abort: true })
  .refine(isBase, 'must not contain credentials, a query or a fragment')
  .transform((url) => url.replace(/\/+$/, ''));

const postgresUrl = z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL');

/** Comma-separated values. */
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((value) => value.trim())
    .filter(Boolean),
);

/** An origin as browsers send it: only scheme, host and port. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** An IP address or a CIDR range. A range of all addresses (`/0`) is rejected: every caller could forge its address. */
function isCidr(text: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && (bits === undefined || (Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128)));
}

/** true or false. */
function flag(defaultText: 'true' | 'false') {
  return oneOf(['true', 'false'])
    .default(defaultText)
    .transform((text) => text === 'true');
}

const key256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits (256 bits), as `openssl rand -hex 32` prints them');

/** A shared bucket is one row with the time of each attempt, and each attempt rewrites it. */
const MAX_SHARED_ATTEMPTS = 1_000;

/** A rate limit; null if it is `off`. */
function ratePolicy(defaultText: string, maxAttempts = 999_999_999) {
  return z
    .string()
    .transform((text, context) => {
      try {
        return parsePolicy(text, maxAttempts);
      } catch (error) {
        if (!(error instanceof InvalidPolicyError)) throw error;
        context.addIssue({ code: 'custom', message: error.message });
        return z.NEVER;
      }
    })
    .prefault(defaultText);
}

/**
 * All settings of the service with their defaults. `.env.example` documents each with its unit; a test compares the
 * two. An empty value counts as absent.
 */
export const environmentSchema = z.object({
  NODE_ENV: oneOf(['development', 'test', 'production']).default('development'),
  PORT: port.default(3000),
  HOST: z.string().min(1).default('0.0.0.0'),
  METRICS_PORT: optionalPort.optional(),
  DOCS_PORT: optionalPort.optional(),
  PUBLIC_URL: httpUrl.optional(),
  STAGING_URL: httpUrl.optional(),
  TRUST_PROXY: list
    .refine((cidrs) => cidrs.every(isCidr), 'must be IP addresses or ranges such as 10.0.0.0/8, separated by commas')
    .default([]),
  CORS_ORIGINS: list
    .refine(
      (origins) => origins.every(isOrigin),
      'must be origins such as https://app.example.com, separated by commas',
    )
    .default([]),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  LOG_FORMAT: oneOf(['auto', 'json', 'pretty']).default('auto'),

  DATA_DIR: z.string().min(1).default('.data'),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_READ_URL: postgresUrl.optional(),
  DATABASE_POOL_SIZE: integer(1, 1_000).default(10),
  DATABASE_CONNECT_TIMEOUT_MS: milliseconds.default(2_000),
  DATABASE_STATEMENT_TIMEOUT_MS: milliseconds.default(15_000),
  DATABASE_LOCK_TIMEOUT_MS: milliseconds.default(5_000),
  DATABASE_POOLER: oneOf(['none', 'transaction', 'transaction-unprepared']).default('none'),

  CREDENTIAL_PEPPER: key256.optional(),
  ENCRYPTION_KEY: key256.optional(),
  ACCESS_TOKEN_TTL_S: seconds.default(900),
  REFRESH_TOKEN_TTL_S: seconds.default(7 * 24 * 3600),
  SIGNING_KEY_RELOAD_S: integer(1, 120).default(30),
  ISSUER_KEYS_RELOAD_S: integer(1, 3_600).default(60),
  DEMO_ISSUER_PORT: port.optional(),
  MAX_SESSIONS_PER_USER: integer(1, 1_000_000).default(10),
  AUDIT_RETENTION_DAYS: days.default(365),
  // Below the 10 s after which the pool closes an idle connection.
  JOB_POLL_S: integer(1, 60).default(8),
  CLEANUP_INTERVAL_S: timerSeconds.default(600),

  RATE_LIMIT_TOKEN: ratePolicy('5/60/1800', MAX_SHARED_ATTEMPTS),
  RATE_LIMIT_FAILURES: ratePolicy('50/60', MAX_SHARED_ATTEMPTS),
  RATE_LIMIT_PUBLIC: ratePolicy('10/60', MAX_SHARED_ATTEMPTS),
  RATE_LIMIT_PUBLIC_TOGETHER: ratePolicy('300/60', MAX_SHARED_ATTEMPTS),
  RATE_LIMIT_READ: ratePolicy('6000/60'),
  RATE_LIMIT_WRITE: ratePolicy('3000/60'),

  BODY_MEMORY_BYTES: memoryBytes.default(56 * MIB),
  UPLOAD_TEMPORARY_BYTES: storedBytes.default(2048 * MIB),
  S3_ENDPOINT: httpUrl.optional(),
  S3_BUCKET: z.string().optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_FORCE_PATH_STYLE: flag('true'),

  SHUTDOWN_DRAIN_MS: integer(0, DAY_S * 1_000).optional(),
  SHUTDOWN_TIMEOUT_MS: milliseconds.default(10_000),
  REQUEST_WAIT_MS: milliseconds.default(1_000),

  // A row of PostgreSQL has at most 8,160 bytes, and a value of a text at most 24 of them (ADR 0024).
  TABLE_MAX_COLUMNS: integer(1, 300).default(200),
  IMPORT_MAX_BYTES: storedBytes.default(2048 * MIB),
  IMPORT_MAX_OPEN: integer(1, 1_000).default(8),
  IMPORT_TIMEOUT_S: integer(1, 86_400).default(3_600),
  TABLE_HISTORY_DAYS: integer(1, 3_650).default(30),

  ATTACHMENT_URL_TTL_S: seconds.default(3_600),
  PUBLIC_NOTES: oneOf(['on', 'off']).default('on'),
  PUBLIC_QUOTA_BYTES: storedBytes.default(1024 * MIB),

  EVENT_RETENTION_DAYS: days.default(30),
  EVENTS_MAX_WAITING: integer(1, 100_000).default(1_000),
  EVENTS_ALLOW_HTTP: flag('false'),
  EVENTS_ALLOWED_NETWORKS: list
    .refine((cidrs) => cidrs.every(isCidr), 'must be IP addresses or ranges such as 10.0.0.0/8, separated by commas')
    .default([]),
  EVENTS_TIMEOUT_MS: integer(1, 30_000).default(15_000),
  EVENTS_CONCURRENCY: integer(1, 10_000).default(200),
  EVENTS_RETRY_DELAYS_S: list
    .refine(
      (delays) => delays.length <= 100 && delays.every((delay) => /^\d{1,6}$/.test(delay)),
      'must be at most 100 delays from 0 to 999999 seconds, separated by commas',
    )
    .default('5,300,1800,7200,18000,36000,50400,72000,86400'.split(',')),
});

export type Environment = z.output<typeof environmentSchema>;

/** The settings that an S3 storage requires; S3_ENDPOINT is optional, its default is Amazon. */
const S3_REQUIRED = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
/** In development they are generated (generated-secrets.ts). */
const PRODUCTION_REQUIRED = ['CREDENTIAL_PEPPER', 'ENCRYPTION_KEY'] as const;

type Variables = Record<string, string | undefined>;

/**
 * Parses the whole environment, and reads the files of secrets that it names.
 *
 * @param defaults replace the defaults of the schema.
 * @param further lines about settings that are invalid for another reason than their value.
 * @throws {EnvironmentError} that lists every invalid setting.
 */
export function parseEnvironment(
  variables: Variables,
  defaults: Partial<Environment> = {},
  further: readonly string[] = [],
): Environment {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''));
  const { secrets, errors } = readSecretFiles(set);
  const result = environmentSchema.safeParse({ ...defaults, ...set, ...secrets });
  const invalid = (result.error?.issues ?? []).map(({ path, message }) => {
    const name = String(path[0]);
    return Object.hasOwn(secrets, name) ? `${name}_FILE: ${message}` : describeSetting(name, message, set[name]);
  });
  const lines = [...errors, ...invalid, ...findAbsent(set), ...findForbidden(set), ...further];
  if (!result.success || lines.length > 0) throw new EnvironmentError(lines.sort());
  return result.data;
}

/** The demo issuer accepts any password, and only the embedded PostgreSQL has the demo. */
function findForbidden(set: Variables): string[] {
  if (set['DEMO_ISSUER_PORT'] === undefined) return [];
  if (set['NODE_ENV'] === 'production') return ['DEMO_ISSUER_PORT: must not be set in production'];
  const database = ['DATABASE_URL', 'DATABASE_URL_FILE'].find((name) => set[name] !== undefined);
  return database === undefined ? [] : [`DEMO_ISSUER_PORT: must not be set because ${database} is set`];
}

/** Settings that other ones require: all of an S3 storage or none, and the secrets in production. */
function findAbsent(set: Variables): string[] {
  const isSet = (name: string) => set[name] !== undefined || set[`${name}_FILE`] !== undefined;
  const ofS3 = ['S3_ENDPOINT', ...S3_REQUIRED].filter(isSet);
  const absentOfS3 = ofS3.length > 0 ? S3_REQUIRED.filter((name) => !isSet(name)) : [];
  const absentSecrets = set['NODE_ENV'] === 'production' ? PRODUCTION_REQUIRED.filter((name) => !isSet(name)) : [];
  return [
    ...absentOfS3.map((name) => `${name}: must be set because ${ofS3.join(', ')} is set`),
    ...absentSecrets.map(
      (name) => `${name}: must be set in production (64 hexadecimal digits, as \`openssl rand -hex 32\` prints them)`,
    ),
  ];
}
