import type { ErrorCatalog } from '../../../platform/http/error-catalog.js';

export const IMPORT_ERRORS: ErrorCatalog = {
  title: 'Imports',
  order: 5,
  guide: 'importing',
  codes: {
    malformed_import: {
      meaning: 'The file cannot be read as its media type, and nothing was stored.',
      cause: 'A line is not valid CSV, JSON or UTF-8, or the gzip stream is damaged.',
      remedy: 'Correct the line in the message, or compress the file again.',
    },
    malformed_line: {
      meaning: 'A line of the file cannot be read.',
      cause: 'A quote is not closed, or the line is not a JSON object.',
      remedy: 'Correct the line; `line` counts from 1.',
    },
    line_too_long: {
      meaning: 'A row of the file exceeds 1 MiB.',
      cause: 'A quote is not closed, or a text is too long.',
      remedy: 'Check the quotes near the line, or shorten the text.',
    },
    cell_count: {
      meaning: 'A row of a CSV file has another number of cells than the header.',
      cause: 'A comma in a text is not quoted, or the separator is not a comma.',
      remedy: 'Quote texts that contain commas; let a CSV library write the file.',
    },
    duplicate_column: {
      meaning: 'The CSV header names a column twice.',
      cause: 'The header contains the key and the name of a column, or the same name twice.',
      remedy: 'Name each column once.',
    },
    too_many_deletions: {
      meaning: 'An import with `mode=replace` would delete more rows than allowed, and nothing was stored.',
      cause:
        'The file lacks more than `maxDeletions` rows (10 % by default), or has no rows: it may have been cut short.',
      remedy: 'Check the file; raise `maxDeletions` if the rows must be deleted.',
    },
    outside_scope: {
      meaning: 'A row of the file is not in the part of the table that the import replaces.',
      cause: 'It does not match the `filter`, or is not below the row of `under`.',
      remedy: 'Remove the row from the file, or import it without this scope.',
    },
    import_cancelled: {
      meaning: 'The import was cancelled, and nothing was stored.',
      cause: 'A caller sent `DELETE …/imports/{id}`.',
      remedy: 'Send the file again if the import is needed.',
    },
    import_id_taken: {
      meaning: 'The workspace has an import with this `importId`.',
      cause: 'The same ID was sent for another file, or again after a disconnect.',
      remedy: 'Read the import with this ID, or choose another ID.',
    },
    too_many_imports: {
      meaning: 'The instance receives the maximum number of imports.',
      cause: 'You or others import at the same time (`IMPORT_MAX_OPEN`); a quarter remains for other callers.',
      remedy: 'Send the file again after `Retry-After` seconds.',
    },
    instance_stopping: {
      meaning: 'The instance is being stopped, and nothing was stored.',
      cause:
        'A deployment or an operator stopped the instance during the import. The record of the import is `failed`.',
      remedy: 'Send the same request again, with its `Idempotency-Key`; another instance accepts it.',
    },
    instance_terminated: {
      meaning: 'The instance that executed the import ended, and nothing was stored.',
      cause: 'The process was killed or its machine failed. The code is only in the record of the import.',
      remedy: 'Send the file again.',
    },
  },
};
