import { DomainError, type FieldError, UnavailableError } from '../../../platform/http/domain-error.js';
import { type TableError, toErrorDetails } from '../workspace-tables.errors.js';

const RETRY_AFTER_S = 5;

/** The content cannot be parsed as its media type. Nothing is stored, even with `onError=continue`. */
export class MalformedImportError extends DomainError {
  /** @param problem continues `Line 7 …`, such as `is not valid UTF-8.` */
  constructor(line: number, problem: string) {
    const message = `Line ${line} ${problem}`;
    const errors: (FieldError & { line: number })[] = [{ line, code: 'malformed_line', message }];
    super('malformed', 'malformed_import', `${message} Nothing was stored.`, { details: { total: 1, errors } });
  }
}

/** A line, or a record of several lines, is longer than a row may be. */
export class LineTooLongError extends DomainError {
  constructor(line: number, limit: number, hint = '') {
    const message = `The row in line ${line} has more than ${limit} bytes${hint}; nothing was stored.`;
    const errors: (FieldError & { line: number })[] = [{ line, code: 'line_too_long', message }];
    super('too_large', 'line_too_long', message, { details: { total: 1, errors, limit } });
  }
}

export class DecompressedTooLargeError extends DomainError {
  constructor(limit: number) {
    const message = `The decompressed file exceeds the limit of ${limit} bytes; nothing was stored. Split it.`;
    super('too_large', 'too_large', message, { details: { limit } });
  }
}

export class InvalidGzipError extends DomainError {
  constructor(cause: unknown) {
    const message = 'The gzip stream is truncated or corrupt; nothing was stored. Compress the file again.';
    super('malformed', 'malformed_import', message, { cause });
  }
}

/** The first line of a CSV file does not name columns of the table. */
export class InvalidHeaderError extends DomainError {
  constructor(errors: readonly TableError[]) {
    const message =
      'The header does not match the columns of the table; nothing was stored. Use the keys or names of its columns.';
    super('unprocessable', 'invalid_header', message, { details: toErrorDetails(errors) });
  }
}

/** The table was dropped after the upload began. A table created since with the same name is a different one. */
export class TableDroppedError extends DomainError {
  constructor() {
    super(
      'not_found',
      'not_found',
      'The table was dropped during the import; nothing was stored. Create it and import the file again.',
    );
  }
}

export class ImportCancelledError extends DomainError {
  constructor() {
    super(
      'conflict',
      'import_cancelled',
      'The import was cancelled; nothing was stored. Send the file again to import it.',
    );
  }
}

/** An import that has ended cannot be cancelled. */
export class ImportFinishedError extends DomainError {
  constructor(status: string) {
    super('conflict', 'already_finished', `The import cannot be cancelled: its status is already "${status}".`);
  }
}

/** Another import of the workspace has the ID that the caller chose. */
export class ImportIdTakenError extends DomainError {
  constructor(id: string) {
    super('conflict', 'import_id_taken', `Another import has the ID ${id}; nothing was stored. Choose another ID.`);
  }
}

export class TooManyImportsError extends UnavailableError {
  constructor(limit: number) {
    const message = `The limit of ${limit} concurrent imports is reached. Retry after ${RETRY_AFTER_S} seconds.`;
    super('too_many_imports', message, RETRY_AFTER_S);
  }
}

/** The instance received SIGTERM. */
export class InstanceStoppingError extends UnavailableError {
  constructor() {
    const message =
      'The instance is stopping; nothing was stored. Send the same request again; another instance accepts it.';
    super('instance_stopping', message);
  }
}
