import type { CatalogTable } from '../catalog/catalog.repository.js';
import { type ColumnDefinition, type ColumnPlan, planColumns } from '../catalog/column-plan.js';
import type { EntityKind } from '../catalog/entity-kind.js';
import { type RowBatch, RowReader } from './row-batch.js';
import { RowErrors } from './row-errors.js';

/** A table of a bulk request, whose shape has been checked; its items have not. */
export interface TableBatch {
  entity: EntityKind;
  name: string;
  /** The table's id where the caller knows it: by that it is found whatever its name is by now. */
  id?: string;
  columns?: ColumnDefinition[];
  items: readonly unknown[];
}

/** What a bulk request makes of one table, worked out before any lock is taken. */
export interface TablePlan {
  batch: TableBatch;
  /** The table as the plan found it; undefined where it did not exist. */
  found: CatalogTable | undefined;
  columns: ColumnPlan;
  rows: RowBatch;
  errors: RowErrors;
}

export interface PlanLimits {
  maxColumns: number;
  rowMaxBytes: number;
}

const NO_ROWS: RowBatch = { indexes: [], keys: [], columns: [] };

/** Pure: merges the columns and coerces the rows. Rows are not looked at where the columns are at fault. */
export function planTable(batch: TableBatch, found: CatalogTable | undefined, limits: PlanLimits): TablePlan {
  const { columns: existing = [], droppedOrdinal = 0 } = found ?? {};
  const columns = planColumns(existing, batch.columns ?? [], limits.maxColumns, droppedOrdinal);
  if (columns.errors.length > 0) return { batch, found, columns, rows: NO_ROWS, errors: new RowErrors() };
  const reader = new RowReader(columns.columns, limits.rowMaxBytes);
  const rows = reader.read(batch.items);
  return { batch, found, columns, rows, errors: reader.errors };
}

/** Does the plan still hold for the table as it is under the lock? */
export function planHolds(plan: TablePlan, locked: CatalogTable, created: boolean): boolean {
  if (created) return plan.found === undefined;
  if (plan.found?.id !== locked.id) return false;
  const known = ({ columns, droppedOrdinal }: CatalogTable) => JSON.stringify([columns, droppedOrdinal]);
  return plan.found.revision === locked.revision || known(plan.found) === known(locked);
}
