import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import type { RowChange } from '../history/batch-records.repository.js';
import { storeFormerRows } from '../history/former-rows-sql.js';
import { RowHistory } from '../catalog/row-history.js';
import { TombstonesRepository } from '../history/tombstones.repository.js';

/** A key that is replaced by another one. */
export interface ReplacedKey {
  from: string;
  to: string;
  /** The revision of the rows that change. */
  revision: number;
  change: RowChange;
}

/** Replaces a key. The caller has the locks of the tables. */
@Injectable()
export class RenameRepository {
  constructor(
    private readonly database: Database,
    private readonly tombstones: TombstonesRepository,
    private readonly history: RowHistory,
  ) {}

  /**
   * Changes the key of a row, and leaves a former row and a tombstone of the old key. A tombstone of the new key is
   * removed.
   */
  async changeKey(table: CatalogTable, { from, to, revision, change }: ReplacedKey): Promise<void> {
    await this.tombstones.remove(table, { from: '(SELECT $1::text AS key) s', parameters: [to] });
    const key = physicalKeyName(table);
    if (this.history.isStored(table)) {
      const source = `FROM ${physicalTableName(table)} t WHERE t.${key} = $1`;
      const store = storeFormerRows(table, revision, source, (name) => `t.${name}`, '$2::text');
      await this.database.affected(store, [from, to]);
    }
    await this.database.affected(
      `UPDATE ${physicalTableName(table)} SET ${key} = $2, _revision = $3, _updated_at = $4 WHERE ${key} = $1`,
      [from, to, revision, change.at],
    );
    await this.tombstones.insert(table, from, revision, change);
  }

  /**
   * Changes the references in all columns by one statement: each row is written once, however many columns name the
   * key.
   *
   * @returns the number of references per column, in the order of the columns, and of rows.
   */
  async changeReferences(
    table: CatalogTable,
    columns: readonly CatalogColumn[],
    { from, to, revision, change }: ReplacedKey,
  ): Promise<{ references: number[]; rows: number }> {
    if (columns.length === 0) return { references: [], rows: 0 };
    const names = columns.map(physicalColumnName);
    const naming = `FROM ${physicalTableName(table)}
                   WHERE (${names.map((name) => `${name} = $1`).join(' OR ')})`;
    const values = names.map((name) => `${name} = CASE WHEN ${name} = $1 THEN $2 ELSE ${name} END`);
    if (this.history.isStored(table)) {
      const isNaming = names.map((name) => `t.${name} = $1`).join(' OR ');
      const store = storeFormerRows(table, revision, `FROM ${physicalTableName(table)} t WHERE ${isNaming}`);
      await this.database.affected(store, [from]);
    }
    // The counted rows are those before the change: all parts of a statement read one snapshot.
    const [changed] = await this.database.query<{ references: number[]; rows: number }>(
      `WITH changed AS (
         UPDATE ${physicalTableName(table)} SET ${values.join(', ')}, _revision = $3, _updated_at = $4
          WHERE ${physicalKeyName(table)} IN (SELECT ${physicalKeyName(table)} ${naming}) RETURNING 1)
       SELECT ARRAY[${names.map((name) => `count(*) FILTER (WHERE ${name} = $1)`).join(', ')}]::integer[] AS "references",
              (SELECT count(*)::integer FROM changed) AS rows ${naming}`,
      [from, to, revision, change.at],
    );
    return changed!;
  }

  /** The number of references in a column. */
  async countReferences(table: CatalogTable, column: CatalogColumn, key: string): Promise<number> {
    const [counted] = await this.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM ${physicalTableName(table)}
        WHERE ${physicalColumnName(column)} = $1`,
      [key],
    );
    return counted!.count;
  }
}
