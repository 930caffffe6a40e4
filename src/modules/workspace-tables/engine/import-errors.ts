import { MAX_LISTED_ERRORS } from '../../../platform/http/domain-error.js';
import type { RowError } from './row-errors.js';

/** Why a row of an import cannot be stored, with its place in the file. */
export interface ImportRowError extends RowError {
  line: number;
  otherLine?: number;
}

/** Faults that were found together: all of them counted, and the first of them listed. */
export interface FoundErrors {
  total: number;
  /** Rows that are at fault now and were not before. */
  rows: number;
  first: readonly ImportRowError[];
}

/** The errors of an import. All are counted and only the first are kept, in the order of the rows. */
export class ImportErrors {
  total = 0;
  /** The rows at fault. */
  rows = 0;
  private kept: ImportRowError[] = [];

  add({ total, rows, first }: FoundErrors): void {
    this.total += total;
    this.rows += rows;
    if (first.length === 0) return;
    this.kept = [...this.kept, ...first].sort((a, b) => a.index - b.index).slice(0, MAX_LISTED_ERRORS);
  }

  /** The first 1,000, in the order of the rows. */
  get first(): readonly ImportRowError[] {
    return this.kept;
  }
}
