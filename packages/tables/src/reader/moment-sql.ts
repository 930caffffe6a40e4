import type { CatalogTable } from '../catalog/catalog-table.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import { selectTouchedKeys, type TwoMoments } from '../catalog/row-versions-sql.js';

/**
 * A query for the differences between two moments in the order of the keys, as `DifferenceLines` reads it: the change,
 * the key, and for each other column the value before and after.
 */
export function selectDifferences({ before, after }: TwoMoments): string {
  const key = physicalKeyName(before);
  const names = before.columns.filter(({ primaryKey }) => !primaryKey).map(physicalColumnName);
  const values = names.flatMap((name) => [`b.${name}`, `a.${name}`]);
  const changed = names.map((name) => `b.${name} IS DISTINCT FROM a.${name}`);
  const rows = (table: CatalogTable) =>
    `(SELECT r.* FROM touched JOIN ${physicalTableName(table)} r ON r.${key} = touched.key)`;
  return `
    WITH touched AS MATERIALIZED (${selectTouchedKeys({ before, after })})
    SELECT CASE WHEN b.${key} IS NULL THEN 'create' WHEN a.${key} IS NULL THEN 'delete' ELSE 'update' END,
           ${[`coalesce(b.${key}, a.${key})`, ...values].join(', ')}
      FROM ${rows(before)} b FULL JOIN ${rows(after)} a ON a.${key} = b.${key}
     WHERE ${[`b.${key} IS NULL`, `a.${key} IS NULL`, ...changed].join(' OR ')}
     ORDER BY 2`;
}
