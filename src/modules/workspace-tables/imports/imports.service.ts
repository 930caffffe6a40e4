import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { DomainError } from '../../../../packages/errors/src/domain-error.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';
import { renewCaller } from '../../../platform/security/caller-policies.js';
import type { UpsertReportDto } from '../engine/dto/upsert-report.dto.js';
import { MergeEngine } from '../../../../packages/tables/src/writer/merge-engine.js';
import type { MergeOptions, TableInput } from '../../../../packages/tables/src/writer/table-plan.js';
import type { RowStream, StagingRowSource } from '../../../../packages/tables/src/sources/staging-row-source.js';
import { InvalidTablesError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import type { ImportReportDto } from './dto/imports.dto.js';
import { ErrorLog, readRejections, type RejectedFile } from './error-log.js';
import type { ImportRun } from './import-run.js';
import type { PendingImport } from './pending-import.js';
import { callerView } from '../catalog/caller-view.js';

export type ImportOptions = Required<Pick<MergeOptions, 'continueOnError' | 'dryRun' | 'origin'>>;

const TABLE_DROPPED =
  'The table was dropped during the import; nothing was stored. Create it and import the file again.';

/** Executes imports: upserts the rows of a file (specification, section 4.4). */
@Injectable()
export class ImportsService {
  private readonly logger = new Logger(ImportsService.name);

  constructor(
    private readonly engine: MergeEngine,
    private readonly errorLog: ErrorLog,
    private readonly config: Config,
  ) {}

  /**
   * All or nothing, unless `continueOnError`.
   *
   * @throws {DomainError} and nothing is stored.
   */
  async execute(pending: PendingImport, options: ImportOptions): Promise<ImportReportDto> {
    const { run } = pending;
    const files = pending.tables.map(({ table, file }): RejectedFile => {
      return { table: { ...table, columns: [] }, file, rejections: undefined, invalidRanges: undefined };
    });
    const progress = files.map(() => ({ received: 0, rejected: 0 }));
    try {
      // The upload and the wait for a turn may take hours.
      await renewCaller();
      const inputs: TableInput[] = [];
      for (const [at, { table, readReplacement, columns }] of pending.tables.entries()) {
        const replacement = await readReplacement?.();
        inputs.push({ ...table, columns, replacement, items: this.toStream(run, files[at]!, progress, at) });
      }
      const report = await this.engine.run(options, () => this.merge(pending, inputs, files, options));
      if (options.dryRun) await run.succeed(report);
      if (report.totals.failed > 0) await this.storeErrors(run, files);
      return { importId: run.key.id, ...report };
    } catch (error) {
      const reason: unknown = run.signal.aborted ? run.signal.reason : error;
      const hasErrors = reason instanceof InvalidTablesError && reason.code === 'invalid_rows';
      if (hasErrors) await this.storeErrors(run, files);
      await run.fail(reason);
      throw reason;
    }
  }

  /** Stores all errors. The import has ended, also if they cannot be stored: the report lists the first ones. */
  private async storeErrors({ key }: ImportRun, files: readonly RejectedFile[]): Promise<void> {
    try {
      await this.errorLog.write(key, files);
    } catch (error) {
      this.logger.error(`The errors of the import ${key.id} could not be stored: ${(error as Error).message}`);
    }
  }

  /** The transaction of the import. */
  private async merge(
    { run, temporaryFiles }: PendingImport,
    inputs: readonly TableInput[],
    files: readonly RejectedFile[],
    options: ImportOptions,
  ): Promise<UpsertReportDto> {
    try {
      await run.beginTransaction();
      const merged = { ...options, origin: { ...options.origin, importId: run.key.id } };
      // The table was dropped after the upload began. One created since with the same name is a different one.
      const toMissingTableError = () => new DomainError(HTTP_ERRORS.not_found, TABLE_DROPPED);
      const view = callerView(run.key.workspaceId);
      const prepared = await this.engine.prepare(view, inputs, { ...merged, toMissingTableError });
      await run.setStatus('writing');
      const locked = await this.engine.lock(prepared);
      const storeRejections = async () => {
        for (const [at, { plan }] of locked.tables.entries()) {
          const source = plan.source as StagingRowSource;
          files[at]!.rejections = (await temporaryFiles.write(readRejections(source), () => undefined)).path;
          files[at]!.invalidRanges = source.invalidRanges;
        }
      };
      const report = await this.engine.write(locked).catch(async (error: unknown) => {
        if (error instanceof InvalidTablesError) await storeRejections();
        throw error;
      });
      if (report.totals.failed > 0) await storeRejections();
      if (!options.dryRun) await run.succeed(report);
      return report;
    } finally {
      await run.endTransaction();
    }
  }

  /** @param rejected receives the table whose columns the rows were read with. */
  private toStream(
    run: ImportRun,
    rejected: RejectedFile,
    progress: { received: number; rejected: number }[],
    position: number,
  ): RowStream {
    return {
      timeoutS: this.config.imports.timeoutS,
      open: (table) => {
        rejected.table = table;
        return rejected.file.open(table);
      },
      reportProgress: (received, rejected) => {
        progress[position] = { received, rejected };
        run.progress.rowsRead = progress.reduce((sum, each) => sum + each.received, 0);
        run.progress.rowsFailed = progress.reduce((sum, each) => sum + each.rejected, 0);
        run.signal.throwIfAborted();
      },
    };
  }
}
