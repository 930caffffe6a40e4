import { Injectable } from '@nestjs/common';
import { Sql } from '../../../../packages/sql/src/sql.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import { CatalogWrites } from '../../../../packages/tables/src/catalog/catalog-writes.repository.js';
import {
  formerRowsName,
  physicalColumnNames,
  storedTableName,
  tombstonesName,
} from '../../../../packages/tables/src/catalog/physical-table.js';
import { PhysicalTablesRepository } from '../../../../packages/tables/src/catalog/physical-tables.repository.js';
import { wholeView } from '../../../../packages/tables/src/catalog/view.js';

/** More revisions than a table can have received between a backup and its restore. */
const SKIPPED_REVISIONS = 1_000_000;

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
    private readonly sql: Sql,
    private readonly catalog: CatalogRepository,
    private readonly physical: PhysicalTablesRepository,
    private readonly writes: CatalogWrites,
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

  /**
   * Skips revisions that callers may have received before a restore of the database: no later change may have one of
   * them again, and the change feed rejects them, so that its readers export the tables again. Operators do not know
   * all readers, and all of them would store and compare an identity of the database that each response contains.
   *
   * @returns the number of tables.
   */
  skipRevisions(workspaceId: string): Promise<number> {
    return this.sql.transaction(() => this.writes.skipRevisions(workspaceId, SKIPPED_REVISIONS));
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
