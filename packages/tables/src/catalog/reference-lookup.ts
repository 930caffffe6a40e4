import { CatalogRepository } from './catalog.repository.js';
import type { CatalogTable } from './catalog-table.js';
import type { CatalogColumn } from './column-plan.js';
import type { KeySpace } from './key-space.js';
import { withAllRows } from './physical-table.js';
import { getTargetEntity, listTargets } from './reference-targets.js';
import { wholeView } from './view.js';

/**
 * Finds the tables whose rows references name. They contain all rows and columns, also those that the access policies
 * of the caller hide: a reference to a hidden row is resolved.
 */
export class ReferenceLookup {
  constructor(private readonly catalog: CatalogRepository) {}

  /** The tables whose rows the values of a column name; a `hierarchyParent` column names rows of its own table. */
  findTargets(table: CatalogTable, column: CatalogColumn): Promise<KeySpace> {
    return listTargets(this.catalog, wholeView(table.workspaceId), withAllRows(table), column);
  }

  /** The targets of reference columns, of which many may be the same. */
  async findAllTargets(
    references: readonly { table: CatalogTable; column: CatalogColumn }[],
  ): Promise<Map<CatalogColumn, KeySpace>> {
    const targets = new Map<CatalogColumn, KeySpace>();
    const known = new Map<string, KeySpace>();
    for (const { table, column } of references) {
      const { target } = column.options;
      const name = column.type === 'reference' ? `${getTargetEntity(column.options)} ${target?.table ?? ''}` : table.id;
      const space = known.get(name) ?? (await this.findTargets(table, column));
      known.set(name, space);
      targets.set(column, space);
    }
    return targets;
  }
}
