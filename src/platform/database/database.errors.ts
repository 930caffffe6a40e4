import { QueryFailedError } from 'typeorm';

/** SQLSTATE codes the service decides by. */
export const SQLSTATE = {
  serializationFailure: '40001',
  deadlock: '40P01',
  lockNotAvailable: '55P03',
  uniqueViolation: '23505',
  foreignKeyViolation: '23503',
  readOnlyTransaction: '25006',
  queryCanceled: '57014',
  undefinedTable: '42P01',
  undefinedColumn: '42703',
  /** A character that no text can hold: U+0000. */
  untranslatableCharacter: '22021',
} as const;

/** Codes that say "not now": too many connections, a statement over its time, shutdown, crash recovery, a read-only server after a fail-over. */
const UNAVAILABLE_STATES = new Set([
  '53300',
  SQLSTATE.queryCanceled,
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  SQLSTATE.readOnlyTransaction,
]);

/** Codes of the operating system's errors on the way to the database. */
const UNAVAILABLE_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** What node-postgres and TypeORM say, without any code, of a connection that went away or could not be had in time. */
const UNAVAILABLE_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Query runner already released|Database connection provided|Client has encountered a connection error|not queryable|Driver not Connected/i;

/** The SQLSTATE of a failed statement, or the system's code; undefined where the error is neither. */
export function sqlState(error: unknown): string | undefined {
  const { code } = reported(error);
  return typeof code === 'string' ? code : undefined;
}

/** Tables and columns of workspaces, as PostgreSQL names them. */
const OF_WORKSPACES = /\bws_[0-9a-f]{32}\.|\bc\d+\b/;

/**
 * Was a workspace's table or column dropped between the statement that found it in the catalog and this one? The next look
 * into the catalog no longer finds it.
 */
export function isConcurrentlyDropped(error: unknown): error is Error {
  const code = sqlState(error);
  return (
    (code === SQLSTATE.undefinedTable || code === SQLSTATE.undefinedColumn) &&
    OF_WORKSPACES.test((error as Error).message)
  );
}

/** What PostgreSQL or the system said, where anything did. */
function reported(error: unknown): { code?: unknown; severity?: unknown } {
  return ((error instanceof QueryFailedError ? error.driverError : error) as object | null) ?? {};
}

/** Is the database out of reach for now, so that the caller should come back later? */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = sqlState(error);
  if (code && (UNAVAILABLE_STATES.has(code) || code.startsWith('08'))) return true;
  // Whatever the reason, PostgreSQL did not let the connection in, or ended it.
  if (reported(error).severity === 'FATAL') return true;
  if (!(error instanceof Error)) return false;
  const fromDatabase = error instanceof QueryFailedError || !code;
  return (
    (code !== undefined && UNAVAILABLE_SYSTEM_CODES.has(code)) ||
    (fromDatabase && UNAVAILABLE_MESSAGES.test(error.message))
  );
}
