import {
  DomainError,
  type ErrorCount,
  type ErrorDetails,
  type FieldError,
  MAX_LISTED_ERRORS,
  UnavailableError,
} from '../../platform/http/domain-error.js';
import type { EntityKind } from './catalog/entity-kind.js';

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

/** Details with the first of the errors. @param total all errors, including those that are not passed. */
export function toErrorDetails(errors: readonly FieldError[], total = errors.length): ErrorDetails {
  return { total, errors: errors.slice(0, MAX_LISTED_ERRORS) };
}

/** Columns, tables or rows are invalid. Nothing was stored. */
export class InvalidTablesError extends DomainError {
  constructor(
    code: 'invalid_columns' | 'invalid_index' | 'invalid_rows' | 'duplicate_table' | 'invalid_key' | 'invalid_keys',
    message: string,
    errors: readonly TableError[],
    { total, summary }: { total?: number; summary?: readonly ErrorCount[] } = {},
  ) {
    const details = { ...toErrorDetails(errors, total), ...(summary && { summary }) };
    super('unprocessable', code, message, { details });
  }
}

/** An existing column was sent with another type. Nothing was stored. */
export class ColumnConflictError extends DomainError {
  constructor(errors: readonly TableError[]) {
    const message =
      'An existing column was sent with another type; nothing was stored. Send its current type, or another column.';
    super('conflict', 'column_type_conflict', message, { details: toErrorDetails(errors) });
  }
}

/** A request has too many rows or tables. */
export class BatchTooLargeError extends DomainError {
  constructor(what: 'keys' | 'rows' | 'tables', limit: number, actual: number) {
    const message = `A request has at most ${limit} ${what}; this has ${actual}. Send several requests.`;
    super('too_large', `too_many_${what}` as const, message, { details: { limit, actual } });
  }
}

/** An import that replaces a table would delete more rows than allowed. */
export class TooManyDeletionsError extends DomainError {
  constructor(
    table: string,
    rows: number,
    received: number,
    { limit, deletions }: { limit: number; deletions: number },
  ) {
    const problem =
      received === 0
        ? 'The file has no rows'
        : `The import would delete ${deletions} of ${rows} rows of "${table}", but at most ${limit} are allowed`;
    const message = `${problem}; nothing was stored. Check the file${received === 0 ? '' : ', or raise "maxDeletions"'}.`;
    super('conflict', 'too_many_deletions', message, { details: { limit, actual: deletions, total: rows } });
  }
}

/** A parameter of a query is invalid. */
export class InvalidQueryError extends DomainError {
  constructor(
    field: string,
    code:
      | 'unknown_column'
      | 'ambiguous_column'
      | 'unknown_operator'
      | 'invalid_value'
      | 'too_many_filters'
      | 'no_hierarchy'
      | 'not_allowed_with_export',
    message: string,
  ) {
    super('malformed', 'invalid_query', message, { details: toErrorDetails([{ field, code, message }]) });
  }
}

/** The workspace has no table with this ID or name. Callers that read it from a field of a request add the field. */
export class UnknownTableError extends DomainError {
  constructor(
    readonly entity: EntityKind,
    readonly table: string,
  ) {
    super(
      'unprocessable',
      'unknown_table',
      `The workspace has no ${entity} table "${table.slice(0, 80)}". Use the name or ID of an existing one.`,
    );
  }
}

/** A record refers to a row that does not exist. @param field the field that contains the reference. */
export class UnknownRowError extends DomainError {
  constructor(field: string, code: string, message: string) {
    super('unprocessable', 'unknown_row', message, { details: toErrorDetails([{ field, code, message }]) });
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
    const errors = [{ field, code: 'ambiguous_row', message }];
    super('conflict', 'ambiguous_row', message, { details: toErrorDetails(errors) });
  }
}

/** Tombstones since this revision were removed. */
export class RevisionGoneError extends DomainError {
  constructor(since: number, oldest: number) {
    const message = `\`since\` is ${since}, but changes are available only since revision ${oldest}. Export the table again.`;
    super('gone', 'revision_gone', message);
  }
}

/** The table has not reached this revision. */
export class UnknownRevisionError extends DomainError {
  constructor(since: number, revision: number) {
    const message = `\`since\` is ${since}, but the current revision is ${revision}. If the table was recreated, export it again.`;
    const errors = [{ field: 'since', code: 'unknown_revision', message }];
    super('malformed', 'unknown_revision', message, { details: toErrorDetails(errors) });
  }
}

/** Another row of the table has the key. */
export class KeyTakenError extends DomainError {
  constructor(key: string) {
    super(
      'conflict',
      'key_taken',
      `The table already has a row with the key "${key}". Nothing was changed; choose another key.`,
    );
  }
}

/** Another table of the entity has the name. */
export class TableNameTakenError extends DomainError {
  constructor(entity: EntityKind, name: string) {
    super(
      'conflict',
      'name_taken',
      `The workspace already has a ${entity} table "${name}". Nothing was changed; choose another name.`,
    );
  }
}

/** The table was changed during each attempt to read it. */
export class TableChangedError extends UnavailableError {
  constructor(cause?: unknown) {
    super('table_changed', 'The table was changed while it was read. Send the request again.', 1, cause);
  }
}

/** Other requests changed the columns of the table each time before it was locked. */
export class ColumnsBusyError extends UnavailableError {
  constructor() {
    super('table_busy', 'Other requests repeatedly change the columns of the table. Send the request again.');
  }
}

/** Readers of the table prevented a change of its physical table. */
export class TableBusyError extends UnavailableError {
  constructor(cause: unknown) {
    const message = 'Other requests read the table, so it could not be changed in time. Send the request again.';
    super('table_busy', message, 1, cause);
  }
}
