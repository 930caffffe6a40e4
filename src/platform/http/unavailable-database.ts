import { isDatabaseUnavailable, isConcurrentlyDropped, SQLSTATE, sqlState } from '../database/database.errors.js';
import { UnavailableError } from './domain-error.js';

/** What callers are told where the database could not do it now; undefined where the error is something else. */
export function unavailableErrorFor(error: unknown): UnavailableError | undefined {
  if (sqlState(error) === SQLSTATE.lockNotAvailable)
    return new UnavailableError('busy', 'Another request is writing the same for too long; try again.');
  if (isConcurrentlyDropped(error))
    return new UnavailableError('table_changed', 'A table was changed while it was being read; try again.');
  if (sqlState(error) === SQLSTATE.queryCanceled) {
    const message = 'The database took too long for this and gave up; nothing was stored. Try again, or ask for less.';
    return new UnavailableError('database_timeout', message);
  }
  if (isDatabaseUnavailable(error))
    return new UnavailableError('database_unavailable', 'The database cannot be reached right now.');
  return undefined;
}
