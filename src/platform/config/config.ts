import { resolve } from 'node:path';
import type { Environment } from './environment.js';
import { ROW_MAX_BYTES, TOMBSTONE_DAYS } from './limits.js';

/** Keys that protect stored credentials, 256 bits each. */
export interface Secrets {
  /** Key of the HMAC of client secrets and API keys. */
  readonly pepper: Buffer;
  /** Encrypts the private signing keys. */
  readonly encryptionKey: Buffer;
}

export interface S3Settings {
  endpoint?: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  forcePathStyle: boolean;
}

/**
 * Load balancers notice within this time that an instance is not ready: two checks, two seconds apart, and a margin.
 */
const DRAIN_MS = 5_000;

/** How long the statement of a probe of the database may take in addition to its connection, in milliseconds. */
const PROBE_STATEMENT_MS = 500;

/**
 * The settings of the service in sections, created once at start. Only this folder reads the environment. Types and
 * defaults are those of `environment.ts` (CONTRIBUTING.md, "Add a setting").
 */
export class Config {
  readonly production;
  readonly http;
  readonly logging;
  readonly dataDir;
  readonly database;
  readonly tokens;
  readonly issuers;
  readonly audit;
  readonly cleanup;
  readonly jobs;
  readonly rateLimits;
  readonly body;
  readonly storage;
  readonly tables;
  readonly imports;
  readonly attachments;
  readonly notes;
  readonly events;

  /** @param warnings what an operator should change, one line each; logged when the service is ready. */
  constructor(
    env: Environment,
    readonly secrets: Secrets,
    readonly warnings: readonly string[] = [],
  ) {
    this.production = env.NODE_ENV === 'production';
    this.http = {
      port: env.PORT,
      host: env.HOST,
      // Ports that serve `/metrics`, and the documents: Swagger UI, the OpenAPI document, the guide. Null: none does.
      metricsPort: env.METRICS_PORT === undefined ? env.PORT : env.METRICS_PORT,
      docsPort: env.DOCS_PORT === undefined ? env.PORT : env.DOCS_PORT,
      /** Base URL for callers: in links, the issuer of tokens and the OpenAPI document. */
      publicUrl: env.PUBLIC_URL ?? `http://localhost:${env.PORT}`,
      stagingUrl: env.STAGING_URL,
      trustProxy: env.TRUST_PROXY,
      corsOrigins: env.CORS_ORIGINS,
      // With the embedded PostgreSQL there is no other instance that a load balancer could send requests to.
      drainMs: env.SHUTDOWN_DRAIN_MS ?? (env.DATABASE_URL ? DRAIN_MS : 0),
      shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_MS,
      requestWaitMs: env.REQUEST_WAIT_MS,
    };
    this.logging = { level: env.LOG_LEVEL, format: env.LOG_FORMAT };
    this.dataDir = resolve(env.DATA_DIR);
    this.database = {
      /** Absent: the service starts the embedded PostgreSQL under `dataDir`. */
      url: env.DATABASE_URL,
      /** A replica of that database, which takes reads of tables. Absent: all reads use the primary. */
      readUrl: env.DATABASE_READ_URL,
      poolSize: env.DATABASE_POOL_SIZE,
      connectTimeoutMs: env.DATABASE_CONNECT_TIMEOUT_MS,
      /** The time within which a silent database must respond to a probe. */
      probeTimeoutMs: env.DATABASE_CONNECT_TIMEOUT_MS + PROBE_STATEMENT_MS,
      statementTimeoutMs: env.DATABASE_STATEMENT_TIMEOUT_MS,
      lockTimeoutMs: env.DATABASE_LOCK_TIMEOUT_MS,
      /** Is there a pooler, such as PgBouncer, that may serve each transaction by another connection? */
      isPooledByTransaction: env.DATABASE_POOLER !== 'none',
      /** May the pooler receive prepared statements? */
      areStatementsPrepared: env.DATABASE_POOLER !== 'transaction-unprepared',
    };
    this.tokens = {
      accessTtlS: env.ACCESS_TOKEN_TTL_S,
      refreshTtlS: env.REFRESH_TOKEN_TTL_S,
      /** How often each instance reads the signing keys. */
      keyReloadS: env.SIGNING_KEY_RELOAD_S,
      maxSessionsPerUser: env.MAX_SESSIONS_PER_USER,
    };
    this.issuers = {
      /** The least time between two reads of the keys of a trusted issuer. */
      keysReloadS: env.ISSUER_KEYS_RELOAD_S,
      /** Of the issuer of the demo; absent: there is none. */
      demoPort: env.DEMO_ISSUER_PORT,
    };
    this.audit = { retentionDays: env.AUDIT_RETENTION_DAYS };
    this.cleanup = { intervalS: env.CLEANUP_INTERVAL_S };
    this.jobs = { pollS: env.JOB_POLL_S };
    /** Rate limits by the name of the policy. Null is off. */
    this.rateLimits = {
      /** All instances share the buckets. A route names its policy with @RateLimit(). */
      shared: {
        token: env.RATE_LIMIT_TOKEN,
        tokenFailures: env.RATE_LIMIT_FAILURES,
        public: env.RATE_LIMIT_PUBLIC,
        /** One bucket for all addresses. It counts only requests that `public` allows. */
        publicTogether: env.RATE_LIMIT_PUBLIC_TOGETHER,
      },
      /** For all other routes; each instance has its own buckets. */
      local: { read: env.RATE_LIMIT_READ, write: env.RATE_LIMIT_WRITE, keyFailures: env.RATE_LIMIT_FAILURES },
    };
    this.body = { memoryBytes: env.BODY_MEMORY_BYTES, temporaryBytes: env.UPLOAD_TEMPORARY_BYTES };
    /** Without S3, files are stored on the local disk. */
    this.storage = { s3: readS3Settings(env) };
    this.tables = {
      maxColumns: env.TABLE_MAX_COLUMNS,
      // Not settings: tests of the engine have smaller rows, and clients rely on the time.
      rowMaxBytes: ROW_MAX_BYTES,
      tombstoneDays: TOMBSTONE_DAYS,
      /** Days for which former rows are stored, unless the table has another number. */
      historyDays: env.TABLE_HISTORY_DAYS,
    };
    this.imports = {
      maxBytes: env.IMPORT_MAX_BYTES,
      /** Imports of this instance that receive their file, wait or run. */
      maxOpen: env.IMPORT_MAX_OPEN,
      timeoutS: env.IMPORT_TIMEOUT_S,
    };
    this.attachments = { urlTtlS: env.ATTACHMENT_URL_TTL_S };
    this.notes = {
      /** May anonymous callers write notes, if the project and the workspace allow it? */
      publicNotes: env.PUBLIC_NOTES === 'on',
      publicQuotaBytes: env.PUBLIC_QUOTA_BYTES,
    };
    this.events = {
      retentionDays: env.EVENT_RETENTION_DAYS,
      /** Readers of this instance that wait for events. */
      maxWaiting: env.EVENTS_MAX_WAITING,
      allowHttp: env.EVENTS_ALLOW_HTTP,
      /** Addresses to which deliveries are sent in addition to public ones. */
      allowedNetworks: env.EVENTS_ALLOWED_NETWORKS,
      timeoutMs: env.EVENTS_TIMEOUT_MS,
      /** Attempts of this instance that are in progress. */
      concurrency: env.EVENTS_CONCURRENCY,
      retryDelaysS: env.EVENTS_RETRY_DELAYS_S.map(Number),
    };
  }
}

/** Undefined: files are stored on the local disk. */
function readS3Settings(env: Environment): S3Settings | undefined {
  if (!env.S3_BUCKET) return undefined;
  return {
    endpoint: env.S3_ENDPOINT,
    bucket: env.S3_BUCKET,
    region: env.S3_REGION,
    // The schema requires all or none.
    accessKeyId: env.S3_ACCESS_KEY_ID!,
    secretAccessKey: env.S3_SECRET_ACCESS_KEY!,
    forcePathStyle: env.S3_FORCE_PATH_STYLE,
  };
}
