import type { Environment } from './environment.js';

const CONSTANT = 'its limit is constant (docs/reference/limits.md)';
const FIXED = 'the service chooses the value';

/** The settings that a former version read, and what replaces them (CHANGELOG.md). */
export const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  ATTACHMENT_UNCLAIMED_AFTER_S: FIXED,
  BATCH_UNDO_DAYS: 'TABLE_HISTORY_DAYS and the option historyDays of tables replace it',
  BATCH_UNDO_MAX_BYTES: 'TABLE_HISTORY_DAYS and the option historyDays of tables replace it',
  BODY_LIMIT_BYTES: CONSTANT,
  BULK_MAX_BYTES: CONSTANT,
  BULK_MAX_ROWS: CONSTANT,
  BULK_MAX_TABLES: CONSTANT,
  COMPRESSION: 'a proxy that compresses removes Accept-Encoding from its requests',
  DATABASE_CONNECTION_MAX_LIFE_S: FIXED,
  DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS: FIXED,
  DATABASE_PREPARED_STATEMENTS: 'DATABASE_POOLER=transaction-unprepared replaces the value 0',
  DATABASE_PROBE_TIMEOUT_MS: 'DATABASE_CONNECT_TIMEOUT_MS replaces it',
  EVENTS_CONCURRENCY_PER_SUBSCRIPTION: FIXED,
  EVENTS_DISABLE_AFTER_S: FIXED,
  IDEMPOTENCY_LEASE_S: CONSTANT,
  IDEMPOTENCY_TTL_S: CONSTANT,
  IMPORT_CONCURRENCY: FIXED,
  PAGE_DEFAULT_ITEMS: CONSTANT,
  PAGE_MAX_ITEMS: CONSTANT,
  RATE_LIMIT_KEY_FAILURES: 'RATE_LIMIT_FAILURES replaces it',
  RATE_LIMIT_TOKEN_FAILURES: 'RATE_LIMIT_FAILURES replaces it',
  ROW_MAX_BYTES: CONSTANT,
  SESSION_RETENTION_DAYS: FIXED,
  TABLE_MAX_EXPORTS: CONSTANT,
  TABLE_TOMBSTONE_DAYS: CONSTANT,
  UPLOAD_JSON_MAX_BYTES: CONSTANT,
  UPLOAD_MAX_FILES: CONSTANT,
  UPLOAD_MAX_FILE_BYTES: CONSTANT,
  UPLOAD_SPOOL_BYTES: 'UPLOAD_TEMPORARY_BYTES replaces it',
};

/**
 * Returns what an operator should change although the service can start, one line each, which begins with the name of
 * the setting.
 *
 * @param variables the environment, which may contain settings that a former version read.
 */
export function findWarnings(env: Environment, variables: Record<string, string | undefined>): string[] {
  const removed = Object.entries(REMOVED_SETTINGS)
    .filter(([name]) => variables[name])
    .map(([name, replacement]) => `${name}: is ignored, because it is no longer a setting; ${replacement}`);
  return [...removed, ...findLocalFiles(env)];
}

/**
 * With DATABASE_URL the rows survive the machine of the instance, and other instances may use them: files must, too.
 */
function findLocalFiles({ DATABASE_URL, S3_BUCKET, DATA_DIR }: Environment): string[] {
  if (DATABASE_URL === undefined || S3_BUCKET !== undefined) return [];
  return [
    `DATA_DIR: files are stored in ${DATA_DIR}/files. Use a persistent volume that all instances of this database share, ` +
      'or set S3_BUCKET (docs/how-to/operating.md#store-files)',
  ];
}
