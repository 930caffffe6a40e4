import { DomainError, type FieldError, toErrorDetails } from '../../../../packages/errors/src/domain-error.js';
import type { TableError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import type { FileRowErrorCode } from '../../../../packages/tables/src/sources/row-errors.js';
import { createSection, defineErrors } from '../../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';

export const IMPORT_ERRORS = defineErrors(createSection('Imports', 'importing'), {
  malformed_import: {
    kind: 'malformed',
    message: 'Line 7 is not valid JSON. Nothing was stored.',
    details: { total: 1, errors: [{ line: 7, code: 'malformed_line', message: 'Line 7 is not valid JSON.' }] },
    meaning: 'A line of the file is not valid CSV, JSON or UTF-8, or the gzip stream is damaged. Nothing was stored.',
    remedy: 'Correct the line in the message, or compress the file again.',
  },
  malformed_line: {
    meaning: 'A line of the file cannot be read: a quote is not closed, or it is not a JSON object.',
    remedy: 'Correct the line; `line` counts from 1.',
  },
  line_too_long: {
    kind: 'too_large',
    message: 'The row in line 5001 has more than 1048576 bytes; nothing was stored.',
    details: {
      total: 1,
      errors: [{ line: 5001, code: 'line_too_long', message: 'The row in line 5001 has more than 1048576 bytes.' }],
      limit: 1_048_576,
    },
    meaning: 'A row of the file exceeds the limit of a line: a quote is not closed, or a text is too long.',
    remedy: 'Check the quotes near the line, or shorten the text.',
  },
  cell_count: {
    meaning:
      'A row of a CSV file has another number of cells than the header, or an empty cell more than other rows: a separator in a text is not quoted, or the separator is not that of the import. Or only the header ends with a separator.',
    remedy:
      'Quote texts that contain the separator; let a CSV library write the file. If a row ends with a separator, end all rows with one, or none.',
  },
  repeated_header: {
    meaning: 'A row of a CSV file is equal to the header: several files were joined to one, such as by `zcat *.gz`.',
    remedy: 'Remove the row, or import each file by itself.',
  },
  duplicate_column: {
    meaning: 'The CSV header contains the key and the name of a column, or the same name twice.',
    remedy: 'Name each column once.',
  },
  outside_scope: {
    meaning:
      'A row of the file is not in the part of the table that the import replaces: it does not match the `filter`, or is not below the row of `under`.',
    remedy: 'Remove the row from the file, or import it without this scope.',
  },
  import_cancelled: {
    kind: 'conflict',
    message: 'The import was cancelled; nothing was stored. Send the file again to import it.',
    meaning: 'A caller cancelled the import by `DELETE …/imports/{id}`, and nothing was stored.',
    remedy: 'Send the file again if the import is needed.',
  },
  import_id_taken: {
    kind: 'conflict',
    message: 'Another import has the ID 0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a; nothing was stored. Choose another ID.',
    meaning:
      'The workspace has an import with this `importId`: it was sent for another file, or again after a disconnect.',
    remedy: 'Read the import with this ID, or choose another ID.',
  },
  too_many_imports: {
    kind: 'unavailable',
    message: 'The limit of 4 concurrent imports is reached. Retry after 5 seconds.',
    meaning:
      'The instance receives the maximum number of imports, yours or those of others (`IMPORT_MAX_OPEN`); a quarter remains for other callers.',
    remedy: 'Send the file again after `Retry-After` seconds.',
  },
  instance_stopping: {
    kind: 'unavailable',
    message: 'The instance is stopping; nothing was stored. Send the same request again; another instance accepts it.',
    meaning:
      'A deployment or an operator stopped the instance during the import, and nothing was stored. The record of the import is `failed`.',
    remedy: 'Send the same request again, with its `Idempotency-Key`; another instance accepts it.',
  },
  instance_terminated: {
    meaning:
      'The process that executed the import was killed or its machine failed, and nothing was stored. The code is only in the record of the import.',
    remedy: 'Send the file again.',
  },
}) satisfies Record<FileRowErrorCode, object>;

/** The content cannot be parsed as its media type. Nothing is stored, even with `onError=continue`. */
export class MalformedImportError extends DomainError {
  /** @param problem continues `Line 7 …`, such as `is not valid UTF-8.` */
  constructor(line: number, problem: string) {
    const message = `Line ${line} ${problem}`;
    const details = toErrorDetails([{ line, code: 'malformed_line', message } as FieldError]);
    super(IMPORT_ERRORS.malformed_import, `${message} Nothing was stored.`, { details });
  }
}

/** A line, or a record of several lines, is longer than a row may be. */
export class LineTooLongError extends DomainError {
  constructor(line: number, limit: number, hint = '') {
    const message = `The row in line ${line} has more than ${limit} bytes${hint}; nothing was stored.`;
    const details = { ...toErrorDetails([{ line, code: 'line_too_long', message } as FieldError]), limit };
    super(IMPORT_ERRORS.line_too_long, message, { details });
  }
}

/** The first line of a CSV file does not name columns of the table. */
export class InvalidHeaderError extends DomainError {
  constructor(errors: readonly TableError[]) {
    super(HTTP_ERRORS.invalid_header, undefined, { details: toErrorDetails(errors) });
  }
}

/** Another import of the workspace has the ID that the caller chose. */
export class ImportIdTakenError extends DomainError {
  constructor(id: string) {
    const message = `Another import has the ID ${id}; nothing was stored. Choose another ID.`;
    super(IMPORT_ERRORS.import_id_taken, message);
  }
}
