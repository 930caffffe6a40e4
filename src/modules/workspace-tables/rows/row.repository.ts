import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import { rowToJson, type RowValues, selectKeyAndName } from '../catalog/row-sql.js';

/** A row with its metadata. */
export interface StoredRow {
  item: RowValues;
  /** The revision of the table that last changed the row. */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

interface PathStep {
  key: string;
  title: string;
  parent: string | null;
}

/** Maximum number of rows in a path. Real hierarchies have far fewer levels. */
export const MAX_LEVELS = 1_000;

/** Reads single rows. */
@Injectable()
export class RowRepository {
  constructor(private readonly database: Database) {}

  async find(table: CatalogTable, key: string): Promise<StoredRow | undefined> {
    const [row] = await this.database.query<StoredRow>(
      `SELECT ${rowToJson(table)} AS item, t._revision::float8 AS revision,
              t._created_at AS "createdAt", t._updated_at AS "updatedAt"
         FROM ${physicalTableName(table)} t WHERE t.${physicalKeyName(table)} = $1 AND t._deleted_at IS NULL`,
      [key],
    );
    return row;
  }

  /** The row and the rows above it, upwards: at most one more than a path contains. Each is looked up by its key. */
  listAncestors(table: CatalogTable, parent: CatalogColumn, key: string): Promise<PathStep[]> {
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
