import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { physicalColumnName, getPrimaryKey, physicalTableName } from '../catalog/physical-table.js';
import { findReferenceTargets } from '../catalog/reference-targets.js';

/** The condition that the row `r` names a target in the column which is not there. @param tables all of the workspace. */
export function unresolvedCondition(
  table: CatalogTable,
  column: CatalogColumn,
  tables: readonly CatalogTable[],
): string {
  const link = `r.${physicalColumnName(column)}`;
  const missing = findReferenceTargets(table, column, tables).map(
    (target) =>
      `NOT EXISTS (SELECT FROM ${physicalTableName(target)} t
                    WHERE t.${physicalColumnName(getPrimaryKey(target.columns))} = ${link} AND t._deleted_at IS NULL)`,
  );
  return [`${link} IS NOT NULL`, ...missing].join(' AND ');
}
