import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageQueryDto } from '../../../platform/http/page.dto.js';
import { getRowPage } from '../../../records/record-pages.repository.js';
import type { ImportDto } from './dto/imports.dto.js';
import { type BegunImport, type ImportKey, TableImport } from './table-import.entity.js';

/** Statements on records of imports that are more than CRUD. */
@Injectable()
export class ImportRecordsRepository {
  constructor(private readonly database: Database) {}

  /** Inserts a record, or starts a failed one again if that is allowed. @returns false if the ID is taken. */
  async begin({ workspaceId, id }: ImportKey, begun: BegunImport): Promise<boolean> {
    const { tableId, dryRun, userId, mayRepeat } = begun;
    const affected = await this.database.affected(
      `INSERT INTO table_imports AS known (workspace_id, id, table_id, status, dry_run, created_by)
       VALUES ($1, $2, $3, 'receiving', $4, $5)
       ON CONFLICT (workspace_id, id) DO UPDATE
         SET table_id = excluded.table_id, status = excluded.status, dry_run = excluded.dry_run,
             created_by = excluded.created_by, bytes = 0, rows_read = 0, rows_written = 0, rows_failed = 0, error = NULL,
             updated_at = clock_timestamp(), finished_at = NULL
         WHERE $6 AND known.status = 'failed'`,
      [workspaceId, id, tableId, dryRun, userId, mayRepeat],
    );
    return affected > 0;
  }

  /** The imports of the workspace, newest first. @throws {InvalidCursorError} */
  listPage(workspaceId: string, { limit, cursor }: PageQueryDto): Promise<Page<ImportDto>> {
    const sql = `
      SELECT id, table_id AS "tableId", status, dry_run AS "dryRun", bytes::float8 AS bytes, rows_read::float8 AS "rowsRead",
             rows_written::float8 AS "rowsWritten", rows_failed::float8 AS "rowsFailed", error, created_by AS "createdBy",
             created_at AS "createdAt", updated_at AS "updatedAt", finished_at AS "finishedAt"
        FROM table_imports WHERE workspace_id = $1`;
    const statement = { sql, parameters: [workspaceId] };
    const identity = [TableImport.name, workspaceId];
    return getRowPage<ImportDto>(this.database, identity, statement, { limit, cursor, sort: '-createdAt' });
  }

  /** Fails the imports whose instance has not reported for a minute. */
  async failAbandoned(reason: { code: string; message: string }): Promise<void> {
    await this.database.affected(
      `UPDATE table_imports SET status = 'failed', error = $1, rows_written = 0, finished_at = clock_timestamp()
        WHERE finished_at IS NULL AND updated_at < clock_timestamp() - interval '1 minute'`,
      [JSON.stringify(reason)],
    );
  }

  /** @param batch rows at most. @returns how many were deleted. */
  deleteOld(batch: number, retentionDays: number): Promise<number> {
    return this.database.affected(
      `DELETE FROM table_imports WHERE (workspace_id, id) IN (
         SELECT workspace_id, id FROM table_imports WHERE finished_at < now() - $2 * interval '1 day'
          ORDER BY finished_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [batch, retentionDays],
    );
  }

  /** Cancels the statement that the PostgreSQL process is executing. */
  async interrupt(backendPid: number): Promise<void> {
    await this.database.query('SELECT pg_cancel_backend($1)', [backendPid]);
  }
}
