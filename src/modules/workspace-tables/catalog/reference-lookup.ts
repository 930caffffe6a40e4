import { Injectable } from '@nestjs/common';
import type { CatalogTable } from './catalog.repository.js';
import { CatalogWrites } from './catalog-writes.repository.js';
import type { CatalogColumn } from './column-plan.js';
import type { EntityKind } from './entity-kind.js';
import type { KeySpace } from './key-space.js';
import { withAllRows } from './physical-table.js';
import { getTargetEntity } from './reference-targets.js';
import { RowKeyListing } from './row-key-listing.js';
import { RowKeysRepository } from './row-keys.repository.js';

/** Most tables that are read themselves before their keys are listed. */
const MAX_UNLISTED_TABLES = 32;

/**
 * Finds the tables and rows that references name, in a time that hardly depends on the number of tables
 * (docs/explanation/performance.md#keys-of-many-tables). The tables contain all rows and columns, also those that the
 * access policies of the caller hide: a reference to a hidden row is resolved. `TablePermissions.restrict` leaves what
 * the caller may read.
 */
@Injectable()
export class ReferenceLookup {
  constructor(
    protected readonly catalog: CatalogWrites,
    private readonly keys: RowKeysRepository,
    private readonly listing: RowKeyListing,
  ) {}

  /** The tables whose rows the values of a column name; a `hierarchyParent` column names rows of its own table. */
  async findTargets(table: CatalogTable, { type, options }: CatalogColumn): Promise<KeySpace> {
    if (type === 'hierarchyParent') return { tables: [withAllRows(table)] };
    const entity = getTargetEntity(options);
    if (!options.target) return this.findTables(table.workspaceId, entity);
    const target = await this.catalog.find(table.workspaceId, entity, options.target.table);
    return { tables: target ? [target] : [] };
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

  /** All tables of the entity. */
  async findTables(workspaceId: string, entity: EntityKind): Promise<KeySpace> {
    const tables = await this.catalog.listWithUnlistedKeys(workspaceId, entity);
    if (tables.length > MAX_UNLISTED_TABLES) this.listing.request(workspaceId, entity);
    return { tables, listed: { workspaceId, entity } };
  }

  /** The tables of the space, by name. */
  async listTables({ tables, listed }: KeySpace): Promise<readonly CatalogTable[]> {
    return listed ? this.catalog.list(listed.workspaceId, listed.entity) : tables;
  }

  /** The tables of the space that may have rows with any of the keys, by name. */
  async listTablesWith(space: KeySpace, keys: readonly string[]): Promise<CatalogTable[]> {
    const ids = await this.keys.findTableIds(space, keys);
    const listed = ids.length > 0 ? await this.catalog.listByIds(space.listed!.workspaceId, ids) : [];
    return [...space.tables, ...listed].toSorted((a, b) => (a.nameKey < b.nameKey ? -1 : 1));
  }
}
