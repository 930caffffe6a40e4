import type { CatalogTable } from './catalog.repository.js';
import type { CatalogColumn } from './column-plan.js';
import { type ColumnOptions } from './column-types.js';
import { normalizeName } from './entity-kind.js';

/** A table with columns whose values may be keys of a given table. */
export interface ReferringTable {
  table: CatalogTable;
  /** Names a row of its own table. */
  parents: CatalogColumn[];
  references: CatalogColumn[];
}

/** Of all tables of the workspace, those with links to rows of the table: its own parents, and references to it. */
export function findReferringTables(target: CatalogTable, tables: readonly CatalogTable[]): ReferringTable[] {
  return tables
    .map((table) => ({
      table,
      parents: table.columns.filter(({ type }) => type === 'hierarchyParent' && table.id === target.id),
      references: table.columns.filter(
        ({ type, options }) => type === 'reference' && refersTo(target, tables, options),
      ),
    }))
    .filter(({ parents, references }) => parents.length + references.length > 0);
}

/** The tables whose rows the column names: a parent is in its own table. */
export function findReferenceTargets(
  table: CatalogTable,
  { type, options }: CatalogColumn,
  tables: readonly CatalogTable[],
): CatalogTable[] {
  return type === 'hierarchyParent' ? [table] : tables.filter((target) => refersTo(target, tables, options));
}

/** A reference names a row of its target, or, without one, of any Locations table. */
function refersTo(table: CatalogTable, tables: readonly CatalogTable[], { target }: ColumnOptions): boolean {
  if (!target) return table.entity === 'location';
  const candidates = tables.filter(({ entity }) => entity === target.entity);
  const named =
    candidates.find(({ id }) => id === target.table.toLowerCase()) ??
    candidates.find(({ nameKey }) => nameKey === normalizeName(target.table));
  return named?.id === table.id;
}
