import { Injectable } from '@nestjs/common';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import {
  formerRowsName,
  physicalColumnNames,
  storedTableName,
  tombstonesName,
} from '../../../../packages/tables/src/catalog/physical-table.js';
import { PhysicalTablesRepository } from '../../../../packages/tables/src/catalog/physical-tables.repository.js';
import { wholeView } from '../../../../packages/tables/src/catalog/view.js';

/** A physical table of a workspace table: its rows, its former rows or its tombstones. */
export interface StoredTable {
  /** With its schema. */
  name: string;
  columns: readonly string[];
}

/** The physical tables of a workspace as a whole. */
@Injectable()
export class StoredTablesService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly physical: PhysicalTablesRepository,
  ) {}

  /** Those that the catalog of the open transaction describes. */
  async list(workspaceId: string): Promise<StoredTable[]> {
    return (await this.catalog.listAll(wholeView(workspaceId))).flatMap(toStoredTables);
  }

  /** Creates the schema, and empty physical tables for all tables of the catalog. */
  async create(workspaceId: string): Promise<StoredTable[]> {
    const tables = await this.catalog.listAll(wholeView(workspaceId));
    await this.physical.createSchema(workspaceId);
    for (const table of tables) await this.physical.create(table, table.columns);
    return tables.flatMap(toStoredTables);
  }

  /** Drops all physical tables, whatever the catalog contains, and the schema. */
  drop(workspaceId: string): Promise<void> {
    return this.physical.dropSchema(workspaceId);
  }
}

function toStoredTables(table: CatalogTable): StoredTable[] {
  const columns = physicalColumnNames(table);
  return [
    { name: storedTableName(table), columns },
    { name: formerRowsName(table), columns: ['_ended_revision', '_renamed_to', ...columns] },
    { name: tombstonesName(table), columns: ['key', 'revision', 'created_at', 'deleted_at'] },
  ];
}
