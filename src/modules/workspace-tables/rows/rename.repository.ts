import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { PLAN_EACH_TIME } from '../../../platform/database/statement-options.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import { TombstonesRepository } from '../engine/tombstones.repository.js';

/** Replaces a key. The caller has the locks of the tables. */
@Injectable()
export class RenameRepository {
  constructor(
    private readonly database: Database,
    private readonly tombstones: TombstonesRepository,
  ) {}

  /** Changes the key of a row, and leaves a tombstone of the old key. A tombstone of the new key is removed. */
  async changeKey(table: CatalogTable, from: string, to: string, revision: number): Promise<void> {
    await this.tombstones.removeTombstone(table, to);
    await this.replace(table, physicalKeyName(table), from, to, revision);
    await this.tombstones.insertTombstone(table, from, revision);
  }

  /** Changes the references in a column. @returns how many. */
  changeReferences(
    table: CatalogTable,
    column: CatalogColumn,
    from: string,
    to: string,
    revision: number,
  ): Promise<number> {
    return this.replace(table, physicalColumnName(column), from, to, revision);
  }

  /** The number of references in a column. */
  async countReferences(table: CatalogTable, column: CatalogColumn, key: string): Promise<number> {
    const [counted] = await this.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM ${physicalTableName(table)}
        WHERE ${physicalColumnName(column)} = $1 AND _deleted_at IS NULL`,
      [key],
      PLAN_EACH_TIME,
    );
    return counted!.count;
  }

  private replace(table: CatalogTable, column: string, from: string, to: string, revision: number): Promise<number> {
    return this.database.affected(
      `UPDATE ${physicalTableName(table)} SET ${column} = $2, _revision = $3, _updated_at = statement_timestamp()
        WHERE ${column} = $1 AND _deleted_at IS NULL`,
      [from, to, revision],
      PLAN_EACH_TIME,
    );
  }
}
