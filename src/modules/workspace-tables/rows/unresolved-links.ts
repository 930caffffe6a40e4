import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { PlannedColumn } from '../catalog/column-plan.js';
import { columnOf, primaryKeyOf, tableOf } from '../catalog/physical-table.js';
import { targetsOf } from './row-pointers.js';

/** The condition that the row `r` names a target in the column which is not there. @param tables all of the workspace. */
export function isUnresolved(table: CatalogTable, column: PlannedColumn, tables: readonly CatalogTable[]): string {
  const link = `r.${columnOf(column)}`;
  const missing = targetsOf(table, column, tables).map(
    (target) =>
      `NOT EXISTS (SELECT FROM ${tableOf(target)} t
                    WHERE t.${columnOf(primaryKeyOf(target.columns))} = ${link} AND t._deleted_at IS NULL)`,
  );
  return [`${link} IS NOT NULL`, ...missing].join(' AND ');
}
