import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CursorValue } from '../../../platform/http/cursor.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { physicalColumnName } from '../catalog/physical-table.js';
import type { RowValues } from '../catalog/row-sql.js';
import { Parameters } from './bindings.js';
import { orderOf, pagesAfter, type RowSelection, sourceOf } from './row-selection.js';

/** Reads rows of physical tables. */
@Injectable()
export class QueryRowsRepository {
  constructor(private readonly database: Database) {}

  /** Rows by column key, in order. The keys are safe in quotes: a key is `[a-z0-9_]{1,63}`. */
  async page(
    selection: RowSelection,
    columns: readonly CatalogColumn[],
    after: readonly CursorValue[] | undefined,
    limit: number,
  ): Promise<RowValues[]> {
    const selected = columns.map((column) => `t.${physicalColumnName(column)} AS "${column.key}"`).join(', ');
    const rows: RowValues[] = [];
    for (const further of after ? pagesAfter(selection, after) : [undefined]) {
      if (rows.length >= limit) break;
      const parameters = new Parameters();
      const source = sourceOf(selection, parameters, further);
      const sql = `SELECT ${selected} ${source} ${orderOf(selection)} LIMIT ${limit - rows.length}`;
      rows.push(...(await this.database.query<RowValues>(sql, parameters.values)));
    }
    return rows;
  }

  /** All rows of the selection. */
  async count(selection: RowSelection): Promise<number> {
    const parameters = new Parameters();
    const sql = `SELECT count(*)::float8 AS total ${sourceOf(selection, parameters)}`;
    const [row] = await this.database.query<{ total: number }>(sql, parameters.values);
    return row!.total;
  }

  /** What the planner expects, which costs no reading. */
  async estimate(selection: RowSelection): Promise<number> {
    const parameters = new Parameters();
    const sql = `EXPLAIN (FORMAT JSON) SELECT 1 ${sourceOf(selection, parameters)}`;
    const [row] = await this.database.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      sql,
      parameters.values,
    );
    return row!['QUERY PLAN'][0].Plan['Plan Rows'];
  }
}
