import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { DomainError, NotFoundError } from '../../../platform/http/domain-error.js';
import type { Page, PageQueryDto } from '../../../platform/http/page.dto.js';
import { unavailableErrorFor } from '../../../platform/http/unavailable-database.js';
import { BackgroundJobs } from '../../../platform/jobs/background-jobs.js';
import { CleanupJobs } from '../../../platform/jobs/cleanup-jobs.js';
import type { ImportDto } from './dto/imports.dto.js';
import { ImportRecordsRepository } from './import-records.repository.js';
import { ImportFinishedError } from './imports.errors.js';
import {
  type BegunImport,
  type ImportKey,
  type ImportProgress,
  type ImportStatus,
  TableImport,
} from './table-import.entity.js';

/** Interval of the search for abandoned imports, in milliseconds. */
const PAUSE_MS = 2_000;

const RETENTION_DAYS = 30;

const ABANDONED = {
  code: 'instance_terminated',
  message: 'The instance that executed the import has not reported for a minute. Nothing was stored.',
};

const now = () => 'clock_timestamp()';

/**
 * Records of imports. The first to finish a record, by success, failure or cancellation, decides the outcome of the import.
 * Only the success is part of the import's transaction; everything else is written outside the transaction.
 */
@Injectable()
export class ImportRecordsService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly repository: ImportRecordsRepository,
    private readonly background: BackgroundJobs,
    private readonly cleanup: CleanupJobs,
  ) {}

  onModuleInit(): void {
    this.background.register('Failing abandoned imports', async () => {
      await this.repository.failAbandoned(ABANDONED);
      return PAUSE_MS;
    });
    this.cleanup.register('records of imports', (batch) => this.repository.deleteOld(batch, RETENTION_DAYS));
  }

  /** @returns false if the workspace already has an import with the ID. */
  begin(key: ImportKey, begun: BegunImport): Promise<boolean> {
    return this.repository.begin(key, begun);
  }

  /** @returns false if the import is already finished. */
  reportProgress(key: ImportKey, status: ImportStatus, progress: ImportProgress): Promise<boolean> {
    const { bytes, rowsRead, rowsFailed } = progress;
    return this.database.outsideTransaction(() => this.updateOpen(key, { status, bytes, rowsRead, rowsFailed }));
  }

  /** Part of the open transaction, if there is one. @returns false if the import is already finished. */
  succeed(key: ImportKey, progress: ImportProgress): Promise<boolean> {
    return this.updateOpen(key, { ...progress, status: 'succeeded', finishedAt: now });
  }

  /** If this fails too, another instance finds the abandoned import after a minute. */
  async fail(key: ImportKey, progress: ImportProgress, error: unknown): Promise<void> {
    const failed = { ...progress, rowsWritten: 0, status: 'failed', error: toReason(error), finishedAt: now } as const;
    await this.database.outsideTransaction(() => this.updateOpen(key, failed)).catch(() => undefined);
  }

  /** The import was not executed, since its Idempotency-Key has a stored response. */
  async delete({ workspaceId, id }: ImportKey): Promise<void> {
    await this.database.repository(TableImport).delete({ workspaceId, id });
  }

  /** Cancels the statement that the PostgreSQL process is executing. */
  interrupt(backendPid: number): Promise<void> {
    return this.database.outsideTransaction(() => this.repository.interrupt(backendPid));
  }

  /** Cancels an import of any instance. @throws {NotFoundError | ImportFinishedError} */
  async cancel(key: ImportKey): Promise<ImportDto> {
    const isCancelled = await this.updateOpen(key, { status: 'cancelled', finishedAt: now });
    const found = await this.get(key);
    if (!isCancelled) throw new ImportFinishedError(found.status);
    return found;
  }

  /** @throws {NotFoundError} */
  async get({ workspaceId, id }: ImportKey): Promise<ImportDto> {
    const found = await this.database.repository(TableImport).findOneBy({ workspaceId, id });
    if (!found) throw new NotFoundError('The import');
    return toDto(found);
  }

  /** The imports of the workspace, newest first. @throws {InvalidCursorError} */
  list(workspaceId: string, query: PageQueryDto): Promise<Page<ImportDto>> {
    return this.repository.listPage(workspaceId, query);
  }

  /** @returns false if the import is already finished. */
  private async updateOpen({ workspaceId, id }: ImportKey, changes: ImportChanges): Promise<boolean> {
    const { affected } = await this.database
      .repository(TableImport)
      .update({ workspaceId, id, finishedAt: IsNull() }, { ...changes, updatedAt: now });
    return affected === 1;
  }
}

type ImportChanges = Partial<Pick<TableImport, 'status' | 'error' | keyof ImportProgress>> & {
  finishedAt?: () => string;
};

function toDto(record: TableImport): ImportDto {
  const { id, tableId, status, dryRun, bytes, rowsRead, rowsWritten, rowsFailed, error } = record;
  const { createdBy, createdAt, updatedAt, finishedAt } = record;
  const progress = { bytes, rowsRead, rowsWritten, rowsFailed };
  return { id, tableId, status, dryRun, ...progress, error, createdBy, createdAt, updatedAt, finishedAt };
}

/** What a record states about a failure: no more than a response does. */
function toReason(error: unknown): { code: string; message: string } {
  const known = error instanceof DomainError ? error : unavailableErrorFor(error);
  if (known) return { code: known.code, message: known.message };
  return { code: 'internal_error', message: 'An internal error occurred. Nothing was stored.' };
}
