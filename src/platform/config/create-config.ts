import { resolve } from 'node:path';
import type { Config, S3Settings, Secrets } from './config.js';
import type { Environment } from './environment.js';
import { ROW_MAX_BYTES, TOMBSTONE_DAYS } from './limits.js';

/**
 * Load balancers notice within this time that an instance is not ready: two checks, two seconds apart, and a margin.
 */
const DRAIN_MS = 5_000;

/** How long the statement of a probe of the database may take in addition to its connection, in milliseconds. */
const PROBE_STATEMENT_MS = 500;

/**
 * The settings of an environment, in typed sections.
 *
 * @param warnings what an operator should change, one line each.
 */
export function createConfig(env: Environment, secrets: Secrets, warnings: readonly string[] = []): Config {
  return {
    warnings,
    production: env.NODE_ENV === 'production',
    http: {
      port: env.PORT,
      host: env.HOST,
      metricsPort: env.METRICS_PORT === undefined ? env.PORT : env.METRICS_PORT,
      docsPort: env.DOCS_PORT === undefined ? env.PORT : env.DOCS_PORT,
      publicUrl: env.PUBLIC_URL ?? `http://localhost:${env.PORT}`,
      stagingUrl: env.STAGING_URL,
      trustProxy: env.TRUST_PROXY,
      corsOrigins: env.CORS_ORIGINS,
      // With the embedded PostgreSQL there is no other instance that a load balancer could send requests to.
      drainMs: env.SHUTDOWN_DRAIN_MS ?? (env.DATABASE_URL ? DRAIN_MS : 0),
      shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_MS,
      requestWaitMs: env.REQUEST_WAIT_MS,
    },
    logging: { level: env.LOG_LEVEL, format: env.LOG_FORMAT },
    dataDir: resolve(env.DATA_DIR),
    database: {
      url: env.DATABASE_URL,
      readUrl: env.DATABASE_READ_URL,
      poolSize: env.DATABASE_POOL_SIZE,
      connectTimeoutMs: env.DATABASE_CONNECT_TIMEOUT_MS,
      probeTimeoutMs: env.DATABASE_CONNECT_TIMEOUT_MS + PROBE_STATEMENT_MS,
      statementTimeoutMs: env.DATABASE_STATEMENT_TIMEOUT_MS,
      lockTimeoutMs: env.DATABASE_LOCK_TIMEOUT_MS,
      isPooledByTransaction: env.DATABASE_POOLER !== 'none',
      areStatementsPrepared: env.DATABASE_POOLER !== 'transaction-unprepared',
    },
    secrets,
    tokens: {
      accessTtlS: env.ACCESS_TOKEN_TTL_S,
      refreshTtlS: env.REFRESH_TOKEN_TTL_S,
      keyReloadS: env.SIGNING_KEY_RELOAD_S,
      maxSessionsPerUser: env.MAX_SESSIONS_PER_USER,
    },
    audit: { retentionDays: env.AUDIT_RETENTION_DAYS },
    cleanup: { intervalS: env.CLEANUP_INTERVAL_S },
    jobs: { pollS: env.JOB_POLL_S },
    rateLimits: {
      shared: {
        token: env.RATE_LIMIT_TOKEN,
        tokenFailures: env.RATE_LIMIT_FAILURES,
        public: env.RATE_LIMIT_PUBLIC,
        publicTogether: env.RATE_LIMIT_PUBLIC_TOGETHER,
      },
      local: { read: env.RATE_LIMIT_READ, write: env.RATE_LIMIT_WRITE, keyFailures: env.RATE_LIMIT_FAILURES },
    },
    body: { memoryBytes: env.BODY_MEMORY_BYTES, temporaryBytes: env.UPLOAD_TEMPORARY_BYTES },
    storage: { s3: readS3Settings(env) },
    tables: {
      maxColumns: env.TABLE_MAX_COLUMNS,
      rowMaxBytes: ROW_MAX_BYTES,
      tombstoneDays: TOMBSTONE_DAYS,
      historyDays: env.TABLE_HISTORY_DAYS,
    },
    imports: {
      maxBytes: env.IMPORT_MAX_BYTES,
      maxOpen: env.IMPORT_MAX_OPEN,
      timeoutS: env.IMPORT_TIMEOUT_S,
    },
    attachments: { urlTtlS: env.ATTACHMENT_URL_TTL_S },
    notes: {
      publicNotes: env.PUBLIC_NOTES === 'on',
      publicQuotaBytes: env.PUBLIC_QUOTA_BYTES,
    },
    events: {
      retentionDays: env.EVENT_RETENTION_DAYS,
      maxWaiting: env.EVENTS_MAX_WAITING,
      allowHttp: env.EVENTS_ALLOW_HTTP,
      allowedNetworks: env.EVENTS_ALLOWED_NETWORKS,
      timeoutMs: env.EVENTS_TIMEOUT_MS,
      concurrency: env.EVENTS_CONCURRENCY,
      retryDelaysS: env.EVENTS_RETRY_DELAYS_S.map(Number),
    },
  };
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
