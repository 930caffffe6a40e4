import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import { rowToJson, type RowValues, selectKeyAndName } from '../catalog/row-sql.js';

/** A row with what the table keeps of it. */
export interface KeptItem {
  item: RowValues;
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

interface PathStep {
  key: string;
  title: string;
  parent: string | null;
}

/** Rows above one another that a path shows at most: no plant has as many levels. */
export const MAX_LEVELS = 1_000;

/** Reads single rows, where they stand, and what changed of them. */
@Injectable()
export class RowRepository {
  constructor(private readonly database: Database) {}

  async find(table: CatalogTable, key: string): Promise<KeptItem | undefined> {
    const [row] = await this.database.query<KeptItem>(
      `SELECT ${rowToJson(table)} AS item, t._revision::float8 AS revision,
              t._created_at AS "createdAt", t._updated_at AS "updatedAt"
         FROM ${physicalTableName(table)} t WHERE t.${physicalKeyName(table)} = $1 AND t._deleted_at IS NULL`,
      [key],
    );
    return row;
  }

  /** The row and those above it, from the row up, one more than a path shows. Each is looked up by its key. */
  path(table: CatalogTable, parent: CatalogColumn, key: string): Promise<PathStep[]> {
    const columns = `${selectKeyAndName(table)}, t.${physicalColumnName(parent)}`;
    return this.database.query<PathStep>(
      `WITH RECURSIVE up (key, title, parent, level) AS (
         SELECT ${columns}, 0 FROM ${physicalTableName(table)} t WHERE t.${physicalKeyName(table)} = $1 AND t._deleted_at IS NULL
         UNION ALL
         SELECT ${columns}, up.level + 1 FROM up JOIN ${physicalTableName(table)} t ON t.${physicalKeyName(table)} = up.parent
          WHERE t._deleted_at IS NULL AND up.level < ${MAX_LEVELS})
       SELECT key, title, parent FROM up ORDER BY level`,
      [key],
    );
  }
}
