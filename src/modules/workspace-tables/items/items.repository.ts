import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { PlannedColumn } from '../catalog/column-plan.js';
import { type Condition, orderBy, type SortTerm } from './items-query.js';
import { columnOf, tableOf } from '../catalog/physical-table.js';
import type { StoredValue } from '../catalog/stored-value.js';

export type Item = Record<string, StoredValue>;

/** Reads rows of physical tables. */
@Injectable()
export class ItemsRepository {
  constructor(private readonly database: Database) {}

  /** Rows by column key, in order. The keys are safe in quotes: a key is `[a-z0-9_]{1,63}`. */
  page(
    table: CatalogTable,
    fields: readonly PlannedColumn[],
    order: readonly SortTerm[],
    after: Condition | undefined,
    limit: number,
  ): Promise<Item[]> {
    const selected = fields.map((column) => `t.${columnOf(column)} AS "${column.key}"`).join(', ');
    const where = ['t._deleted_at IS NULL', ...(after ? [after.sql] : [])].join(' AND ');
    return this.database.query<Item>(
      `SELECT ${selected} FROM ${tableOf(table)} t WHERE ${where} ORDER BY ${orderBy(order)} LIMIT ${limit}`,
      after?.parameters,
    );
  }

  async count(table: CatalogTable): Promise<number> {
    const [row] = await this.database.query<{ total: string }>(
      `SELECT count(*) AS total FROM ${tableOf(table)} t WHERE t._deleted_at IS NULL`,
    );
    return Number(row!.total);
  }

  /** What the planner expects, which costs no reading. */
  async estimate(table: CatalogTable): Promise<number> {
    const [row] = await this.database.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      `EXPLAIN (FORMAT JSON) SELECT 1 FROM ${tableOf(table)} t WHERE t._deleted_at IS NULL`,
    );
    return row!['QUERY PLAN'][0].Plan['Plan Rows'];
  }
}
