import { DomainError, type Fault, MAX_LISTED_FAULTS } from '../../platform/http/domain-error.js';
import type { EntityKind } from './entity-kind.js';

/** A fault in a table of a bulk request. */
export interface TableFault extends Fault {
  /** The table's entity and name: a location and an asset table may have one name. */
  type?: EntityKind;
  table: string;
  index?: number;
}

/** Columns, tables or rows that cannot be stored. Nothing was. */
export class InvalidTablesError extends DomainError {
  constructor(
    code: 'invalid_columns' | 'invalid_rows' | 'duplicate_table',
    message: string,
    faults: readonly TableFault[],
    total = faults.length,
  ) {
    super('unprocessable', code, message, { details: { total, faults: faults.slice(0, MAX_LISTED_FAULTS) } });
  }
}

/** A column that exists was sent with another type. */
export class ColumnConflictError extends DomainError {
  constructor(faults: readonly TableFault[]) {
    super('conflict', 'column_type_conflict', 'A column that exists was sent with another type; nothing was stored.', {
      details: { total: faults.length, faults: faults.slice(0, MAX_LISTED_FAULTS) },
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
  constructor(field: string, code: 'unknown_column' | 'ambiguous_column', message: string) {
    super('malformed', 'invalid_query', message, { details: { total: 1, faults: [{ field, code, message }] } });
  }
}
