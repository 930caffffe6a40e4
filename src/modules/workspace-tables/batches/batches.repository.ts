import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import type { PageQueryDto } from '../../../platform/http/page.dto.js';
import type { Page } from '../../../../packages/sql/src/page-reader.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { getRowPage } from '../../../records/row-pages.repository.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import { RowHistory } from '../../../../packages/tables/src/catalog/row-history.js';
import { isRestricted, type View } from '../../../../packages/tables/src/catalog/view.js';
import { TableBatch } from '../history/table-batch.entity.js';
import type { BatchDto } from './dto/batches.dto.js';

/** Days for which a batch remains at least. */
const RETENTION_DAYS = 30;

const pick = (fields: readonly string[], from: string) =>
  fields.map((name) => `'${name}', ${from}->'${name}'`).join(', ');
const COUNTS = pick(['created', 'updated', 'deleted'], "t->'counts'");
/**
 * SQL: an element `t` of the tables of a batch, with its fields in the order of the response.
 *
 * @param counts SQL
 */
const toTable = (counts: string) =>
  `json_build_object(${pick(['id', 'entity', 'name', 'fromRevision', 'toRevision'], 't')}, 'counts', ${counts})`;

interface BatchKey {
  workspaceId: string;
  id: string;
}

@Injectable()
export class BatchesRepository implements OnModuleInit {
  /** SQL: are the former rows of the batch `b` in the table `w` still stored? */
  private readonly hasFormerRows: string;

  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    history: RowHistory,
    private readonly catalog: CatalogRepository,
  ) {
    this.hasFormerRows = `b.created_at > statement_timestamp() - ${history.selectInterval('w')}`;
  }

  onModuleInit(): void {
    this.jobs.cleanUp('batches', (batch) => this.deleteOld(batch));
  }

  /** The batches of the workspace that the caller may know, newest first. @throws {InvalidCursorError} */
  async list(view: View, { limit, cursor }: PageQueryDto): Promise<Page<BatchDto>> {
    const known = await this.selectKnown(view);
    const statement = { sql: known.sql, parameters: known.parameters, sized: ['tables'] };
    const identity = [TableBatch.name, view.workspaceId];
    return getRowPage<BatchDto>(this.database, identity, statement, { limit, cursor, sort: '-createdAt' });
  }

  /** @throws {NotFoundError} also if an access policy permits none of its tables. */
  async get({ view, id }: { view: View; id: string }): Promise<BatchDto> {
    const { sql, parameters } = await this.selectKnown(view);
    const values = [...parameters, id];
    const [found] = await this.database.query<BatchDto>(`${sql} AND b.id = $${values.length}`, values);
    if (!found) throw new NotFoundError('The batch');
    return found;
  }

  /** As `get`, with all tables. @throws {NotFoundError} */
  async getWhole({ workspaceId, id }: BatchKey): Promise<BatchDto> {
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

  /**
   * The batches of the workspace `$1` with a table that exists for the caller. The numbers of rows of a table of which
   * the caller may not read all rows are null.
   */
  private async selectKnown(view: View): Promise<{ sql: string; parameters: unknown[] }> {
    const { workspaceId } = view;
    if (!isRestricted(view)) return { sql: this.select(), parameters: [workspaceId] };
    const tables = await this.catalog.listAll(view);
    const limited = tables.filter(({ permission }) => permission?.rows);
    const isListed = (number: number) => `(t->>'id')::uuid = ANY ($${number}::uuid[])`;
    const sql = `${this.select(isListed(2), `CASE WHEN NOT ${isListed(3)} THEN json_build_object(${COUNTS}) END`)}
      AND EXISTS (SELECT 1 FROM jsonb_array_elements(b.tables) t WHERE ${isListed(2)})`;
    return { sql, parameters: [workspaceId, tables.map(({ id }) => id), limited.map(({ id }) => id)] };
  }

  /**
   * The batches of the workspace `$1`.
   *
   * @param isKnown SQL: is the element `t` listed?
   * @param counts SQL: its numbers of rows.
   */
  private select(isKnown = 'true', counts = `json_build_object(${COUNTS})`): string {
    const table = `(t->>'id')::uuid`;
    return `
      SELECT b.id, b.source, b.undoes, b.undone_by AS "undoneBy", b.created_by AS "createdBy", b.created_at AS "createdAt",
             (SELECT coalesce(json_agg(${toTable(counts)}), '[]')
                FROM jsonb_array_elements(b.tables) t WHERE ${isKnown}) AS tables,
             b.undone_by IS NULL AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(b.tables) t WHERE NOT EXISTS (
               SELECT 1 FROM workspace_tables w
                WHERE w.workspace_id = $1 AND w.id = ${table} AND ${this.hasFormerRows}
                  AND (t->>'toRevision' = t->>'fromRevision' OR (t->>'toRevision')::bigint > w.history_since))) AS undoable
        FROM table_batches b WHERE b.workspace_id = $1`;
  }

  /** Deletes batches whose former rows are no longer stored. @param batch at most. */
  private deleteOld(batch: number): Promise<number> {
    return this.database.affected(
      `WITH old AS MATERIALIZED (
         SELECT b.workspace_id, b.id FROM table_batches b
          WHERE b.created_at < now() - $2 * interval '1 day' AND NOT EXISTS (
            SELECT 1 FROM workspace_tables w, jsonb_array_elements(b.tables) t
             WHERE w.workspace_id = b.workspace_id AND w.id = (t->>'id')::uuid AND ${this.hasFormerRows})
          LIMIT $1)
       DELETE FROM table_batches b USING old WHERE b.workspace_id = old.workspace_id AND b.id = old.id`,
      [batch, RETENTION_DAYS],
    );
  }
}
