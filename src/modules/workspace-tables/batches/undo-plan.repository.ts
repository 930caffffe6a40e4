import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database, PLAN_EACH_TIME } from '../../../platform/database/database.js';
import { quoteLiteral } from '../../../platform/database/sql-literal.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import type { Violation } from '../catalog/column-constraints.js';
import { ConstraintsRepository } from '../catalog/constraints.repository.js';
import { type ColumnRule, type ColumnRuleKind, listRules, violates } from '../catalog/column-rules.js';
import {
  physicalColumnName,
  physicalColumnNames,
  physicalKeyName,
  physicalTableName,
  previousRowsName,
  tombstonesName,
} from '../catalog/physical-table.js';
import { type TemporaryTables, TemporaryTablesFactory } from '../catalog/temporary-tables.js';
import type { OpenBatch } from '../history/batch-records.repository.js';
import { TOMBSTONE, tombstoneColumns } from '../history/previous-rows-sql.js';
import { ParentCyclesRepository } from '../sources/parent-cycles.repository.js';
import type { BatchTable, TableBatch } from '../history/table-batch.entity.js';

/** Memory of one join of an undo before it uses temporary files. */
const WORK_MEM = '64MB';

/**
 * `unchanged` rows are restored. The others have the position of the reason, or null if they were changed since the
 * batch.
 */
const PLAN_COLUMNS =
  'key text COLLATE "C", is_created boolean, unchanged boolean, is_deleted boolean, was_deleted boolean, revision bigint, reason integer';

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
  /** How many rows are not restored. */
  conflicts: number;
  /** The rules that previous values can violate, at the positions of `reason`. */
  reasons: readonly InvalidReason[];
}

/** The batch that an undo undoes, in one table. */
interface UndoneTable {
  table: CatalogTable;
  /** ID of the batch. */
  undone: string;
  /** SQL: the name of the plan. */
  plan: string;
}

/** Undoes a batch in one table. The caller has the lock of the table. */
@Injectable()
export class UndoPlanRepository {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly cycles: ParentCyclesRepository,
    private readonly temporary: TemporaryTablesFactory,
    private readonly constraints: ConstraintsRepository,
  ) {}

  /** Sets limits for this transaction only: those of imports, whose batches may have as many rows. */
  async begin(): Promise<void> {
    await this.database.query(`SET LOCAL statement_timeout = '${this.config.imports.timeoutS}s'`);
    await this.database.query(`SET LOCAL work_mem = '${WORK_MEM}'`);
  }

  /**
   * Lists the rows of a batch in a temporary table, and whether the batch created them. A row is unchanged if it has
   * the state that the batch left: an undo restores the state of an earlier revision. Rows whose previous values are
   * not allowed now are rejected.
   */
  async create(table: CatalogTable, batch: TableBatch, position: number): Promise<UndoPlan> {
    const { startedAt, finishedAt, toRevision, counts } = batch.tables[position]!;
    const key = physicalKeyName(table);
    const previous = previousRowsName(table);
    const rows = `(SELECT ${key} AS key, _revision AS revision, _created_at AS created_at, false AS is_deleted FROM ${physicalTableName(table)}
                   UNION ALL SELECT key, revision, created_at, true FROM ${tombstonesName(table)}) t`;
    // Joins the state that an undo has restored, if the revision of the row is that of an undo.
    const undo = `LEFT JOIN (SELECT ${key} AS key, _undo_revision, _restored FROM ${previous} WHERE _restored IS NOT NULL) r
                         ON r.key = t.key AND r._undo_revision = t.revision`;
    const state = 'coalesce(r._restored, t.revision)';
    const tables = await this.temporary.open(table, position);
    const plan = tables.name('undo_plan');
    await this.database.query(tables.create('undo_plan', PLAN_COLUMNS));
    await this.database.query(
      `INSERT INTO ${plan} (key, is_created, unchanged, is_deleted, was_deleted, revision)
         SELECT u.${key}, false, coalesce(${state} = coalesce(u._restored, $2), false),
                coalesce(t.is_deleted, false), NOT u._existed, u._revision
           FROM ${previous} u LEFT JOIN ${rows} ON t.key = u.${key} ${undo} WHERE u._batch_id = $1
         UNION ALL
         SELECT t.key, true, ${state} = $2 AND NOT t.is_deleted, false, true, 0
           FROM ${rows} ${undo}
          WHERE t.revision >= $2 AND t.created_at BETWEEN $3 AND $4
            AND NOT EXISTS (SELECT 1 FROM ${previous} u WHERE u._batch_id = $1 AND u.${key} = t.key)`,
      [batch.id, toRevision, startedAt, finishedAt],
      PLAN_EACH_TIME,
    );
    await this.database.query(`ANALYZE ${plan}`);
    const rules = table.columns.flatMap(listRules);
    const parents = table.columns.filter(({ type }) => type === 'hierarchyParent');
    const undone = { table, undone: batch.id, plan };
    await this.rejectByRules(undone, rules);
    await this.rejectCycles(undone, tables, parents, rules.length);
    const [found] = await this.database.query<{ removable: number; changed: number }>(
      `SELECT count(*) FILTER (WHERE was_deleted AND unchanged)::float8 AS removable,
              count(*) FILTER (WHERE NOT was_deleted AND NOT unchanged)::float8 AS changed FROM ${plan}`,
    );
    // A row that the batch created may have none of these keys, if it was created again since, or two of them, if it
    // had a tombstone and was renamed since.
    const conflicts = found!.changed + counts.created - found!.removable;
    const reasons = [...rules, ...parents.map((column): InvalidReason => ({ column, rule: 'cycle' }))];
    return { tables, conflicts, reasons };
  }

  /** @returns the first rows of the plan that are not restored. */
  async listConflicts({ tables, reasons, conflicts }: UndoPlan, limit: number): Promise<UndoConflict[]> {
    const found = await this.database.query<{ key: string; reason: number | null }>(
      `SELECT key, reason FROM ${tables.name('undo_plan')} WHERE NOT unchanged ORDER BY is_created, key LIMIT $1`,
      [Math.min(limit, conflicts)],
      PLAN_EACH_TIME,
    );
    return found.map(({ key, reason }) => ({ key, reason: reason === null ? undefined : reasons[reason] }));
  }

  /** Rejects the rows whose previous values violate a rule that was added since. */
  private async rejectByRules({ table, undone, plan }: UndoneTable, rules: readonly ColumnRule[]): Promise<void> {
    if (rules.length === 0) return;
    const violations = rules.map((rule) => violates(rule, `x.${physicalColumnName(rule.column)}`));
    const reason = violations.map((violation, position) => `WHEN ${violation} THEN ${position}`).join(' ');
    await this.database.affected(
      `UPDATE ${plan} p SET unchanged = false, reason = CASE ${reason} END
         FROM ${previousRowsName(table)} x
        WHERE p.unchanged AND NOT p.was_deleted AND x._batch_id = $1 AND x.${physicalKeyName(table)} = p.key
          AND (${violations.join(' OR ')})`,
      [undone],
      PLAN_EACH_TIME,
    );
  }

  /**
   * Rejects the rows whose previous parents would create a cycle.
   *
   * @param firstReason the position of the first column.
   */
  private async rejectCycles(
    { table, undone, plan }: UndoneTable,
    tables: TemporaryTables,
    columns: readonly CatalogColumn[],
    firstReason: number,
  ): Promise<void> {
    const { length } = columns;
    // The present parent of a rejected row remains and may close another cycle: repeat until no column has one.
    for (let position = 0, acyclic = 0; acyclic < length; position = (position + 1) % length) {
      const column = columns[position]!;
      // A row that the undo deletes has no parent.
      const source = `(SELECT p.key, CASE WHEN NOT p.was_deleted THEN x.${physicalColumnName(column)} END AS parent_key
                         FROM ${plan} p LEFT JOIN ${previousRowsName(table)} x
                              ON x._batch_id = ${quoteLiteral(undone)}::uuid AND x.${physicalKeyName(table)} = p.key
                        WHERE p.unchanged) s`;
      const cyclic = await this.cycles.find(tables, source, table, { column, value: 's.parent_key' });
      const rejected =
        cyclic === undefined
          ? 0
          : await this.database.affected(
              `UPDATE ${plan} SET unchanged = false, reason = $1 WHERE unchanged AND key IN (${cyclic})`,
              [firstReason + position],
              PLAN_EACH_TIME,
            );
      acyclic = rejected > 0 ? 0 : acyclic + 1;
    }
  }

  /**
   * Restores the unchanged rows, and stores their present values for the batch of the undo.
   *
   * @param undone ID of the batch of the plan.
   */
  async execute(
    table: CatalogTable,
    { tables }: UndoPlan,
    undone: string,
    batch: OpenBatch,
    revision: number,
  ): Promise<BatchTable['counts']> {
    const plan = tables.name('undo_plan');
    batch.unmeasured.add(table.id);
    for (const sql of buildUndo(table, { plan, undone, batch, revision }))
      await this.database.affected(sql, [], PLAN_EACH_TIME);
    const [counts] = await this.database.query<BatchTable['counts']>(
      `SELECT count(*) FILTER (WHERE is_deleted AND NOT was_deleted)::float8 AS created,
              count(*) FILTER (WHERE NOT is_deleted AND NOT was_deleted)::float8 AS updated,
              count(*) FILTER (WHERE was_deleted)::float8 AS deleted
         FROM ${plan} WHERE unchanged`,
    );
    await this.database.query(tables.drop('undo_plan'));
    return counts!;
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

interface Undo {
  /** SQL: the name of the plan. */
  plan: string;
  /** ID of the batch that is undone. */
  undone: string;
  /** The batch of the undo. */
  batch: OpenBatch;
  revision: number;
}

/**
 * The statements that restore the unchanged rows of the plan, in order: their present values are stored before they
 * change.
 */
function buildUndo(table: CatalogTable, { plan, undone, batch, revision }: Undo): string[] {
  const rows = physicalTableName(table);
  const tombstones = tombstonesName(table);
  const previous = previousRowsName(table);
  const key = physicalKeyName(table);
  const time = `${quoteLiteral(batch.startedAt)}::timestamptz`;
  const values = table.columns.filter(({ primaryKey }) => !primaryKey).map(physicalColumnName);
  const restored = `FROM ${plan} p JOIN ${previous} x ON x._batch_id = ${quoteLiteral(undone)}::uuid AND x.${key} = p.key
                   WHERE p.unchanged AND NOT p.was_deleted`;
  const save = (existed: boolean, columns: readonly string[], present: readonly string[], source: string) =>
    `INSERT INTO ${previous} (_batch_id, _undo_revision, _restored, _existed, ${columns.join(', ')})
     SELECT ${quoteLiteral(batch.id)}::uuid, ${revision}::bigint, coalesce(r._restored, p.revision), ${existed}, ${present.join(', ')}
       FROM ${plan} p JOIN ${source} = p.key
       LEFT JOIN (SELECT ${key} AS key, _undo_revision, _restored FROM ${previous} WHERE _restored IS NOT NULL) r
         ON r.key = p.key AND r._undo_revision = p.revision
      WHERE p.unchanged`;
  const columns = [key, ...values, '_revision', '_created_at', '_updated_at'];
  const stored = physicalColumnNames(table);
  const inserted = [key, ...values].map((name) => `x.${name}`);
  return [
    save(
      true,
      stored,
      stored.map((name) => `t.${name}`),
      `${rows} t ON t.${key}`,
    ),
    save(false, tombstoneColumns(table), [TOMBSTONE], `${tombstones} d ON d.key`),
    `UPDATE ${rows} w SET ${values.map((name) => `${name} = x.${name}, `).join('')}
            _revision = ${revision}, _created_at = x._created_at, _updated_at = ${time}
       ${restored} AND NOT p.is_deleted AND w.${key} = p.key`,
    `INSERT INTO ${rows} (${columns.join(', ')})
     SELECT ${inserted.join(', ')}, ${revision}::bigint, x._created_at, ${time} ${restored} AND p.is_deleted`,
    `DELETE FROM ${tombstones} d USING ${plan} p WHERE p.unchanged AND NOT p.was_deleted AND d.key = p.key`,
    `INSERT INTO ${tombstones} (key, revision, created_at, deleted_at)
     SELECT p.key, ${revision}::bigint, t._created_at, ${time}
       FROM ${plan} p JOIN ${rows} t ON t.${key} = p.key WHERE p.unchanged AND p.was_deleted`,
    `DELETE FROM ${rows} w USING ${plan} p WHERE p.unchanged AND p.was_deleted AND w.${key} = p.key`,
  ];
}
