import { DomainError, type FieldError, MAX_LISTED_ERRORS } from '../../platform/http/domain-error.js';
import type { LegacyArray } from './legacy-mapping.js';

/** A fault of a record, told in the caller's words: its array, its position there, and the field by its own name. */
export interface LegacyFault extends FieldError {
  array: LegacyArray;
  index?: number;
  key?: string;
  /** Key of the column, where the fault is in the table and not in a record. */
  column?: string;
}

/** Records that cannot be stored. Nothing was. */
export class InvalidRecordsError extends DomainError {
  constructor(errors: readonly LegacyFault[], total: number) {
    const many = total === 1 ? 'There is 1 fault' : `There are ${total} errors`;
    super('unprocessable', 'invalid_records', `${many} in the records; nothing was stored.`, {
      details: { total, errors: errors.slice(0, MAX_LISTED_ERRORS) },
    });
  }
}

/** A table has the name that the webhook uses, and columns that its records do not fit into. Nothing was stored. */
export class UnfitTableError extends DomainError {
  constructor(errors: readonly LegacyFault[]) {
    super(
      'unprocessable',
      'incompatible_table',
      'A table does not fit the records of the webhook; nothing was stored.',
      {
        details: { total: errors.length, errors },
      },
    );
  }
}
