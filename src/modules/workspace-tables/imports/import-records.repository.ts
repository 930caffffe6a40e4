import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { readPage, type Page } from '../../../../packages/sql/src/page-reader.js';
import { DomainError, NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import type { PageQueryDto } from '../../../platform/http/page.dto.js';
import { unavailableErrorFor } from '../../../platform/http/unavailable-database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { RECORD_ERRORS } from '../../../records/records.errors.js';
import { getRowPage } from '../../../records/row-pages.repository.js';
import { type LoadRef, selectOwnEvents, selectOwnLoads } from '../catalog/own-loads.repository.js';
import { findPolicyVersion, type View } from '../../../../packages/tables/src/catalog/view.js';
import { EventsService } from '../../events/events.service.js';
import { ImportCancelledDto, ImportFailedDto, ImportProposedDto, ImportSucceededDto } from './dto/import-events.dto.js';
import type { ImportDto } from './dto/imports.dto.js';
import {
  type BegunImport,
  type ImportFailure,
  type ImportKey,
  type ImportProgress,
  type ImportStatus,
  TableImport,
  TableImportErrors,
} from './table-import.entity.js';

const IS_ABANDONED = "finished_at IS NULL AND updated_at < statement_timestamp() - interval '1 minute'";

export const RETENTION_DAYS = 30;

const ABANDONED = {
  code: 'instance_terminated',
  message: 'The instance that executed the import has not reported for a minute. Nothing was stored.',
};

const EVENTS = {
  succeeded: ImportSucceededDto,
  proposed: ImportProposedDto,
  failed: ImportFailedDto,
  cancelled: ImportCancelledDto,
};

const now = () => 'statement_timestamp()';

/** Columns whose values may be large. */
const SIZED = ['options', 'error'];

/** The imports of the workspace `$1`. */
const selectImports = (details = '') => `
  SELECT id, table_id AS "tableId", table_ref AS "table", options, file_name AS "fileName", sha256${details}, status, dry_run AS "dryRun", bytes::float8 AS bytes, rows_read::float8 AS "rowsRead",
         rows_written::float8 AS "rowsWritten", rows_failed::float8 AS "rowsFailed",
         CASE WHEN error IS NOT NULL THEN error${details === '' ? " - 'details'" : ''} END AS error, created_by AS "createdBy",
         created_at AS "createdAt", updated_at AS "updatedAt", finished_at AS "finishedAt"
    FROM table_imports WHERE workspace_id = $1`;

/**
 * Records of imports. The first to finish a record, by success, failure or cancellation, decides the outcome of the
 * import. Only the success is part of the import's transaction; everything else is written outside the transaction.
 */
@Injectable()
export class ImportRecordsRepository implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly events: EventsService,
  ) {}

  onModuleInit(): void {
    const due = `SELECT workspace_id FROM table_imports WHERE ${IS_ABANDONED}`;
    this.jobs.processQueue({ name: 'Failing abandoned imports', due, run: () => this.failAbandoned() });
    for (const dto of Object.values(EVENTS)) {
      this.events.complete(dto, (...entries) => this.completeEvents(...entries));
      this.events.restrict(dto, (workspaceId, data) => {
        const ids = (data as { import: { id: string } }[]).map((event) => event.import.id);
        return selectOwnEvents(this.database, 'table_imports', workspaceId, data, ids);
      });
    }
    this.jobs.cleanUp('records of imports', (batch) => this.deleteOld(batch));
  }

  /** Inserts a record, or starts a failed one again if that is allowed. @returns false if the ID is taken. */
  async begin({ view, id }: LoadRef, begun: BegunImport): Promise<boolean> {
    const { workspaceId } = view;
    const { table, dryRun, options, fileName, userId, mayRepeat } = begun;
    const affected = await this.database.affected(
      `INSERT INTO table_imports AS known (workspace_id, id, table_id, status, dry_run, created_by, table_ref, options, file_name, policy_version)
       VALUES ($1, $2, $3, 'receiving', $4, $5, $7, $8, $9, $10)
       ON CONFLICT (workspace_id, id) DO UPDATE
         SET table_id = excluded.table_id, status = excluded.status, dry_run = excluded.dry_run,
             created_by = excluded.created_by, table_ref = excluded.table_ref, options = excluded.options,
             file_name = excluded.file_name, policy_version = excluded.policy_version, sha256 = NULL, report = NULL, bytes = 0, rows_read = 0, rows_written = 0, rows_failed = 0, error = NULL,
             updated_at = excluded.updated_at, finished_at = NULL
         WHERE $6 AND known.status = 'failed'`,
      [
        workspaceId,
        id,
        table?.id ?? null,
        dryRun,
        userId,
        mayRepeat,
        table,
        options,
        fileName ?? null,
        findPolicyVersion(view) ?? null,
      ],
    );
    if (affected > 0 && mayRepeat)
      await this.database.repository(TableImportErrors).delete({ workspaceId, importId: id });
    return affected > 0;
  }

  /** The ID of the PostgreSQL process that executes the open transaction. */
  async getBackendPid(): Promise<number> {
    const [row] = await this.database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return row!.pid;
  }

  /** @returns false if the import is already finished. */
  reportProgress(key: ImportKey, status: ImportStatus, progress: ImportProgress): Promise<boolean> {
    const { bytes, rowsRead, rowsFailed } = progress;
    return this.database.outsideTransaction(() => this.updateOpen(key, { status, bytes, rowsRead, rowsFailed }));
  }

  async setHash(key: ImportKey, sha256: string): Promise<void> {
    await this.database.outsideTransaction(() => this.updateOpen(key, { sha256 }));
  }

  /** Part of the open transaction, if there is one. @returns false if the import is already finished. */
  succeed(
    key: ImportKey,
    progress: ImportProgress,
    report: object,
    status: 'succeeded' | 'proposed',
  ): Promise<boolean> {
    return this.finish(key, { ...progress, report, status });
  }

  /** If this fails too, another instance finds the abandoned import after a minute. */
  async fail(key: ImportKey, progress: ImportProgress, error: unknown): Promise<void> {
    const failed = { ...progress, rowsWritten: 0, status: 'failed', error: toReason(error) } as const;
    await this.database.outsideTransaction(() => this.finish(key, failed)).catch(() => undefined);
  }

  /** The import was not executed, since its Idempotency-Key has a stored response. */
  async delete({ workspaceId, id }: ImportKey): Promise<void> {
    await this.database.repository(TableImport).delete({ workspaceId, id });
  }

  /** Cancels the statement that the PostgreSQL process is executing. */
  async interrupt(backendPid: number): Promise<void> {
    const cancel = () => this.database.query('SELECT pg_cancel_backend($1::int)', [backendPid]);
    await this.database.outsideTransaction(cancel);
  }

  /** Cancels an import of any instance. @throws {NotFoundError | DomainError} `already_finished` */
  async cancel(ref: LoadRef): Promise<ImportDto> {
    await this.get(ref);
    const isCancelled = await this.finish({ workspaceId: ref.view.workspaceId, id: ref.id }, { status: 'cancelled' });
    const found = await this.get(ref);
    if (!isCancelled) {
      const message = `The import cannot be cancelled: its status is already "${found.status}".`;
      throw new DomainError(RECORD_ERRORS.already_finished, message);
    }
    return found;
  }

  /** @throws {NotFoundError} also if the access policies of the caller hide it. */
  async get({ view, id }: LoadRef): Promise<ImportDto> {
    const own = selectOwnLoads(view, 3);
    const [found] = await this.database.query<ImportDto>(`${selectImports(', report')} AND id = $2${own.sql}`, [
      view.workspaceId,
      id,
      ...own.parameters,
    ]);
    if (!found) throw new NotFoundError('The import');
    return found;
  }

  /** The imports of the workspace that the caller may read, newest first. @throws {InvalidCursorError} */
  list(view: View, { limit, cursor }: PageQueryDto): Promise<Page<ImportDto>> {
    const own = selectOwnLoads(view, 2);
    const statement = {
      sql: `${selectImports()}${own.sql}`,
      parameters: [view.workspaceId, ...own.parameters],
      sized: SIZED,
    };
    const identity = [TableImport.name, view.workspaceId];
    return getRowPage<ImportDto>(this.database, identity, statement, { limit, cursor, sort: '-createdAt' });
  }

  /**
   * Stores a part of the errors of an import, outside the transaction of the import, since it is rolled back if it
   * fails.
   */
  async appendErrors({ workspaceId, id: importId }: ImportKey, position: number, content: Buffer): Promise<void> {
    const part = { workspaceId, importId, position, content };
    await this.database.outsideTransaction(() => this.database.repository(TableImportErrors).insert(part));
  }

  /** The parts of the errors in order, one at a time. */
  async *readErrors({ workspaceId, id: importId }: ImportKey): AsyncGenerator<Buffer> {
    for (let position = 0; ; position++) {
      const part = await this.database
        .repository(TableImportErrors)
        .findOne({ where: { workspaceId, importId, position } });
      if (!part) return;
      yield part.content;
    }
  }

  /** @returns false if the import is already finished. */
  private async updateOpen({ workspaceId, id }: ImportKey, changes: ImportChanges): Promise<boolean> {
    const records = this.database.repository(TableImport);
    const { affected } = await records.update(
      { workspaceId, id, finishedAt: IsNull() },
      { ...changes, updatedAt: now },
    );
    return affected === 1;
  }

  /** Ends an open import, with its event unless it is a dry run. @returns false if the import is already finished. */
  private finish(key: ImportKey, changes: ImportChanges & { status: keyof typeof EVENTS }): Promise<boolean> {
    return this.database.transaction(async () => {
      if (!(await this.updateOpen(key, { ...changes, finishedAt: now }))) return false;
      const { workspaceId, id } = key;
      const isTried = await this.database.repository(TableImport).existsBy({ workspaceId, id, dryRun: true });
      if (!isTried) await this.events.recordReference(workspaceId, EVENTS[changes.status], { importId: id });
      return true;
    });
  }

  private async completeEvents(workspaceId: string, entries: readonly object[]): Promise<(object | undefined)[]> {
    const ids = (entries as { importId: string }[]).map(({ importId }) => importId);
    const sql = `${selectImports()} AND id = ANY ($2::uuid[]) ORDER BY array_position($2::uuid[], id)`;
    const statement = { sql, parameters: [workspaceId, ids], sized: SIZED };
    const { items, hasMore } = await readPage<ImportDto>(this.database, statement, ids.length);
    const unread = new Set(hasMore ? ids.slice(ids.indexOf(items.at(-1)!.id) + 1) : []);
    const byId = new Map(items.map((each) => [each.id, each]));
    return ids.map((id) => (unread.has(id) ? undefined : { import: byId.get(id) ?? { id } }));
  }

  /** Fails the imports whose instance has not reported for a minute. */
  private async failAbandoned(): Promise<undefined> {
    const abandoned = await this.database.queryAllWorkspaces<ImportKey>(
      (isReachable) =>
        `SELECT workspace_id AS "workspaceId", id FROM table_imports WHERE ${IS_ABANDONED} AND ${isReachable('workspace_id')}`,
    );
    for (const key of abandoned) await this.database.transaction(() => this.failIfAbandoned(key));
  }

  private async failIfAbandoned({ workspaceId, id }: ImportKey): Promise<void> {
    const [failed] = await this.database.query<{ dryRun: boolean }>(
      `UPDATE table_imports SET status = 'failed', error = $3, rows_written = 0, finished_at = statement_timestamp()
        WHERE workspace_id = $1 AND id = $2 AND ${IS_ABANDONED} RETURNING dry_run AS "dryRun"`,
      [workspaceId, id, JSON.stringify(ABANDONED)],
    );
    if (failed && !failed.dryRun) await this.events.recordReference(workspaceId, EVENTS.failed, { importId: id });
  }

  /** @param batch rows at most. @returns how many were deleted. */
  private deleteOld(batch: number): Promise<number> {
    return this.database.affected(
      `WITH old AS MATERIALIZED (
         SELECT workspace_id, id FROM table_imports WHERE finished_at < now() - $2 * interval '1 day'
          ORDER BY finished_at LIMIT $1)
       DELETE FROM table_imports i USING old WHERE i.workspace_id = old.workspace_id AND i.id = old.id`,
      [batch, RETENTION_DAYS],
    );
  }
}

type ImportChanges = Partial<Pick<TableImport, 'status' | 'error' | 'sha256' | 'report' | keyof ImportProgress>> & {
  finishedAt?: () => string;
};

/** What a record states about a failure: no more than a response does. */
function toReason(error: unknown): ImportFailure {
  const known = error instanceof DomainError ? error : unavailableErrorFor(error);
  if (known) return { code: known.code, message: known.message, details: known.details };
  return { code: 'internal_error', message: 'An internal error occurred. Nothing was stored.' };
}
