import { QueryFailedError } from 'typeorm';
import { type DriverErrorMeaning, findDriverErrorMeaning } from '../../../packages/sql/src/driver-messages.js';
import { driverError, SQLSTATE, sqlState } from '../../../packages/sql/src/sql-state.js';

/**
 * Classes of SQLSTATE codes of a temporary outage: connections, resources such as disk, memory and connections, and
 * errors of the operating system. ADR 0056 has the treatment of all classes.
 */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '58']);

/** SQLSTATE codes of a temporary outage, in addition. */
const UNAVAILABLE_STATES = new Set<string>([
  '40003', // the connection was lost during a COMMIT
  SQLSTATE.queryCanceled,
  '57P01', // shutdown
  '57P02', // crash
  '57P03', // starting, or in recovery
  '57P05', // idle session timeout
  SQLSTATE.readOnlyTransaction, // a standby after a failover
]);

/** Codes of the operating system and of the resolver for a connection that was not opened, or is lost. */
const UNAVAILABLE_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EADDRNOTAVAIL',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * A condition of the server that only its operator can change: full disk, no memory, damaged files, rejected
 * credentials.
 */
const ALARMS = /^(?:53(?!300)|58|XX00[12]|28|3D|42501)/;

/**
 * A sentence for the operator if the server, or the connection to it, is in a condition that only an operator can
 * change; else undefined. `state` is equal for alarms of one kind.
 */
export function describeAlarm(error: unknown): { state: string; message: string } | undefined {
  if (findMeaning(error) === 'configuration')
    return { state: 'connection', message: `The connection to PostgreSQL failed: ${(error as Error).message}` };
  const state = sqlState(error);
  if (state === undefined || !isSqlState(state) || !ALARMS.test(state)) return undefined;
  return { state, message: `PostgreSQL reports ${state}: ${(error as Error).message}` };
}

/** Did the request exceed a limit that PostgreSQL has by design, such as the size of an index entry? */
export function isDatabaseLimitExceeded(error: unknown): boolean {
  return isSqlState(sqlState(error) ?? '') && sqlState(error)!.startsWith('54');
}

function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code);
}

/** Is the database temporarily unavailable, so that the same request may succeed later? */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = sqlState(error);
  if (code && isSqlState(code) && (UNAVAILABLE_STATES.has(code) || UNAVAILABLE_CLASSES.has(code.slice(0, 2))))
    return true;
  // FATAL: PostgreSQL rejected or closed the connection, whatever the reason.
  if (driverError(error).severity === 'FATAL') return true;
  if (code !== undefined && UNAVAILABLE_SYSTEM_CODES.has(code)) return true;
  // The socket of PostgreSQL. Other files are not those of the database.
  if (code === 'ENOENT') return (driverError(error) as NodeJS.ErrnoException).syscall === 'connect';
  // As for a rejected login, the service is unavailable until the operator changes the configuration.
  const meaning = findMeaning(error);
  return meaning === 'unavailable' || meaning === 'configuration';
}

/** Undefined for an error that is not from the driver, or whose code states what it is. */
function findMeaning(error: unknown): DriverErrorMeaning | undefined {
  if (!(error instanceof Error)) return undefined;
  return error instanceof QueryFailedError || sqlState(error) === undefined
    ? findDriverErrorMeaning(error.message)
    : undefined;
}
