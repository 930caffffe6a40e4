import { Injectable } from '@nestjs/common';
import { Sql } from '../../../../packages/sql/src/sql.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import {
  physicalColumnName,
  physicalKeyName,
  physicalTableName,
} from '../../../../packages/tables/src/catalog/physical-table.js';
import type { Relation } from '../../../../packages/tables/src/catalog/relation.js';
import { type RowWrite, RowWriter } from '../../../../packages/tables/src/writer/row-writer.repository.js';

/** The key of a row, and the one that replaces it. */
export interface KeyChange {
  from: string;
  to: string;
}

/** Replaces a key where it refers to a row. The caller has the locks of the tables. */
@Injectable()
export class RenameRepository {
  constructor(
    private readonly sql: Sql,
    private readonly rows: RowWriter,
  ) {}

  /**
   * Changes the references in all columns together: each row is written once, however many columns name the key.
   *
   * @returns the number of references per column, in the order of the columns, and of rows.
   */
  async changeReferences(
    table: CatalogTable,
    columns: readonly CatalogColumn[],
    { from, to }: KeyChange,
    write: RowWrite,
  ): Promise<{ references: number[]; rows: number }> {
    if (columns.length === 0) return { references: [], rows: 0 };
    const names = columns.map(physicalColumnName);
    const isNaming = names.map((name) => `r.${name} = $1`).join(' OR ');
    const naming = `FROM ${physicalTableName(table)} r WHERE ${isNaming}`;
    const [counted] = await this.sql.query<{ references: number[]; rows: number }>(
      `SELECT ARRAY[${names.map((name) => `count(*) FILTER (WHERE r.${name} = $1)`).join(', ')}]::integer[] AS "references",
              count(*)::integer AS rows ${naming}`,
      [from],
    );
    const key = physicalKeyName(table);
    const values = names.map((name) => `, CASE WHEN r.${name} = $1 THEN $2 ELSE r.${name} END AS ${name}`);
    const changed: Relation = {
      from: `(SELECT r.${key} AS key${values.join('')} ${naming}) s`,
      parameters: [from, to],
      columns: columns.map((column) => ({ column, value: `s.${physicalColumnName(column)}` })),
      rows: counted!.rows,
      keys: { isSelected: `IN (SELECT r.${key} ${naming})`, parameters: [from] },
    };
    await this.rows.update(table, changed, write);
    return counted!;
  }

  /** The number of references in a column. */
  async countReferences(table: CatalogTable, column: CatalogColumn, key: string): Promise<number> {
    const [counted] = await this.sql.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM ${physicalTableName(table)}
        WHERE ${physicalColumnName(column)} = $1`,
      [key],
    );
    return counted!.count;
  }
}
