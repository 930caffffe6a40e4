import { DomainError, UnavailableError } from '../http/domain-error.js';

/** The key does not exist. */
export class MissingFileError extends DomainError {
  constructor(key: string) {
    super('not_found', 'not_found', 'The file was not found. Report its ID to the operator.', {
      detail: `no file has the key ${key}`,
    });
  }
}

/** The storage does not respond, or responds with an error. */
export class StorageUnavailableError extends UnavailableError {
  constructor(cause: unknown) {
    super('storage_unavailable', 'The file storage is currently unavailable. Retry in a few seconds.', 2, cause);
  }
}

/** The disk is full. */
export class StorageFullError extends UnavailableError {
  constructor(cause: unknown) {
    super('storage_full', 'The file storage is full. Retry later.', 60, cause);
  }
}

const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT']);

/** Maps a full disk to StorageFullError and returns other errors unchanged. */
export function diskError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code && DISK_FULL_CODES.has(code) ? new StorageFullError(error) : error;
}

/** Does the error mean that the file does not exist? */
export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
