import { DomainError, StorageFullError, UnavailableError } from '../../../packages/errors/src/domain-error.js';
import { ALL_REQUESTS, defineErrors } from '../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';

export const STORAGE_ERRORS = defineErrors(ALL_REQUESTS, {
  storage_unavailable: {
    kind: 'unavailable',
    message: 'The file storage is currently unavailable. Retry in a few seconds.',
    meaning: 'The file storage does not respond: the S3-compatible service or the shared folder is not reachable.',
    remedy: 'Send the request again after `Retry-After` seconds.',
  },
});

/** The key does not exist. */
export class MissingFileError extends DomainError {
  constructor(key: string) {
    super(HTTP_ERRORS.not_found, 'The file was not found. Report its ID to the operator.', {
      detail: `no file has the key ${key}`,
    });
  }
}

/** The storage does not respond, or responds with an error. */
export class StorageUnavailableError extends UnavailableError {
  constructor(cause: unknown) {
    super(STORAGE_ERRORS.storage_unavailable, undefined, { retryAfterS: 2, cause });
  }
}

const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT']);

/** Maps a full disk of DATA_DIR to StorageFullError and returns other errors unchanged. */
export function diskError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code && DISK_FULL_CODES.has(code)
    ? new StorageFullError('DATA_DIR', undefined, { retryAfterS: 60, cause: error })
    : error;
}

/** Does the error mean that the file does not exist? */
export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
