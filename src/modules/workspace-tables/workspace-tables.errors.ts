import { DomainError, type FieldError, MAX_LISTED_ERRORS } from '../../platform/http/domain-error.js';
import type { EntityKind } from './catalog/entity-kind.js';

/** A fault in a table, in its columns or rows. */
export interface TableError extends FieldError {
  /** The table's entity and name: a location and an asset table may have one name. */
  type?: EntityKind;
  table: string;
  index?: number;
  /** In an import: the line on which the row begins. */
  line?: number;
  key?: string;
  column?: string;
}

/** Columns, tables or rows that cannot be stored. Nothing was. */
export class InvalidTablesError extends DomainError {
  constructor(
    code: 'invalid_columns' | 'invalid_rows' | 'duplicate_table' | 'invalid_key',
    message: string,
    errors: readonly TableError[],
    total = errors.length,
  ) {
    super('unprocessable', code, message, { details: { total, errors: errors.slice(0, MAX_LISTED_ERRORS) } });
  }
}

/** A column that exists was sent with another type. */
export class ColumnConflictError extends DomainError {
  constructor(errors: readonly TableError[]) {
    super('conflict', 'column_type_conflict', 'A column that exists was sent with another type; nothing was stored.', {
      details: { total: errors.length, errors: errors.slice(0, MAX_LISTED_ERRORS) },
    });
  }
}

/** More rows or tables than a request may have. */
export class BatchTooLargeError extends DomainError {
  constructor(what: 'rows' | 'tables', limit: number, actual: number) {
    super(
      'too_large',
      `too_many_${what}`,
      `A request has at most ${limit} ${what}; this has ${actual}. Send several requests.`,
      {
        details: { limit, actual },
      },
    );
  }
}

/** A query names a column or a value that there is not. */
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
    super('malformed', 'invalid_query', message, { details: { total: 1, errors: [{ field, code, message }] } });
  }
}

/** No table of the workspace has this id or name. Who took it from a field of a request names that field. */
export class UnknownTableError extends DomainError {
  constructor(
    readonly entity: EntityKind,
    readonly table: string,
  ) {
    super('unprocessable', 'unknown_table', `The workspace has no ${entity} table "${table.slice(0, 80)}".`);
  }
}

/** A record is to be filed against a row that is not there; names the field that named it. */
export class UnknownRowError extends DomainError {
  constructor(field: string, code: string, message: string) {
    super('unprocessable', 'unknown_row', message, { details: { total: 1, errors: [{ field, code, message }] } });
  }
}

/** Several tables have a row with this key. */
export class AmbiguousRowError extends DomainError {
  constructor(field: string, tableField: string, key: string, tables: readonly string[]) {
    const named = tables.map((table) => `"${table}"`).join(', ');
    const message = `"${key}" is a row of several tables (${named}); name one in ${tableField}.`;
    const errors = [{ field, code: 'ambiguous_row', message }];
    super('conflict', 'ambiguous_row', message, { details: { total: 1, errors } });
  }
}

/** Deleted rows that the caller has not seen are forgotten by now. */
export class RevisionGoneError extends DomainError {
  constructor(since: number, oldest: number) {
    super(
      'gone',
      'revision_gone',
      `Rows that were deleted since revision ${since} are forgotten; changes are known since ${oldest}. Read the table anew, by an export.`,
    );
  }
}

/** The table has not come to this revision. */
export class UnknownRevisionError extends DomainError {
  constructor(since: number, revision: number) {
    const message = `The table has revision ${revision}, so there is nothing since ${since}; is it another table now?`;
    const errors = [{ field: 'since', code: 'unknown_revision', message }];
    super('malformed', 'unknown_revision', message, { details: { total: 1, errors } });
  }
}

/** Another row of the table has the key. */
export class KeyTakenError extends DomainError {
  constructor(key: string) {
    super('conflict', 'key_taken', `The table has a row with the key "${key}" already; nothing was changed.`);
  }
}

/** Another table of the entity has the name. */
export class TableNameTakenError extends DomainError {
  constructor(entity: EntityKind, name: string) {
    super('conflict', 'name_taken', `The workspace has a ${entity} table "${name}" already; nothing was changed.`);
  }
}
