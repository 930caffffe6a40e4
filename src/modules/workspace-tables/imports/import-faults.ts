import { MAX_LISTED_FAULTS } from '../../../platform/http/domain-error.js';
import type { RowFault } from '../rows/row-faults.js';

/** Why a row of an import cannot be stored, with its place in the file. */
export interface ImportFault extends RowFault {
  line: number;
  otherLine?: number;
}

/** Faults that were found together: all of them counted, and the first of them listed. */
export interface FoundFaults {
  total: number;
  /** Rows that are at fault now and were not before. */
  rows: number;
  first: readonly ImportFault[];
}

/** The faults of an import. All are counted and only the first are kept, in the order of the rows. */
export class ImportFaults {
  total = 0;
  /** The rows at fault. */
  rows = 0;
  private kept: ImportFault[] = [];

  add({ total, rows, first }: FoundFaults): void {
    this.total += total;
    this.rows += rows;
    if (first.length === 0) return;
    this.kept = [...this.kept, ...first].sort((a, b) => a.index - b.index).slice(0, MAX_LISTED_FAULTS);
  }

  /** The first 1,000, in the order of the rows. */
  get first(): readonly ImportFault[] {
    return this.kept;
  }
}
