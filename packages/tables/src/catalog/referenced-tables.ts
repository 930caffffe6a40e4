import type { CatalogRepository } from './catalog.repository.js';
import type { CatalogTable } from './catalog-table.js';
import { findColumns } from './column-finder.js';
import type { CatalogColumn } from './column-plan.js';
import { isReference } from './column-types.js';
import { listTargets } from './reference-targets.js';

/** The number of references that a path follows at most. */
export const MAX_REFERENCES = 3;

/** The number of tables that the references of a query read at most. */
export const MAX_REFERENCED_TABLES = 100;

/** A path through references, such as `location.parent.name`: the keys of columns. */
const PATH = /^\w{1,63}(?:\.\w{1,63})+$/;

/** Does the name consist of several keys of columns? The name of a column may do so, too. */
export function isPath(name: string): boolean {
  return PATH.test(name);
}

/** The tables whose rows the references of a query name. */
export class ReferencedTables {
  private readonly byColumn = new Map<string, readonly CatalogTable[]>();
  private tables = 0;

  /** Are there more tables than a query may read? */
  get isFull(): boolean {
    return this.tables > MAX_REFERENCED_TABLES;
  }

  /** The tables, by name; none if they were not read. */
  list(table: CatalogTable, column: CatalogColumn): readonly CatalogTable[] {
    return this.byColumn.get(toMapKey(table, column)) ?? [];
  }

  has(table: CatalogTable, column: CatalogColumn): boolean {
    return this.byColumn.has(toMapKey(table, column));
  }

  set(table: CatalogTable, column: CatalogColumn, targets: readonly CatalogTable[]): void {
    this.tables += targets.length;
    this.byColumn.set(toMapKey(table, column), targets);
  }
}

function toMapKey({ id }: CatalogTable, { key }: CatalogColumn): string {
  return `${id} ${key}`;
}

/**
 * Reads the tables that the paths lead through. A path that is not valid ends at its first invalid part: the parser of
 * the query reports it.
 */
export async function readReferencedTables(
  catalog: CatalogRepository,
  table: CatalogTable,
  paths: readonly string[],
): Promise<ReferencedTables> {
  const referenced = new ReferencedTables();
  const follow = async (from: CatalogTable, [name = '', ...rest]: string[]): Promise<void> => {
    const [column] = findColumns(from.columns, name);
    if (rest.length === 0 || !column || !isReference(column.type) || referenced.isFull) return;
    if (!referenced.has(from, column))
      referenced.set(from, column, await listTargets(catalog, from.view, from, column));
    for (const target of referenced.list(from, column)) await follow(target, rest);
  };
  const followed = paths.map((path) => path.split('.')).filter(({ length }) => length <= MAX_REFERENCES + 1);
  for (const path of followed) await follow(table, path);
  return referenced;
}
