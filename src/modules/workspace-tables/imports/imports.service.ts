import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import type { UpsertReportDto } from '../engine/dto/upsert-report.dto.js';
import { MergeEngine } from '../engine/merge-engine.js';
import { RowMetrics } from '../engine/row-metrics.js';
import type { RowStream } from '../engine/staging-row-source.js';
import type { ImportReportDto } from './dto/imports.dto.js';
import type { ImportFile } from './import-file.js';
import { ImportRecordsRepository } from './import-records.repository.js';
import type { ImportRun } from './import-run.js';
import { ImportCancelledError, TableDroppedError } from './imports.errors.js';
import type { ReceivedImport } from './pending-import.js';

export interface ImportOptions {
  /** Store the valid rows even if others are invalid? */
  continueOnError: boolean;
  /** Do everything and roll back? */
  dryRun: boolean;
}

/** Executes imports: upserts the rows of a file (specification, section 4.4). */
@Injectable()
export class ImportsService {
  constructor(
    private readonly engine: MergeEngine,
    private readonly records: ImportRecordsRepository,
    private readonly metrics: RowMetrics,
    private readonly config: Config,
  ) {}

  /**
   * All or nothing, unless `continueOnError`.
   *
   * @throws {DomainError} and nothing is stored.
   */
  async execute({ run, file, table }: ReceivedImport, options: ImportOptions): Promise<ImportReportDto> {
    const { workspaceId, entity, name, id } = table;
    try {
      const input = { entity, name, id, items: this.toStream(run, file) };
      const report = await this.engine.execute(workspaceId, [input], {
        ...options,
        toMissingTableError: () => new TableDroppedError(),
        beforeLock: () => run.setStatus('writing'),
        completeWith: (written) => this.succeed(run, written),
        beforeEnd: () => run.endTransaction(),
      });
      if (options.dryRun) await this.succeed(run, report);
      else this.metrics.countRows(entity, report.totals);
      return { importId: run.key.id, ...report };
    } catch (error) {
      const reason: unknown = run.signal.aborted ? run.signal.reason : error;
      await this.records.fail(run.key, run.progress, reason);
      throw reason;
    }
  }

  private async succeed(run: ImportRun, { totals }: UpsertReportDto): Promise<void> {
    run.progress.rowsFailed = totals.failed;
    run.progress.rowsWritten = totals.created + totals.updated;
    // The next statement locks the record, and a progress report would wait for it.
    await run.stop();
    if (!(await this.records.succeed(run.key, run.progress))) throw new ImportCancelledError();
  }

  private toStream(run: ImportRun, file: ImportFile): RowStream {
    return {
      timeoutS: this.config.imports.timeoutS,
      begin: async (backendPid) => {
        await run.setStatus('reading');
        run.beginTransaction(backendPid);
      },
      findColumns: (table) => file.findColumns(table),
      read: (table) => file.read(table),
      reportProgress: (received, rejected) => {
        run.progress.rowsRead = received;
        run.progress.rowsFailed = rejected;
        run.signal.throwIfAborted();
      },
    };
  }
}
