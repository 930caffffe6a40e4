import type { BatchOrigin } from '../history/batch-records.repository.js';

/** How MergeEngine writes the rows of a request. */
export interface MergeOptions {
  /** Store the valid rows even if others are invalid? */
  continueOnError?: boolean;
  /** Do everything and roll back? */
  dryRun?: boolean;
  /** Store rows that violate constraints, and report them as warnings? Restored values may be older than these. */
  allowsViolations?: boolean;
  /** Report a result per row? Only for rows in memory. */
  returnItems?: boolean;
  /** Recorded as a batch, which can be undone. Absent for single rows. */
  origin?: BatchOrigin;
  /** Unresolved references that the report lists per table; 20 by default. */
  maxUnresolved?: number;
  /** The error if a table does not exist, unless a file has columns for it. Without it, the table is created. */
  toMissingTableError?: () => Error;
}
