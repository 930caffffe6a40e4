import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Sql } from '../../../../packages/sql/src/sql.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import type { Violation } from '../../../../packages/tables/src/catalog/column-constraints.js';
import { ConstraintsRepository } from '../../../../packages/tables/src/catalog/constraints.repository.js';
import {
  type ColumnRule,
  type ColumnRuleKind,
  listRules,
  violates,
} from '../../../../packages/tables/src/catalog/column-rules.js';
import {
  formerRowsName,
  physicalColumnName,
  physicalKeyName,
  physicalTableName,
} from '../../../../packages/tables/src/catalog/physical-table.js';
import type { Relation } from '../../../../packages/tables/src/catalog/relation.js';
import type { KeySelection } from '../../../../packages/tables/src/catalog/row-sql.js';
import {
  type TemporaryTables,
  TemporaryTablesFactory,
} from '../../../../packages/tables/src/catalog/temporary-tables.js';
import type { RowChange } from '../../../../packages/tables/src/history/batch-records.repository.js';
import { RowWriter } from '../../../../packages/tables/src/history/row-writer.repository.js';
import { ParentCyclesRepository } from '../../../../packages/tables/src/sources/parent-cycles.repository.js';
import type { BatchTable } from '../../../../packages/tables/src/history/batch.js';

/** Memory of one join of an undo before it uses temporary files. */
const WORK_MEM = '64MB';

/**
 * - `is_created`: the batch created the row, so the undo deletes the row.
 * - `is_absent`: the row does not exist now.
 * - `is_restorable`: the row is unchanged since the batch, and its previous values are allowed.
 * - `reason`: the position of the reason why the previous values are not allowed.
 */
const PLAN_COLUMNS =
  'key text COLLATE "C", is_created boolean, is_restorable boolean, is_absent boolean, reason integer';

/** Why the previous values of a row are not allowed: the rule that they violate. */
export interface InvalidReason {
  column: CatalogColumn;
  rule: ColumnRuleKind | 'cycle';
}

/** A row that is not restored. Without a reason, it was changed since the batch. */
export interface UndoConflict {
  key: string;
  reason?: InvalidReason;
}

/** What an undo does to the rows of a table, in the temporary table `undo_plan`. */
export interface UndoPlan {
  tables: TemporaryTables;
  /** The revision of the batch that is undone. */
  undoneRevision: number;
  /** How many rows are not restored. */
  conflicts: number;
  /** The rules that previous values can violate, at the positions of `reason`. */
  reasons: readonly InvalidReason[];
}

/** A table with the plan of its undo. */
interface PlannedTable {
  table: CatalogTable;
  /** The revision of the batch. */
  undoneRevision: number;
  /** SQL: the name of the temporary table. */
  planName: string;
}

/** Undoes a batch in one table. The caller has the lock of the table. */
@Injectable()
export class UndoPlanRepository {
  constructor(
    private readonly sql: Sql,
    private readonly config: Config,
    private readonly cycles: ParentCyclesRepository,
    private readonly temporary: TemporaryTablesFactory,
    private readonly constraints: ConstraintsRepository,
    private readonly rows: RowWriter,
  ) {}

  /** Sets limits for this transaction only: those of imports, whose batches may have as many rows. */
  async begin(): Promise<void> {
    await this.sql.query(`SET LOCAL statement_timeout = '${this.config.imports.timeoutS}s'`);
    await this.sql.query(`SET LOCAL work_mem = '${WORK_MEM}'`);
  }

  /**
   * Lists the rows of a batch in a temporary table. A row is unchanged if it has the values that the batch left, or if
   * it is still absent.
   */
  async create(table: CatalogTable, { toRevision }: BatchTable, position: number): Promise<UndoPlan> {
    const tables = await this.temporary.open(table, position);
    const planName = tables.name('undo_plan');
    await this.sql.query(tables.create('undo_plan', PLAN_COLUMNS));
    await this.sql.query(
      `INSERT INTO ${planName} (key, is_created, is_restorable, is_absent) ${selectBatchRows(table)}`,
      [toRevision],
    );
    await this.sql.query(`ANALYZE ${planName}`);
    const rules = table.columns.flatMap(listRules);
    const parents = table.columns.filter(({ type }) => type === 'hierarchyParent');
    const planned = { table, undoneRevision: toRevision, planName };
    await this.rejectByRules(planned, rules);
    await this.rejectCycles(planned, tables, parents, rules.length);
    const [found] = await this.sql.query<{ conflicts: number }>(
      `SELECT count(*) FILTER (WHERE NOT is_restorable)::float8 AS conflicts FROM ${planName}`,
    );
    const { conflicts } = found!;
    const reasons = [...rules, ...parents.map((column): InvalidReason => ({ column, rule: 'cycle' }))];
    return { tables, undoneRevision: toRevision, conflicts, reasons };
  }

  /** @returns the first rows of the plan that are not restored. */
  async listConflicts({ tables, reasons, conflicts }: UndoPlan, limit: number): Promise<UndoConflict[]> {
    const found = await this.sql.query<{ key: string; reason: number | null }>(
      `SELECT key, reason FROM ${tables.name('undo_plan')} WHERE NOT is_restorable ORDER BY is_created, key LIMIT $1`,
      [Math.min(limit, conflicts)],
    );
    return found.map(({ key, reason }) => ({ key, reason: reason === null ? undefined : reasons[reason] }));
  }

  /** Rejects the rows whose previous values violate a rule that was added since. */
  private async rejectByRules(
    { table, undoneRevision, planName }: PlannedTable,
    rules: readonly ColumnRule[],
  ): Promise<void> {
    if (rules.length === 0) return;
    const violations = rules.map((rule) => violates(rule, `x.${physicalColumnName(rule.column)}`));
    const reason = violations.map((violation, position) => `WHEN ${violation} THEN ${position}`).join(' ');
    await this.sql.affected(
      `UPDATE ${planName} p SET is_restorable = false, reason = CASE ${reason} END
         FROM ${formerRowsName(table)} x
        WHERE p.is_restorable AND NOT p.is_created AND x._ended_revision = $1 AND x.${physicalKeyName(table)} = p.key
          AND (${violations.join(' OR ')})`,
      [undoneRevision],
    );
  }

  /**
   * Rejects the rows whose previous parents would create a cycle.
   *
   * @param firstReason the position of the first column.
   */
  private async rejectCycles(
    { table, undoneRevision, planName }: PlannedTable,
    tables: TemporaryTables,
    columns: readonly CatalogColumn[],
    firstReason: number,
  ): Promise<void> {
    const { length } = columns;
    // The present parent of a rejected row remains and may close another cycle: repeat until no column has one.
    for (let position = 0, acyclic = 0; acyclic < length; position = (position + 1) % length) {
      const column = columns[position]!;
      // A row that the undo deletes has no parent.
      const source = `(SELECT p.key, CASE WHEN NOT p.is_created THEN x.${physicalColumnName(column)} END AS parent_key
                         FROM ${planName} p LEFT JOIN ${formerRowsName(table)} x
                              ON x._ended_revision = ${undoneRevision} AND x.${physicalKeyName(table)} = p.key
                        WHERE p.is_restorable) s`;
      const cyclic = await this.cycles.find(tables, source, table, { column, value: 's.parent_key' });
      const rejected =
        cyclic === undefined
          ? 0
          : await this.sql.affected(
              `UPDATE ${planName} SET is_restorable = false, reason = $1 WHERE is_restorable AND key IN (${cyclic})`,
              [firstReason + position],
            );
      acyclic = rejected > 0 ? 0 : acyclic + 1;
    }
  }

  /**
   * Restores the restorable rows, and stores them as they are as former rows.
   *
   * @param revision of the restored rows.
   */
  async execute(
    table: CatalogTable,
    { tables, undoneRevision }: UndoPlan,
    change: RowChange,
    revision: number,
  ): Promise<BatchTable['counts']> {
    const plan = tables.name('undo_plan');
    const [planned] = await this.sql.query<BatchTable['counts']>(
      `SELECT count(*) FILTER (WHERE is_absent AND NOT is_created)::float8 AS created,
              count(*) FILTER (WHERE NOT is_absent AND NOT is_created)::float8 AS updated,
              count(*) FILTER (WHERE is_created)::float8 AS deleted
         FROM ${plan} WHERE is_restorable`,
    );
    const write = { revision, change };
    const select = (condition: string): KeySelection => ({
      isSelected: `IN (SELECT p.key FROM ${plan} p WHERE p.is_restorable AND ${condition})`,
      parameters: [],
    });
    const former = (keys: KeySelection, rows: number) => toFormerRows(table, undoneRevision, keys, rows);
    const changed = former(select('NOT p.is_created AND NOT p.is_absent'), planned!.updated);
    const absent = former(select('NOT p.is_created AND p.is_absent'), planned!.created);
    const counts = {
      deleted: planned!.deleted > 0 ? await this.rows.delete(table, select('p.is_created'), write) : 0,
      updated: await this.rows.update(table, changed, write),
      created: await this.rows.insert(table, absent, write),
    };
    await this.sql.query(tables.drop('undo_plan'));
    return counts;
  }

  /**
   * The restored rows that violate constraints, which may be newer than their values.
   *
   * @param revision of the undo in the table.
   */
  async findViolations(
    table: CatalogTable,
    revision: number,
    limit: number,
  ): Promise<{ total: number; first: Violation[] }> {
    const rows = { condition: `r._revision = ${revision}` };
    const first = await this.constraints.find(table, rows, limit);
    if (first.length < limit) return { total: first.length, first };
    const counts = await this.constraints.count(table, rows);
    return { total: counts.reduce((sum, count) => sum + count, 0), first };
  }
}

/**
 * A query for the rows of a batch, in the order of the columns of the plan: those that it has ended, and those that it
 * has created. The parameter is the revision of the batch.
 */
function selectBatchRows(table: CatalogTable): string {
  const rows = physicalTableName(table);
  const former = formerRowsName(table);
  const key = physicalKeyName(table);
  const ended = `SELECT f.${key} FROM ${former} f WHERE f._ended_revision = $1`;
  const written = `SELECT t.${key} FROM ${rows} t WHERE t._revision = $1
                   UNION ALL SELECT f.${key} FROM ${former} f WHERE f._revision = $1 AND f._ended_revision > $1`;
  const values = table.columns.filter(({ primaryKey }) => !primaryKey).map(physicalColumnName);
  // `a` is the row as the batch wrote it, if it was changed since. Another row may have received its key.
  const isEqual = [
    `a.${key} IS NOT NULL`,
    ...values.map((name) => `a.${name} IS NOT DISTINCT FROM t.${name}`),
    `NOT EXISTS (SELECT 1 FROM ${former} n WHERE n._renamed_to = b.key AND n._ended_revision > $1)`,
  ];
  return `
    SELECT b.key, b.is_created,
           CASE WHEN t.${key} IS NULL THEN a.${key} IS NULL ELSE t._revision = $1 OR (${isEqual.join(' AND ')}) END,
           t.${key} IS NULL
      FROM (SELECT e.${key} AS key, false AS is_created FROM (${ended}) e
            UNION ALL
            SELECT w.${key}, true FROM (${written}) w WHERE w.${key} NOT IN (${ended})) b
      LEFT JOIN ${rows} t ON t.${key} = b.key
      LEFT JOIN ${former} a ON a.${key} = b.key AND a._revision = $1 AND a._ended_revision > $1`;
}

/** The rows that a revision has ended, as they were. */
function toFormerRows(table: CatalogTable, endedRevision: number, keys: KeySelection, rows: number): Relation {
  const key = physicalKeyName(table);
  const columns = table.columns.filter(({ primaryKey }) => !primaryKey);
  return {
    from: `(SELECT x.*, x.${key} AS key FROM ${formerRowsName(table)} x
             WHERE x._ended_revision = ${endedRevision} AND x.${key} ${keys.isSelected}) s`,
    parameters: [],
    columns: columns.map((column) => ({ column, value: `s.${physicalColumnName(column)}` })),
    createdAt: 's._created_at',
    rows,
    keys,
  };
}
