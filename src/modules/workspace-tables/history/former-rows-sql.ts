import type { CatalogTable } from '../catalog/catalog.repository.js';
import { formerRowsName, physicalColumnNames } from '../catalog/physical-table.js';

/**
 * An INSERT of former rows, without those that the same revision has written: no moment has them. It calls only
 * immutable functions, so that a cluster executes it on the node of the table.
 *
 * @param endedRevision SQL: the revision that ends the rows.
 * @param source FROM clause with the rows as they are.
 * @param toValue SQL: a column of the row.
 * @param renamedTo SQL: the key that the row receives.
 */
export function storeFormerRows(
  table: CatalogTable,
  endedRevision: string | number,
  source: string,
  toValue = (name: string) => `t.${name}`,
  renamedTo = 'NULL::text',
): string {
  const names = physicalColumnNames(table);
  const values = names.map((name) => `${toValue(name)} AS ${name}`);
  return `INSERT INTO ${formerRowsName(table)} (_ended_revision, _renamed_to, ${names.join(', ')})
          SELECT * FROM (SELECT ${endedRevision}::bigint AS ended, ${renamedTo}, ${values.join(', ')} ${source}) f
           WHERE f._revision < f.ended`;
}
