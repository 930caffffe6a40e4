import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { PLAN_EACH_TIME } from '../../../platform/database/statement-options.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { physicalColumnName } from '../catalog/physical-table.js';
import type { RowValues } from '../catalog/row-sql.js';
import { Parameters } from './bindings.js';
import type { CursorPosition } from './order.js';
import { compileOrderedSource, compilePosition, compileSource, type RowSelection } from './query-compiler.js';

@Injectable()
export class QueryRowsRepository {
  constructor(private readonly database: Database) {}

  /** At most `limit` rows, in order. Column keys (`[a-z0-9_]{1,63}`) are safe as quoted identifiers. */
  async list(
    selection: RowSelection,
    columns: readonly CatalogColumn[],
    after: CursorPosition | undefined,
    limit: number,
  ): Promise<RowValues[]> {
    const cells = columns.map((column) => `t.${physicalColumnName(column)} AS "${column.key}"`).join(', ');
    const rows: RowValues[] = [];
    for (const keyset of after ? compilePosition(selection, after) : [undefined]) {
      if (rows.length >= limit) break;
      const parameters = new Parameters();
      const source = compileOrderedSource(selection, parameters, keyset);
      const sql = `SELECT ${cells} ${source} LIMIT ${limit - rows.length}`;
      rows.push(...(await this.database.query<RowValues>(sql, parameters.values, PLAN_EACH_TIME)));
    }
    return rows;
  }

  async count(selection: RowSelection): Promise<number> {
    const parameters = new Parameters();
    const sql = `SELECT count(*)::float8 AS total ${compileSource(selection, parameters)}`;
    const [row] = await this.database.query<{ total: number }>(sql, parameters.values, PLAN_EACH_TIME);
    return row!.total;
  }

  /** The estimate of the query planner, which reads no rows. */
  async estimate(selection: RowSelection): Promise<number> {
    const parameters = new Parameters();
    const sql = `EXPLAIN (FORMAT JSON) SELECT 1 ${compileSource(selection, parameters)}`;
    const [row] = await this.database.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      sql,
      parameters.values,
      PLAN_EACH_TIME,
    );
    return row!['QUERY PLAN'][0].Plan['Plan Rows'];
  }
}
