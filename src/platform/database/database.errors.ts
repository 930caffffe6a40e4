import { QueryFailedError } from 'typeorm';

/** The SQLSTATE codes that the service handles. */
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
  /** The character U+0000, which PostgreSQL cannot store. */
  untranslatableCharacter: '22021',
} as const;

/** SQLSTATE codes of a temporary outage. */
const UNAVAILABLE_STATES = new Set<string>([
  '53300', // too many connections
  SQLSTATE.queryCanceled,
  '57P01', // shutdown
  '57P02', // crash
  '57P03', // starting, or in recovery
  '57P05', // idle session timeout
  SQLSTATE.readOnlyTransaction, // a standby after a failover
]);

const UNAVAILABLE_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Messages of node-postgres and TypeORM, which have no code, about a lost connection or a connect timeout. */
const UNAVAILABLE_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Query runner already released|Database connection provided|Client has encountered a connection error|not queryable|Driver not Connected/i;

/** The SQLSTATE of a failed statement, or the code of a system error; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  const { code } = driverError(error);
  return typeof code === 'string' ? code : undefined;
}

function driverError(error: unknown): { code?: unknown; severity?: unknown } {
  return ((error instanceof QueryFailedError ? error.driverError : error) as object | null) ?? {};
}

/** A handler for `catch`: replaces the error of a statement that failed with this SQLSTATE. */
export function translateSqlState(state: string, toError: (cause: unknown) => Error): (error: unknown) => never {
  return (error) => {
    throw sqlState(error) === state ? toError(error) : error;
  };
}

/** Is the database temporarily unavailable, so that the same request may succeed later? */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = sqlState(error);
  if (code && (UNAVAILABLE_STATES.has(code) || code.startsWith('08'))) return true;
  // FATAL: PostgreSQL rejected or closed the connection, whatever the reason.
  if (driverError(error).severity === 'FATAL') return true;
  if (!(error instanceof Error)) return false;
  const isFromDatabase = error instanceof QueryFailedError || !code;
  return (
    (code !== undefined && UNAVAILABLE_SYSTEM_CODES.has(code)) ||
    (isFromDatabase && UNAVAILABLE_MESSAGES.test(error.message))
  );
}
