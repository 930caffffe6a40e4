import { SQLSTATE, sqlState } from '../../../sql/src/sql-state.js';
import {
  DomainError,
  type ErrorCount,
  type FieldError,
  toErrorDetails,
  UnavailableError,
} from '../../../errors/src/domain-error.js';
import type { EntityKind } from './entity-kind.js';
import { MAX_REQUEST_TABLES } from './request-limits.js';
import { createSection, defineErrors } from '../../../errors/src/error-definition.js';

const COLUMN = { type: 'asset', table: 'Example Assets', column: 'weight' };

export const TABLE_ERRORS = defineErrors(createSection('Workspace tables', 'tables'), {
  invalid_rows: {
    kind: 'unprocessable',
    message: '1 of 2 rows cannot be stored. Nothing was stored.',
    details: {
      total: 1,
      errors: [
        {
          field: 'assets[0].items[1].weight',
          code: 'type_mismatch',
          message: '"heavy" is not a number.',
          ...COLUMN,
          index: 1,
          key: 'EX-2002',
        },
      ],
    },
    meaning:
      'At least one row is invalid, and nothing was stored; `details.errors` has the index, key and column of each.',
    remedy: 'Correct the rows, or send `onError=continue` to store the valid ones.',
  },
  invalid_columns: {
    kind: 'unprocessable',
    message: 'The columns are invalid. Nothing was changed.',
    details: {
      total: 1,
      errors: [
        {
          ...COLUMN,
          code: 'invalid_primary_key',
          message: '"equnr" is the primary key and cannot be dropped. Drop the table instead.',
        },
      ],
    },
    meaning:
      'At least one definition of a column is invalid, and nothing was stored; `details.errors` has the reason of each.',
    remedy: 'Correct the definitions.',
  },
  column_type_conflict: {
    kind: 'conflict',
    message:
      'An existing column was sent with another type; nothing was stored. Send its current type, or another column.',
    details: {
      total: 1,
      errors: [
        {
          field: 'columns[0].type',
          code: 'column_type_conflict',
          message: 'The column "weight" has the type number, not text.',
          ...COLUMN,
        },
      ],
    },
    meaning: 'A request sends an existing column with another type than at its creation. Nothing was stored.',
    remedy: 'Send the current type, or add a column with another key.',
  },
  invalid_index: {
    kind: 'unprocessable',
    message: 'The index is invalid. Nothing was changed.',
    meaning: 'The index has fewer than two or more than four columns, contains one twice, or contains the primary key.',
    remedy: 'Send 2 to 4 different columns without the primary key.',
  },
  table_in_use: {
    kind: 'conflict',
    message: 'The values of the note field "priority" are rows of the table. Change the field in note-fields first.',
    meaning: 'The table cannot be dropped, because the values of a field of notes are its rows. Nothing was changed.',
    remedy: 'Remove the field, or give it another table or type, with `PUT …/note-fields`.',
  },
  duplicate_table: {
    kind: 'unprocessable',
    message: 'The request contains a table twice; nothing was stored.',
    meaning: 'Two batches of one request have the same entity and name.',
    remedy: 'Send the rows of a table in one batch.',
  },
  too_many_rows: {
    kind: 'too_large',
    message: 'A request has at most 50000 rows; this has 50001. Send several requests.',
    details: { limit: 50_000, actual: 50_001 },
    meaning: 'The request contains more rows than `details.limit`.',
    remedy: 'Send several requests, or an import.',
  },
  too_many_tables: {
    kind: 'too_large',
    message: `A request has at most ${MAX_REQUEST_TABLES} tables; this has ${MAX_REQUEST_TABLES + 1}. Send several requests.`,
    details: { limit: MAX_REQUEST_TABLES, actual: MAX_REQUEST_TABLES + 1 },
    meaning:
      'The request contains more tables than `details.limit`, or would create more location tables than a workspace may have. Nothing was stored.',
    remedy: 'Send several requests; add locations to an existing table, or drop one first.',
  },
  too_many_keys: {
    kind: 'too_large',
    message: 'A request has at most 50000 keys; this has 50001. Send several requests.',
    details: { limit: 50_000, actual: 50_001 },
    meaning: 'The request deletes more rows than `details.limit`.',
    remedy: 'Send several requests.',
  },
  too_many_deletions: {
    kind: 'conflict',
    message:
      'The import would delete 900 of 1000 rows of "Assets", but at most 100 are allowed; nothing was stored. Check the file, or raise "maxDeletions".',
    details: { limit: 100, actual: 900, total: 1_000 },
    meaning:
      'The file of an import with `mode=replace` lacks more than `maxDeletions` rows (10 % by default), or has none: it may have been cut short. Nothing was stored.',
    remedy: 'Check the file; raise `maxDeletions` if the rows must be deleted.',
  },
  invalid_keys: {
    kind: 'unprocessable',
    message: '1 of 2 keys is invalid; nothing was deleted.',
    meaning:
      'A key is empty, too long or occurs twice, and nothing was deleted; `details.errors` has the position of each.',
    remedy: 'Correct the keys.',
  },
  invalid_key: {
    kind: 'unprocessable',
    message: 'The row cannot have this key; nothing was changed.',
    meaning: 'The key in the path is empty or too long, or differs from the key in the body.',
    remedy: 'Send the same valid key in both, or omit it in the body.',
  },
  key_taken: {
    kind: 'conflict',
    message: 'The table already has a row with the key "EX-2002". Nothing was changed; choose another key.',
    meaning: 'A rename names the key of another row of the table.',
    remedy: 'Choose another key, or delete the other row first.',
  },
  name_taken: {
    kind: 'conflict',
    message: 'The workspace already has a asset table "Assets". Nothing was changed; choose another name.',
    meaning: 'A rename names another table of the entity.',
    remedy: 'Choose another name.',
  },
  unknown_table: {
    kind: 'unprocessable',
    message: 'The workspace has no asset table "Pumps". Use the name or ID of an existing one.',
    meaning: 'A field such as `locationKey` names a table that the workspace does not have.',
    remedy: 'Use the name or ID of an existing table of the entity.',
  },
  unknown_row: {
    kind: 'unprocessable',
    message: 'The location "AT10-UTL-XX" was not found.',
    details: {
      total: 1,
      errors: [{ field: 'location', code: 'unknown_row', message: 'The location "AT10-UTL-XX" was not found.' }],
    },
    meaning: '`location` or `asset` is not the key of a row, or the row was deleted.',
    remedy: 'Check the key, and push the row before the record.',
  },
  ambiguous_row: {
    kind: 'conflict',
    message:
      'Several tables contain the location "AT10-UTL": "Plant 1", "Plant 2". Send the name of one as locationKey.',
    meaning: '`location` or `asset` was sent without the table, and several tables contain a row with this key.',
    remedy: 'Send the table in `locationKey` or `assetKey`.',
  },
  table_changed: {
    kind: 'unavailable',
    message: 'The table was changed while it was read. Send the request again.',
    meaning: 'Other requests changed the columns of the table during each attempt to read it.',
    remedy: 'Send the request again after `Retry-After` seconds.',
  },
  table_busy: {
    kind: 'unavailable',
    message: 'Other requests repeatedly change the columns of the table. Send the request again.',
    meaning: 'The table could not be locked or changed in time, because a long merge, import or export uses it.',
    remedy: 'Send the request again after `Retry-After` seconds. Nothing was stored.',
  },
});

/** An error in a table, its columns or its rows. */
export interface TableError extends FieldError {
  /** The entity of the table: tables of different entities can have the same name. */
  type?: EntityKind;
  table: string;
  /** Position of the row in the request, from 0. */
  index?: number;
  /** In an import: the first line of the row, from 1. */
  line?: number;
  key?: string;
  column?: string;
}

/** Columns, tables or rows are invalid. Nothing was stored. */
export class InvalidTablesError extends DomainError {
  constructor(
    code: 'invalid_columns' | 'invalid_index' | 'invalid_rows' | 'duplicate_table' | 'invalid_key' | 'invalid_keys',
    message: string,
    errors: readonly TableError[],
    { total, summary }: { total?: number; summary?: readonly ErrorCount[] } = {},
  ) {
    const details = { ...toErrorDetails(errors, total), summary };
    super(TABLE_ERRORS[code], message, { details });
  }
}

/** An existing column was sent with another type. Nothing was stored. */
export class ColumnConflictError extends DomainError {
  constructor(errors: readonly TableError[]) {
    super(TABLE_ERRORS.column_type_conflict, undefined, { details: toErrorDetails(errors) });
  }
}

/** A request has too many rows or tables. */
export class BatchTooLargeError extends DomainError {
  constructor(what: 'keys' | 'rows' | 'tables', limit: number, actual: number) {
    const message = `A request has at most ${limit} ${what}; this has ${actual}. Send several requests.`;
    super(TABLE_ERRORS[`too_many_${what}`], message, { details: { limit, actual } });
  }
}

/** The workspace has no table with this ID or name. Callers that read it from a field of a request add the field. */
export class UnknownTableError extends DomainError {
  constructor(
    readonly entity: EntityKind,
    readonly table: string,
  ) {
    const name = table.slice(0, 80);
    super(
      TABLE_ERRORS.unknown_table,
      `The workspace has no ${entity} table "${name}". Use the name or ID of an existing one.`,
    );
  }
}

/** A record refers to a row that does not exist. @param field the field that contains the reference. */
export class UnknownRowError extends DomainError {
  constructor(field: string, code: 'not_found' | 'required' | 'unknown_table', message: string) {
    super(TABLE_ERRORS.unknown_row, message, { details: toErrorDetails([{ field, code, message }]) });
  }
}

/** Tables that a message names. */
const MAX_LISTED_TABLES = 10;

/** Several tables contain a row with this key. */
export class AmbiguousRowError extends DomainError {
  constructor(field: string, tableField: string, key: string, tables: readonly string[]) {
    const names = tables.slice(0, MAX_LISTED_TABLES).map((table) => `"${table}"`);
    const others = tables.length - names.length;
    const list = `${names.join(', ')}${others > 0 ? ` and ${others} others` : ''}`;
    const message = `Several tables contain the ${field} "${key}": ${list}. Send the name of one as ${tableField}.`;
    super(TABLE_ERRORS.ambiguous_row, message, { field });
  }
}

/** Another row of the table has the key. */
export class KeyTakenError extends DomainError {
  constructor(key: string) {
    const message = `The table already has a row with the key "${key}". Nothing was changed; choose another key.`;
    super(TABLE_ERRORS.key_taken, message);
  }
}

/** Another table of the entity has the name. */
export class TableNameTakenError extends DomainError {
  constructor(entity: EntityKind, name: string) {
    const message = `The workspace already has a ${entity} table "${name}". Nothing was changed; choose another name.`;
    super(TABLE_ERRORS.name_taken, message);
  }
}

/** The table was changed during each attempt to read it. */
export class TableChangedError extends UnavailableError {
  constructor(cause?: unknown) {
    super(TABLE_ERRORS.table_changed, undefined, { cause });
  }
}

/** Other requests changed the columns of the table each time before it was locked. */
export class ColumnsBusyError extends UnavailableError {
  constructor() {
    super(TABLE_ERRORS.table_busy);
  }
}

/** Schemas and columns of workspace tables, as PostgreSQL names them in its messages. */
const WORKSPACE_TABLE_NAME = /\bws_[0-9a-f]{32}\.|\bc\d+\b/;

/**
 * Was a workspace table or column dropped after the catalog was read? A repetition reads the new catalog, so the
 * service registers this with `Database.retryOn`.
 */
export function isConcurrentDrop(error: unknown): boolean {
  const state = sqlState(error);
  return (
    (state === SQLSTATE.undefinedTable || state === SQLSTATE.undefinedColumn) &&
    WORKSPACE_TABLE_NAME.test((error as Error).message)
  );
}
