import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { PLAN_EACH_TIME } from '../../../platform/database/statement-options.js';
import { quoteLiteral } from '../../../platform/database/sql-literal.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { findParentColumn } from '../catalog/column-finder.js';
import {
  physicalColumnName,
  physicalColumnNames,
  physicalKeyName,
  physicalTableName,
  previousRowsName,
} from '../catalog/physical-table.js';
import { PhysicalTablesRepository } from '../catalog/physical-tables.repository.js';
import { TemporaryTables } from '../catalog/temporary-tables.repository.js';
import type { OpenBatch } from '../engine/open-batch.js';
import { ROW_BYTES, SAVED_BYTES, selectPrevious } from '../engine/undo-sql.js';
import { createParents, dropParents, listRootless } from '../engine/staging-sql.js';
import type { BatchTable, TableBatch } from '../engine/table-batch.entity.js';

/** Memory of one join of an undo before it uses temporary files. */
const WORK_MEM = '64MB';

const PLAN_COLUMNS =
  'key text COLLATE "C", is_created boolean, unchanged boolean, is_deleted boolean, was_deleted boolean, revision bigint';

/** A row that was changed since the batch. The key is null if the row was deleted and created again. */
interface ChangedRow {
  key: string;
}

/** What an undo does to the rows of a table, in the temporary table `undo_plan`. */
export interface UndoPlan {
  tables: TemporaryTables;
  /** How many rows were changed since the batch. */
  changed: number;
}

/** Undoes a batch in one table. The caller has the lock of the table. */
@Injectable()
export class UndoPlanRepository {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly physical: PhysicalTablesRepository,
  ) {}

  /** Upgrades the tables, and sets limits for this transaction only: those of imports, whose batches may have as many rows. */
  async begin(tables: readonly CatalogTable[]): Promise<void> {
    for (const table of tables) await this.physical.upgradeLayout(table);
    await TemporaryTables.begin(this.database);
    await this.database.query(`SET LOCAL statement_timeout = '${this.config.imports.timeoutS}s'`);
    await this.database.query(`SET LOCAL work_mem = '${WORK_MEM}'`);
  }

  /**
   * Lists the rows of a batch in a temporary table, and whether the batch created them. A row is unchanged if it has the
   * revision of the batch, or if later changes were undone: then an undo has restored that revision.
   */
  async create(table: CatalogTable, batch: TableBatch, position: number): Promise<UndoPlan> {
    const { startedAt, finishedAt, toRevision, counts } = batch.tables[position]!;
    const rows = physicalTableName(table);
    const key = physicalKeyName(table);
    const previous = previousRowsName(table);
    const unchanged = `(t._revision = $2 OR EXISTS (SELECT 1 FROM ${previous} r
                         WHERE r.${key} = t.${key} AND r._undo_revision = t._revision AND r._restored = $2))`;
    const tables = TemporaryTables.open(this.database, table, position);
    const plan = tables.name('undo_plan');
    await this.database.query(tables.create('undo_plan', PLAN_COLUMNS));
    await this.database.query(
      `INSERT INTO ${plan}
         SELECT u.${key}, false, coalesce(${unchanged}, false), t._deleted_at IS NOT NULL, u._deleted_at IS NOT NULL, u._revision
           FROM ${previous} u LEFT JOIN ${rows} t ON t.${key} = u.${key} WHERE u._batch_id = $1
         UNION ALL
         SELECT t.${key}, true, ${unchanged} AND t._deleted_at IS NULL, false, true, 0
           FROM ${rows} t
          WHERE t._revision >= $2 AND t._created_at BETWEEN $3 AND $4
            AND NOT EXISTS (SELECT 1 FROM ${previous} u WHERE u._batch_id = $1 AND u.${key} = t.${key})`,
      [batch.id, toRevision, startedAt, finishedAt],
      PLAN_EACH_TIME,
    );
    await this.database.query(`ANALYZE ${plan}`);
    const [found] = await this.database.query<{ created: number; changed: number }>(
      `SELECT count(*) FILTER (WHERE was_deleted)::float8 AS created,
              count(*) FILTER (WHERE NOT unchanged)::float8 AS changed FROM ${plan}`,
    );
    // Rows that were deleted and created again since cannot be found by their keys.
    return { tables, changed: found!.changed + Math.max(0, counts.created - found!.created) };
  }

  /** @returns the first rows of the plan that were changed since. */
  listChanged({ tables }: UndoPlan, limit: number): Promise<ChangedRow[]> {
    return this.database.query<ChangedRow>(
      `SELECT key FROM ${tables.name('undo_plan')} WHERE NOT unchanged ORDER BY key LIMIT $1`,
      [limit],
      PLAN_EACH_TIME,
    );
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
    const rows = physicalTableName(table);
    const key = physicalKeyName(table);
    const previous = previousRowsName(table);
    const plan = tables.name('undo_plan');
    const values = table.columns.filter(({ primaryKey }) => !primaryKey).map(physicalColumnName);
    const stamps = `_revision = ${revision}, _updated_at = statement_timestamp()`;
    const present = `
      SELECT ${quoteLiteral(batch.id)}::uuid, ${revision}::bigint, coalesce(r._restored, p.revision), ${selectPrevious(table, 't')}
        FROM ${plan} p
        JOIN ${rows} t ON t.${key} = p.key
        LEFT JOIN (SELECT ${key} AS key, _undo_revision, _restored FROM ${previous} WHERE _restored IS NOT NULL) r
          ON r.key = p.key AND r._undo_revision = p.revision
       WHERE p.unchanged`;
    const saved = `
      INSERT INTO ${previous} AS u (_batch_id, _undo_revision, _restored, ${physicalColumnNames(table).join(', ')}) ${present}`;
    const restored = `
      UPDATE ${rows} w SET ${[...values.map((name) => `${name} = x.${name}`), stamps].join(', ')}, _created_at = x._created_at,
             _deleted_at = CASE WHEN x._deleted_at IS NULL THEN NULL ELSE clock.time END
        FROM ${plan} p JOIN ${previous} x ON x._batch_id = ${quoteLiteral(undone)}::uuid AND x.${key} = p.key
       CROSS JOIN (SELECT statement_timestamp() AS time) clock
       WHERE p.unchanged AND NOT p.is_created AND w.${key} = p.key`;
    const removed = `
      UPDATE ${rows} w SET ${[...values.map((name) => `${name} = NULL`), stamps, '_deleted_at = statement_timestamp()'].join(', ')}
        FROM ${plan} p WHERE p.unchanged AND p.is_created AND w.${key} = p.key`;
    const count = (bytes: string) => `
      SELECT count(*) FILTER (WHERE is_deleted AND NOT was_deleted)::float8 AS created,
             count(*) FILTER (WHERE NOT is_deleted AND NOT was_deleted)::float8 AS updated,
             count(*) FILTER (WHERE was_deleted)::float8 AS deleted, ${bytes} AS bytes
        FROM ${plan} WHERE unchanged`;
    const together = `
      WITH saved AS (${saved} RETURNING ${ROW_BYTES} AS bytes), restored AS (${restored}), removed AS (${removed}) ${count(SAVED_BYTES)}`;
    // A cluster executes each of them on the node of the table, but not the statement of all (`copyPrevious`).
    if (this.database.isDistributed) {
      batch.unmeasured.add(table.id);
      for (const sql of [saved, restored, removed]) await this.database.query(sql, [], PLAN_EACH_TIME);
    }
    const [counts] = await this.database.query<BatchTable['counts'] & { bytes: number }>(
      this.database.isDistributed ? count('0') : together,
      [],
      PLAN_EACH_TIME,
    );
    await this.database.query(tables.drop('undo_plan'));
    const { bytes, ...changed } = counts!;
    batch.undoBytes += bytes;
    return changed;
  }

  /** Rows of the revision that are on a cycle of parents, or below one. */
  async findCyclicKeys(table: CatalogTable, revision: number): Promise<string[]> {
    const column = findParentColumn(table);
    if (!column) return [];
    const source = `(SELECT t.${physicalKeyName(table)} AS key, t.${physicalColumnName(column)} AS parent_key
                       FROM ${physicalTableName(table)} t WHERE t._revision = ${revision} AND t._deleted_at IS NULL) s`;
    const tables = TemporaryTables.open(this.database, table);
    await this.database.query(createParents(tables, source, table, { column, value: 's.parent_key' }));
    const rootless = await this.database.query<ChangedRow>(listRootless(tables));
    await this.database.query(dropParents(tables));
    return rootless.map(({ key }) => key);
  }
}
