import { isDatabaseUnavailable } from '../database/database.errors.js';
import { SQLSTATE, sqlState } from '../../../packages/sql/src/sql-state.js';
import { StorageFullError, UnavailableError } from '../../../packages/errors/src/domain-error.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';

/** `Retry-After` while the disk of the database is full, in seconds: an operator must act. */
const STORAGE_FULL_RETRY_S = 30;

/** Errors of concurrent changes. The first two remain after several attempts (`Database.transaction`). */
const BUSY_STATES = new Set<string | undefined>([
  SQLSTATE.serializationFailure,
  SQLSTATE.deadlock,
  SQLSTATE.lockNotAvailable,
  SQLSTATE.objectInUse,
]);

/** The 503 error for a temporary failure of the database; undefined for any other error. */
export function unavailableErrorFor(error: unknown): UnavailableError | undefined {
  if (BUSY_STATES.has(sqlState(error))) return new UnavailableError(HTTP_ERRORS.busy);
  if (sqlState(error) === SQLSTATE.diskFull) {
    const message = 'The storage of the database is full; nothing was stored. Retry later; reading is still possible.';
    return new StorageFullError('PostgreSQL', message, { retryAfterS: STORAGE_FULL_RETRY_S });
  }
  if (sqlState(error) === SQLSTATE.queryCanceled) return new UnavailableError(HTTP_ERRORS.database_timeout);
  if (isDatabaseUnavailable(error)) return new UnavailableError(HTTP_ERRORS.database_unavailable);
  return undefined;
}
