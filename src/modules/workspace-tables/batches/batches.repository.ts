import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database, PLAN_EACH_TIME } from '../../../platform/database/database.js';
import { NotFoundError } from '../../../platform/http/domain-error.js';
import type { Page, PageQueryDto } from '../../../platform/http/page.dto.js';
import { claimOne, MAX_CANDIDATES } from '../../../platform/jobs/claim-one.js';
import { CleanupJobs } from '../../../platform/jobs/cleanup-jobs.js';
import { getRowPage } from '../../../records/row-pages.repository.js';
import { CatalogWrites } from '../catalog/catalog-writes.repository.js';
import { previousRowsName } from '../catalog/physical-table.js';
import { TableBatch } from '../history/table-batch.entity.js';
import type { BatchDto } from './dto/batches.dto.js';

const RETENTION_DAYS = 30;

const pick = (fields: readonly string[], from: string) =>
  fields.map((name) => `'${name}', ${from}->'${name}'`).join(', ');
const COUNTS = pick(['created', 'updated', 'deleted'], "t->'counts'");
/** SQL: an element `t` of the tables of a batch, with its fields in the order of the response. */
const TABLE = `json_build_object(${pick(['id', 'entity', 'name', 'fromRevision', 'toRevision'], 't')}, 'counts', json_build_object(${COUNTS}))`;

interface BatchKey {
  workspaceId: string;
  id: string;
}

@Injectable()
export class BatchesRepository implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly cleanup: CleanupJobs,
    private readonly config: Config,
    private readonly catalog: CatalogWrites,
  ) {}

  onModuleInit(): void {
    this.cleanup.register('previous values of rows', (rows) => this.purge(rows));
    this.cleanup.register('batches', (batch) => this.deleteOld(batch));
  }

  /** The batches of the workspace, newest first. @throws {InvalidCursorError} */
  list(workspaceId: string, { limit, cursor }: PageQueryDto): Promise<Page<BatchDto>> {
    const statement = { sql: this.select(), parameters: [workspaceId], sized: ['tables'] };
    const identity = [TableBatch.name, workspaceId];
    return getRowPage<BatchDto>(this.database, identity, statement, { limit, cursor, sort: '-createdAt' });
  }

  /** @throws {NotFoundError} */
  async get({ workspaceId, id }: BatchKey): Promise<BatchDto> {
    const [found] = await this.database.query<BatchDto>(`${this.select()} AND b.id = $2`, [workspaceId, id]);
    if (!found) throw new NotFoundError('The batch');
    return found;
  }

  /** Locks the batch until the transaction ends. @throws {NotFoundError} */
  async lock({ workspaceId, id }: BatchKey): Promise<TableBatch> {
    const found = await this.database
      .repository(TableBatch)
      .findOne({ where: { workspaceId, id }, lock: { mode: 'pessimistic_write' } });
    if (!found) throw new NotFoundError('The batch');
    return found;
  }

  async setUndone({ workspaceId, id }: BatchKey, undoneBy: string): Promise<void> {
    await this.database.repository(TableBatch).update({ workspaceId, id }, { undoneBy });
  }

  /** The batches of the workspace `$1`. */
  private select(): string {
    const table = `(t->>'id')::uuid`;
    return `
      SELECT b.id, b.source, b.undoes, b.undone_by AS "undoneBy", b.created_by AS "createdBy", b.created_at AS "createdAt",
             (SELECT coalesce(json_agg(${TABLE}), '[]')
                FROM jsonb_array_elements(b.tables) t) AS tables,
             b.undone_by IS NULL AND NOT ${this.isExpired('$1')}
               AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(b.tables) t WHERE NOT EXISTS (
                 SELECT 1 FROM workspace_tables w WHERE w.workspace_id = $1 AND w.id = ${table})) AS undoable
        FROM table_batches b WHERE b.workspace_id = $1`;
  }

  /**
   * SQL: are the previous values of the batch `b` removed, too old, or beyond the limit of bytes? The newest remain.
   */
  private isExpired(workspaceId = 'b.workspace_id'): string {
    const { undoDays, undoMaxBytes } = this.config.tables;
    return `(b.purged_at IS NOT NULL OR b.created_at < statement_timestamp() - interval '${undoDays} days'
             OR (SELECT sum(n.undo_bytes) FROM table_batches n
                  WHERE n.workspace_id = ${workspaceId} AND n.id >= b.id AND n.purged_at IS NULL) > ${undoMaxBytes})`;
  }

  /** Removes previous rows of one expired batch. @param rows at most. @returns `rows` if there may be more. */
  private async purge(rows: number): Promise<number> {
    const expired = await this.database.queryAllWorkspaces<BatchKey>(
      (isReachable) => `
       SELECT b.workspace_id AS "workspaceId", b.id FROM table_batches b
        WHERE ${isReachable('b.workspace_id')} AND b.purged_at IS NULL AND ${this.isExpired()}
        ORDER BY b.created_at LIMIT ${MAX_CANDIDATES}`,
    );
    const purge = (key: BatchKey) => this.database.transaction(() => this.purgeRows(key, rows));
    return (await claimOne(expired, (key) => this.catalog.readWithRetry(() => purge(key)))) ?? 0;
  }

  /** @returns undefined if another instance removes the rows of the batch. */
  private async purgeRows({ workspaceId, id }: BatchKey, rows: number): Promise<number | undefined> {
    const [batch] = await this.database.query<Pick<TableBatch, 'tables'>>(
      `SELECT b.tables FROM table_batches b
        WHERE b.workspace_id = $1 AND b.id = $2 AND b.purged_at IS NULL AND ${this.isExpired('$1')} FOR UPDATE SKIP LOCKED`,
      [workspaceId, id],
    );
    if (!batch) return undefined;
    const ids = batch.tables.map(({ id }) => id);
    let removed = 0;
    for (const table of await this.catalog.listByIds(workspaceId, ids)) {
      const name = previousRowsName(table);
      removed += await this.database.affected(
        `DELETE FROM ${name} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${name} WHERE _batch_id = $1 LIMIT $2))`,
        [id, rows - removed],
        PLAN_EACH_TIME,
      );
    }
    if (removed < rows)
      await this.database.repository(TableBatch).update({ workspaceId, id }, { purgedAt: () => 'now()' });
    return rows;
  }

  private deleteOld(batch: number): Promise<number> {
    return this.database.affected(
      `WITH old AS MATERIALIZED (
         SELECT workspace_id, id FROM table_batches
          WHERE purged_at IS NOT NULL AND created_at < now() - $2 * interval '1 day' LIMIT $1)
       DELETE FROM table_batches b USING old WHERE b.workspace_id = old.workspace_id AND b.id = old.id`,
      [batch, Math.max(RETENTION_DAYS, this.config.tables.undoDays)],
    );
  }
}
