import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { TombstonesRepository } from '../engine/tombstones.repository.js';
import { physicalColumnName, getPrimaryKey, physicalTableName } from '../catalog/physical-table.js';
import { encodeArray } from '../catalog/pg-array.js';

/** Puts one key in the place of another. The caller holds the tables' locks. */
@Injectable()
export class RenameRepository {
  constructor(
    private readonly database: Database,
    private readonly tombstones: TombstonesRepository,
  ) {}

  /** Of these keys, those that the table has, with the revisions that last changed their rows. */
  async revisions(table: CatalogTable, keys: readonly string[]): Promise<Map<string, number>> {
    const key = physicalColumnName(getPrimaryKey(table.columns));
    const rows = await this.database.query<{ key: string; revision: number }>(
      `SELECT ${key} AS key, _revision::float8 AS revision FROM ${physicalTableName(table)}
        WHERE ${key} = ANY($1::text[]) AND _deleted_at IS NULL`,
      [encodeArray('text', keys)],
    );
    return new Map(rows.map((row) => [row.key, row.revision]));
  }

  /** Gives a row another key, that no row has but a deleted one, which gives way; the old key counts as deleted. */
  async changeKey(table: CatalogTable, from: string, to: string, revision: number): Promise<void> {
    const key = physicalColumnName(getPrimaryKey(table.columns));
    await this.tombstones.clear(table, [to]);
    await this.replace(table, key, from, to, revision);
    await this.tombstones.insertTombstone(table, from, revision);
  }

  /** Turns the links to one key into links to another. @returns how many there were. */
  changeLinks(table: CatalogTable, column: CatalogColumn, from: string, to: string, revision: number): Promise<number> {
    return this.replace(table, physicalColumnName(column), from, to, revision);
  }

  private replace(table: CatalogTable, column: string, from: string, to: string, revision: number): Promise<number> {
    return this.database.affected(
      `UPDATE ${physicalTableName(table)} SET ${column} = $2, _revision = $3, _updated_at = statement_timestamp()
        WHERE ${column} = $1 AND _deleted_at IS NULL`,
      [from, to, revision],
    );
  }
}
