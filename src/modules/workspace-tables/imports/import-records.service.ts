import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundJobs } from '../../../platform/jobs/background-jobs.js';
import { CleanupJobs } from '../../../platform/jobs/cleanup-jobs.js';
import { Database } from '../../../platform/database/database.js';
import { getRowPage } from '../../../records/record-pages.repository.js';
import { unavailableErrorFor } from '../../../platform/http/unavailable-database.js';
import { DomainError, NotFoundError } from '../../../platform/http/domain-error.js';
import type { Page, PageQueryDto } from '../../../platform/http/page.dto.js';
import type { ImportDto } from './dto/imports.dto.js';
import { ImportFinishedError } from './imports.errors.js';
import { type ImportStatus, TableImport } from './table-import.entity.js';

/** How often an instance looks for imports that nobody carries on, in milliseconds. */
const PAUSE_MS = 2_000;

const RETENTION_DAYS = 30;

const SILENT = {
  code: 'instance_terminated',
  message: 'Its instance has not been heard of for a minute. Nothing was stored.',
};

/** Which import of which workspace. */
export interface ImportKey {
  workspaceId: string;
  id: string;
}

export interface BegunImport {
  tableId: string;
  dryRun: boolean;
  userId: string;
  /** May it take the place of one that failed? Its Idempotency-Key sees to it that only one of the two has an effect. */
  mayRepeat: boolean;
}

/** How far an import is. */
export interface ImportFigures {
  bytes: number;
  rowsRead: number;
  rowsWritten: number;
  rowsFailed: number;
}

const SELECTED = `id, table_id AS "tableId", status, dry_run AS "dryRun", bytes::float8 AS bytes, rows_read::float8 AS "rowsRead",
  rows_written::float8 AS "rowsWritten", rows_failed::float8 AS "rowsFailed", error, created_by AS "createdBy",
  created_at AS "createdAt", updated_at AS "updatedAt", finished_at AS "finishedAt"`;

const BEGIN = `INSERT INTO table_imports AS known (workspace_id, id, table_id, status, dry_run, created_by)
  VALUES ($1, $2, $3, 'receiving', $4, $5)
  ON CONFLICT (workspace_id, id) DO UPDATE
    SET table_id = excluded.table_id, status = excluded.status, dry_run = excluded.dry_run, created_by = excluded.created_by,
        bytes = 0, rows_read = 0, rows_written = 0, rows_failed = 0, error = NULL, updated_at = clock_timestamp(),
        finished_at = NULL
    WHERE $6 AND known.status = 'failed'`;

const FINISH = `UPDATE table_imports SET status = $3, bytes = $4, rows_read = $5, rows_written = $6, rows_failed = $7,
  error = $8, updated_at = clock_timestamp(), finished_at = clock_timestamp()
  WHERE workspace_id = $1 AND id = $2 AND finished_at IS NULL`;

/**
 * What is known of imports. Each is decided here: whoever ends it first, by success, failure or cancellation, has ended
 * it. Only its success is part of the import's own transaction; all else is written apart from it.
 */
@Injectable()
export class ImportRecordsService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly background: BackgroundJobs,
    private readonly cleanup: CleanupJobs,
  ) {}

  onModuleInit(): void {
    this.background.register('Failing imports that nobody carries on', () => this.failSilent());
    this.cleanup.register('records of imports', (batch) => this.removeOld(batch));
  }

  /** @returns whether it was begun: the workspace may have an import with the id already. */
  async begin({ workspaceId, id }: ImportKey, { tableId, dryRun, userId, mayRepeat }: BegunImport): Promise<boolean> {
    const begun = await this.database.affected(BEGIN, [workspaceId, id, tableId, dryRun, userId, mayRepeat]);
    return begun > 0;
  }

  /** Tells how far it is. @returns whether it is still to go on. */
  async tell({ workspaceId, id }: ImportKey, status: ImportStatus, figures: ImportFigures): Promise<boolean> {
    const told = await this.database.outsideTransaction(() =>
      this.database.affected(
        `UPDATE table_imports
            SET status = $3, bytes = $4, rows_read = $5, rows_failed = $6, updated_at = clock_timestamp()
          WHERE workspace_id = $1 AND id = $2 AND finished_at IS NULL`,
        [workspaceId, id, status, figures.bytes, figures.rowsRead, figures.rowsFailed],
      ),
    );
    return told > 0;
  }

  /** In the open transaction, where there is one. @returns false where it was ended before. */
  async succeed(place: ImportKey, figures: ImportFigures): Promise<boolean> {
    return (await this.database.affected(FINISH, parametersOf(place, 'succeeded', figures, null))) > 0;
  }

  /** Where that fails too, somebody finds in a minute that nobody carries it on. */
  async fail(place: ImportKey, figures: ImportFigures, error: unknown): Promise<void> {
    const parameters = parametersOf(place, 'failed', { ...figures, rowsWritten: 0 }, reasonOf(error));
    await this.database.outsideTransaction(() => this.database.affected(FINISH, parameters)).catch(() => undefined);
  }

  /** It never was: the request was answered with an earlier answer. */
  async forget({ workspaceId, id }: ImportKey): Promise<void> {
    await this.database.affected('DELETE FROM table_imports WHERE workspace_id = $1 AND id = $2', [workspaceId, id]);
  }

  /** Asks the backend to give up what it does. */
  async interrupt(backend: number): Promise<void> {
    await this.database.outsideTransaction(() => this.database.query('SELECT pg_cancel_backend($1)', [backend]));
  }

  /** Ends it, whichever instance carries it out. @throws {NotFoundError | ImportFinishedError} */
  async cancel(place: ImportKey): Promise<ImportDto> {
    const cancelled = await this.database.affected(
      `UPDATE table_imports SET status = 'cancelled', updated_at = clock_timestamp(), finished_at = clock_timestamp()
        WHERE workspace_id = $1 AND id = $2 AND finished_at IS NULL`,
      [place.workspaceId, place.id],
    );
    const found = await this.get(place);
    if (cancelled === 0) throw new ImportFinishedError(found.status);
    return found;
  }

  /** @throws {NotFoundError} */
  async get({ workspaceId, id }: ImportKey): Promise<ImportDto> {
    const [found] = await this.database.query<ImportDto>(
      `SELECT ${SELECTED} FROM table_imports WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, id],
    );
    if (!found) throw new NotFoundError('The import');
    return found;
  }

  /** The workspace's, the newest first. @throws {InvalidCursorError} */
  page(workspaceId: string, { limit, cursor }: PageQueryDto): Promise<Page<ImportDto>> {
    const sql = `SELECT ${SELECTED} FROM table_imports WHERE workspace_id = $1`;
    const rows = { sql, parameters: [workspaceId] };
    return getRowPage<ImportDto>(this.database, [TableImport.name, workspaceId], rows, {
      limit,
      cursor,
      sort: '-createdAt',
    });
  }

  private async failSilent(): Promise<number> {
    await this.database.affected(
      `UPDATE table_imports SET status = 'failed', error = $1, rows_written = 0, finished_at = clock_timestamp()
        WHERE finished_at IS NULL AND updated_at < clock_timestamp() - interval '1 minute'`,
      [JSON.stringify(SILENT)],
    );
    return PAUSE_MS;
  }

  private removeOld(batch: number): Promise<number> {
    return this.database.affected(
      `DELETE FROM table_imports WHERE (workspace_id, id) IN (
         SELECT workspace_id, id FROM table_imports WHERE finished_at < now() - $2 * interval '1 day'
          ORDER BY finished_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [batch, RETENTION_DAYS],
    );
  }
}

function parametersOf({ workspaceId, id }: ImportKey, status: ImportStatus, figures: ImportFigures, error: unknown) {
  const { bytes, rowsRead, rowsWritten, rowsFailed } = figures;
  return [workspaceId, id, status, bytes, rowsRead, rowsWritten, rowsFailed, error && JSON.stringify(error)];
}

/** What a record tells of a failure: no more than an answer would. */
function reasonOf(error: unknown): { code: string; message: string } {
  const known = error instanceof DomainError ? error : unavailableErrorFor(error);
  if (known) return { code: known.code, message: known.message };
  return { code: 'internal_error', message: 'Something went wrong on our side. Nothing was stored.' };
}
