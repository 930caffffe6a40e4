import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { BatchOrigin } from './open-batch.js';
import type { UpsertReportDto } from './dto/upsert-report.dto.js';
import type { RowSource } from './row-source.js';

/** How MergeEngine writes the rows of a request. */
export interface MergeOptions {
  /** Store the valid rows even if others are invalid? */
  continueOnError?: boolean;
  /** Do everything and roll back? */
  dryRun?: boolean;
  /** Report a result per row? Only for rows in memory. */
  returnItems?: boolean;
  /** Recorded as a batch, which can be undone. Absent for single rows. */
  origin?: BatchOrigin;
  /** Unresolved references that the report lists per table; 20 by default. */
  maxUnresolved?: number;
  /** The error if a table does not exist. Without it, the table is created. Files require it. */
  toMissingTableError?: () => Error;
  /** Called after the rows were read and before the tables are locked. */
  beforeLock?: () => Promise<void>;
  /** Called when all tables are locked, before the rows are checked. @param tables in request order. */
  afterLock?: (tables: readonly CatalogTable[]) => Promise<void>;
  /** Part of the transaction, after everything is written; not called by a dry run. Must be idempotent: a retry repeats it. */
  completeWith?: (report: UpsertReportDto) => Promise<void>;
  /** Called when the errors of all rows are known, if there are any, before the transaction commits or rolls back. */
  recordErrors?: (sources: readonly RowSource[]) => Promise<void>;
  /** Called before the transaction commits or rolls back. */
  beforeEnd?: () => Promise<void>;
}
