import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { compileMissing } from '../catalog/key-space.js';
import { physicalKeyName, physicalTableName } from '../catalog/physical-table.js';

/** Compares rows with the part of their table that the caller's access policies permit. */
@Injectable()
export class PermittedRowsRepository {
  constructor(private readonly database: Database) {}

  /**
   * The keys of the rows with the revision of the table that are not among the permitted ones.
   *
   * @param permitted the table with the permitted rows as its `rows`.
   */
  async findWrittenOutside(table: CatalogTable, permitted: CatalogTable, limit: number): Promise<string[]> {
    const key = `r.${physicalKeyName(table)}`;
    const rows = await this.database.query<{ key: string }>(
      `SELECT ${key} AS key FROM ${physicalTableName(table)} r
        WHERE r._revision = ${table.revision} AND ${compileMissing([permitted], key)} ORDER BY 1 LIMIT ${limit}`,
      [],
    );
    return rows.map((row) => row.key);
  }
}
