import { DomainError, type Fault, MAX_LISTED_FAULTS } from '../../platform/http/domain-error.js';
import type { LegacyArray } from './legacy-mapping.js';

/** A fault of a record, told in the caller's words: its array, its position there, and the field by its own name. */
export interface LegacyFault extends Fault {
  array: LegacyArray;
  index?: number;
  key?: string;
  /** Key of the column, where the fault is in the table and not in a record. */
  column?: string;
}

/** Records that cannot be stored. Nothing was. */
export class InvalidRecordsError extends DomainError {
  constructor(faults: readonly LegacyFault[], total: number) {
    const many = total === 1 ? 'There is 1 fault' : `There are ${total} faults`;
    super('unprocessable', 'invalid_records', `${many} in the records; nothing was stored.`, {
      details: { total, faults: faults.slice(0, MAX_LISTED_FAULTS) },
    });
  }
}

/** A table has the name that the webhook uses, and columns that its records do not fit into. Nothing was stored. */
export class UnfitTableError extends DomainError {
  constructor(faults: readonly LegacyFault[]) {
    super('unprocessable', 'unfit_table', 'A table does not fit the records of the webhook; nothing was stored.', {
      details: { total: faults.length, faults },
    });
  }
}
