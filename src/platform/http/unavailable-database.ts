import { isDatabaseUnavailable, SQLSTATE, sqlState } from '../database/database.errors.js';
import { UnavailableError } from './domain-error.js';

/** The 503 error for a temporary failure of the database; undefined for any other error. */
export function unavailableErrorFor(error: unknown): UnavailableError | undefined {
  if (sqlState(error) === SQLSTATE.lockNotAvailable)
    return new UnavailableError('busy', 'Another request is changing the same data. Send the request again.');
  if (sqlState(error) === SQLSTATE.queryCanceled) {
    const message =
      'The statement exceeded the time limit of the database; nothing was stored. Send the request again, or request less data.';
    return new UnavailableError('database_timeout', message);
  }
  if (isDatabaseUnavailable(error))
    return new UnavailableError('database_unavailable', 'The database is currently unavailable. Retry later.');
  return undefined;
}
