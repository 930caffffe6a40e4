import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { UnavailableError } from '../../../platform/http/domain-error.js';
import { RowMetrics } from '../engine/row-metrics.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { InvalidTablesError } from '../workspace-tables.errors.js';
import type { ImportReportDto } from './dto/imports.dto.js';
import type { ReceivedImport } from './pending-import.js';
import type { ImportFile } from './import-file.js';
import { ImportRecordsService } from './import-records.service.js';
import { reportOf } from './import-report.js';
import type { ImportRun } from './import-run.js';
import { StagedRows } from '../engine/staged-rows.js';
import { stagingOf } from '../engine/staging.js';
import { ImportCancelledError, TableDroppedError } from './imports.errors.js';
import { ImportMerge } from '../engine/import-merge.js';

/** How often the file is read, where each time the table's columns change before it is written. */
const TRIES = 3;

export interface ImportOptions {
  /** Store the good rows though others are at fault? */
  continueOnError: boolean;
  /** Do everything, and store nothing? */
  dryRun: boolean;
}

/** Thrown to undo a dry run; carries what it found. */
class DryRun extends Error {
  constructor(readonly report: ImportReportDto) {
    super('A dry run is undone.');
  }
}

/** Thrown to undo what was read by other columns than the table has now. */
class ColumnsChanged extends Error {
  constructor() {
    super('The columns of the table changed.');
  }
}

/** Carries imports out: the file is staged by COPY without any lock, and merged into the table by a few statements. */
@Injectable()
export class ImportsService {
  constructor(
    private readonly database: Database,
    private readonly merging: ImportMerge,
    private readonly records: ImportRecordsService,
    private readonly metrics: RowMetrics,
    private readonly config: Config,
  ) {}

  /**
   * All or nothing, unless the caller asks to go on.
   *
   * @throws {DomainError} and then nothing is stored.
   */
  async execute(received: ReceivedImport, options: ImportOptions): Promise<ImportReportDto> {
    const { run } = received;
    try {
      const report = await this.tryAgain(received, options);
      this.metrics.countRows(received.table.entity, report.totals);
      return report;
    } catch (error) {
      if (error instanceof DryRun) {
        await this.records.succeed(run.place, run.figures);
        return error.report;
      }
      const reason: unknown = run.signal.aborted ? run.signal.reason : error;
      await this.records.fail(run.place, run.figures, reason);
      throw reason;
    }
  }

  private async tryAgain(received: ReceivedImport, options: ImportOptions): Promise<ImportReportDto> {
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      try {
        return await this.database.transaction(() => this.attempt(received, options));
      } catch (error) {
        if (!(error instanceof ColumnsChanged)) throw error;
      }
    }
    throw new UnavailableError('table_busy', 'The columns of the table keep being changed; try again.');
  }

  /** @throws {TableDroppedError | ColumnsChanged} the latter where they are not those any more that the file was read by. */
  private async attempt(
    { run, file, table: known }: ReceivedImport,
    { continueOnError, dryRun }: ImportOptions,
  ): Promise<ImportReportDto> {
    try {
      // As it is now: the file may have taken an hour to come, and this be another try.
      const table = await this.merging.find(known);
      if (!table) throw new TableDroppedError();
      const rows = await this.stage(run, file, table);
      await run.enter('writing');
      const locked = await this.merging.lock(table, rows);
      if (!locked) throw new TableDroppedError();
      if (JSON.stringify(locked.columns) !== JSON.stringify(table.columns)) throw new ColumnsChanged();
      const staging = stagingOf(locked, rows);
      await this.merging.check(staging, rows);
      run.figures.rowsFailed = rows.errors.rows;
      if (!continueOnError) refuseFaultyRows(locked, rows);
      const merged = await this.merging.write(staging, rows);
      run.figures.rowsWritten = merged.created + merged.updated;
      const report = reportOf(run.place.id, merged);
      // Its record is locked from the next statement on, which whoever tells of it would wait for.
      await run.stop();
      if (dryRun) throw new DryRun(report);
      if (!(await this.records.succeed(run.place, run.figures))) throw new ImportCancelledError();
      return report;
    } finally {
      await run.settle();
    }
  }

  private async stage(run: ImportRun, file: ImportFile, table: CatalogTable): Promise<StagedRows> {
    await run.enter('reading');
    run.interruptAt(await this.merging.begin(this.config.imports.timeoutS));
    const rows = new StagedRows(table, await file.columns(table), this.config.tables.rowMaxBytes);
    const read = () => {
      run.figures.rowsRead = rows.received;
      run.figures.rowsFailed = rows.errors.rows;
      run.signal.throwIfAborted();
    };
    await this.merging.fill(rows.columns, rows.encode(file.blocks(), file.parser(table), read));
    return rows;
  }
}

function refuseFaultyRows({ entity, name }: CatalogTable, { errors, received }: StagedRows): void {
  if (errors.total === 0) return;
  throw new InvalidTablesError(
    'invalid_rows',
    `${errors.rows} of ${received} ${received === 1 ? 'row' : 'rows'} cannot be stored; nothing was stored.`,
    errors.first.map((fault) => ({ type: entity, table: name, ...fault })),
    errors.total,
  );
}
