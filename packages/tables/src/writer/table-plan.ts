import type { ReportedErrors } from './report.js';
import type { CatalogTable, TableIdentity } from '../catalog/catalog-table.js';
import type { ColumnDefinition, ColumnPlan } from '../catalog/column-plan.js';
import { ColumnConflictError, InvalidTablesError, type TableError } from '../catalog/tables.errors.js';
import { mergeSummaries, type RowError, type RowErrors, selectErrors } from '../sources/row-errors.js';
import type { Replacement } from '../sources/staging-sql.js';
import type { RowSource } from '../sources/row-source.js';
import type { RowStream } from '../sources/staging-row-source.js';
import type { UndoneRevision } from '../sources/undone-row-source.js';
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

/** A table of a merge, as requested. With `id`, it is found under any name. */
export interface TableInput extends TableIdentity {
  /** Columns to create or add. Existing ones are not edited. */
  columns?: readonly ColumnDefinition[];
  /**
   * The rows: items of a request, not validated yet, a file, or those to set back. A file creates its table only with
   * `columns`.
   */
  items: readonly unknown[] | RowStream | UndoneRevision;
  /** Delete the rows that the file lacks. */
  replacement?: Replacement;
  /** Keys of rows to delete after the rows are written. Keys that the caller finds no row with are ignored. */
  deletions?: readonly string[];
}

/** A table whose rows are in memory. */
export interface TableItems extends TableInput {
  items: readonly unknown[];
  replacement?: undefined;
  deletions?: undefined;
}

/** What a request means for the table as it was found. */
export interface TablePlan {
  input: TableInput;
  /** Undefined if the table does not exist. */
  found: CatalogTable | undefined;
  columns: ColumnPlan;
  source: RowSource;
  /** The table as access policies permit the caller to read it; absent if none restricts the caller. */
  permitted?: CatalogTable;
}

/**
 * May the request create the table? A file needs columns for this. A table that was dropped after the request named it
 * by its ID is not created again.
 */
export function mayCreate(input: TableInput, { toMissingTableError }: MergeOptions): boolean {
  if (!toMissingTableError) return true;
  return input.id === undefined && 'open' in input.items && input.columns !== undefined;
}

/** A table whose lock this transaction has, and the plan for it as it is now. */
export interface LockedTable {
  plan: TablePlan;
  table: CatalogTable;
  /** Did this transaction create the catalog row? The physical table does not exist yet. */
  isNew: boolean;
}

/** Is the plan valid for the table as it is under the lock? */
export function isCurrent(found: CatalogTable | undefined, { table, isNew }: Omit<LockedTable, 'plan'>): boolean {
  if (isNew) return found === undefined;
  return found?.id === table.id && found.definitionId === table.definitionId;
}

/**
 * Requires valid columns also with `onError=continue`: no row can be stored without them.
 *
 * @throws {InvalidTablesError | ColumnConflictError}
 */
export function requireValidColumns(
  plans: readonly (Pick<TablePlan, 'input'> & { columns: Pick<ColumnPlan, 'errors'> })[],
): void {
  const errors = plans.flatMap(({ input, columns }) =>
    columns.errors.map((error) => ({ type: input.entity, table: input.name, ...error })),
  );
  if (errors.length === 0) return;
  if (errors.some(({ code }) => code === 'column_type_conflict')) throw new ColumnConflictError(errors);
  throw new InvalidTablesError('invalid_columns', 'The column definitions are invalid; nothing was stored.', errors);
}

/** @throws {InvalidTablesError} */
export function requireValidRows(plans: readonly TablePlan[]): void {
  const { errors, summary } = reportErrors(plans.map(({ input, source }) => ({ input, errors: source.errors })));
  if (summary.length === 0) return;
  const total = summary.reduce((sum, { count }) => sum + count, 0);
  const received = plans.reduce((sum, { source }) => sum + source.received, 0);
  const failed = plans.reduce((sum, { source }) => sum + source.errors.rows, 0);
  const message = `${failed} of ${received} ${received === 1 ? 'row' : 'rows'} cannot be stored; nothing was stored. Correct them, or send onError=continue.`;
  throw new InvalidTablesError('invalid_rows', message, errors, { total, summary });
}

/** The errors, or warnings, of the rows of several tables. */
export function reportErrors(tables: readonly { input: TableIdentity; errors: RowErrors }[]): ReportedErrors {
  return {
    summary: mergeSummaries(tables.map(({ errors }) => errors.summary)),
    errors: selectErrors(
      tables.flatMap(({ input, errors }) => errors.first.map((error) => toTableError(input, error))),
    ),
  };
}

/** An error of a row with its fields in the order of every response. */
export function toTableError(
  { entity, name }: TableIdentity,
  { index, line, key, column, ...error }: RowError,
): TableError {
  const position = { index, line, key, column };
  const known = Object.fromEntries(Object.entries(position).filter(([, value]) => value !== undefined));
  const { code, message, ...others } = error;
  return { type: entity, table: name, ...known, code, message, ...others };
}
