import { DomainError, UnavailableError } from '../http/domain-error.js';

/** Nothing lies under the key. */
export class MissingFileError extends DomainError {
  constructor(key: string) {
    super('not_found', 'not_found', 'The file was not found.', { detail: `nothing lies under ${key}` });
  }
}

/** The storage does not answer, or answers with a failure of its own. */
export class StorageUnavailableError extends UnavailableError {
  constructor(cause: unknown) {
    super('storage_unavailable', 'The storage for files cannot be reached right now; try again shortly.', 2, cause);
  }
}

/** A disk on which no file has room. */
export class StorageFullError extends UnavailableError {
  constructor(cause: unknown) {
    super('storage_full', 'There is no room for files right now; try again later.', 60, cause);
  }
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** What a disk said, in the service's terms where it has one. */
export function diskError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code && FULL.has(code) ? new StorageFullError(error) : error;
}

/** Did the disk say that nothing is there? */
export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
