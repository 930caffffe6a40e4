import {
  DomainError,
  type FieldError,
  MAX_LISTED_ERRORS,
  UnavailableError,
} from '../../../platform/http/domain-error.js';
import type { TableError } from '../workspace-tables.errors.js';

/** Seconds after which one that found no room may come again. */
const RETRY_AFTER_S = 5;

/** What cannot be read as the media type says. Nothing was stored, whatever the options. */
export class MalformedImportError extends DomainError {
  /** @param what of the line, such as `is not valid UTF-8.` */
  constructor(line: number, what: string) {
    const message = `Line ${line} ${what}`;
    const errors: (FieldError & { line: number })[] = [{ line, code: 'malformed_line', message }];
    super('malformed', 'malformed_import', `${message} Nothing was stored.`, { details: { total: 1, errors } });
  }
}

/** A line, or a record of several, that is longer than any row. */
export class TooLongLineError extends DomainError {
  constructor(line: number, limit: number, hint = '') {
    const message = `The row in line ${line} has more than ${limit} bytes${hint}; nothing was stored.`;
    const errors: (FieldError & { line: number })[] = [{ line, code: 'line_too_long', message }];
    super('too_large', 'line_too_long', message, { details: { total: 1, errors, limit } });
  }
}

/** A packed file that is larger than it may be once it is unpacked. */
export class DecompressedTooLargeError extends DomainError {
  constructor(limit: number) {
    const message = `Unpacked, the file has more than ${limit} bytes, which is the most; nothing was stored.`;
    super('too_large', 'too_large', message, { details: { limit } });
  }
}

/** A file that says it is packed, and is not, or not whole. */
export class InvalidGzipError extends DomainError {
  constructor(cause: unknown) {
    super('malformed', 'malformed_import', 'The body is not whole gzip, as its Content-Encoding says it is.', {
      cause,
    });
  }
}

/** The first line of a CSV file does not name columns of the table. */
export class InvalidHeaderError extends DomainError {
  constructor(errors: readonly TableError[]) {
    super('unprocessable', 'invalid_header', 'The header cannot be read as columns of the table; nothing was stored.', {
      details: { total: errors.length, errors: errors.slice(0, MAX_LISTED_ERRORS) },
    });
  }
}

/** The table was dropped after the import began; one of the same name that was made since is another. */
export class TableDroppedError extends DomainError {
  constructor() {
    super('not_found', 'not_found', 'The table was dropped while the import was under way; nothing was stored.');
  }
}

/** Somebody called the import off; nothing of it was stored. */
export class ImportCancelledError extends DomainError {
  constructor() {
    super('conflict', 'import_cancelled', 'The import was cancelled; nothing was stored.');
  }
}

/** The import to be cancelled is over. */
export class ImportFinishedError extends DomainError {
  constructor(status: string) {
    super('conflict', 'already_finished', `The import is over already: it ${WORDS[status] ?? status}.`);
  }
}

const WORDS: Record<string, string> = { succeeded: 'succeeded', failed: 'failed', cancelled: 'was cancelled' };

/** The id that the caller chose stands for another import of the workspace. */
export class ImportIdTakenError extends DomainError {
  constructor(id: string) {
    super('conflict', 'import_id_taken', `An import with the id ${id} is there already; nothing was stored.`);
  }
}

/** The instance has as many imports as it may have. */
export class TooManyImportsError extends UnavailableError {
  constructor(limit: number) {
    super('too_many_imports', `This instance takes ${limit} imports at once; try again shortly.`, RETRY_AFTER_S);
  }
}
