import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { findReferringTables } from '../catalog/reference-targets.js';

/** A table, and columns of it whose references name another table anew. */
export interface Retargeted {
  table: CatalogTable;
  columns: CatalogColumn[];
}

/**
 * References that name the table by its name name it by the new one: whoever meant the table still does.
 *
 * @param tables all of the workspace, with the table as it is called before.
 */
export function followName(table: CatalogTable, tables: readonly CatalogTable[], name: string): Retargeted[] {
  return retarget(table, tables, name, (named) => named !== table.id);
}

/** References that name the table by its id name it by its name, since no other will ever have the id. */
export function followDrop(table: CatalogTable, tables: readonly CatalogTable[]): Retargeted[] {
  return retarget(table, tables, table.name, (named) => named === table.id);
}

function retarget(
  table: CatalogTable,
  tables: readonly CatalogTable[],
  name: string,
  applies: (named: string) => boolean,
): Retargeted[] {
  return findReferringTables(table, tables)
    .map((pointing) => ({
      table: pointing.table,
      columns: pointing.references.flatMap((column) => {
        const { target } = column.options;
        if (!target || !applies(target.table.toLowerCase())) return [];
        return [{ ...column, options: { ...column.options, target: { ...target, table: name } } }];
      }),
    }))
    .filter(({ columns }) => columns.length > 0);
}
