import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { DomainError } from '../../../../packages/errors/src/domain-error.js';
import type { UpsertReportDto } from '../engine/dto/upsert-report.dto.js';
import type { ImportRecordsRepository } from './import-records.repository.js';
import { IMPORT_ERRORS } from './imports.errors.js';
import type { ImportKey, ImportProgress, ImportStatus } from './table-import.entity.js';
import { listenOnce } from '../../../platform/listeners.js';

/** Interval of progress reports, in milliseconds. */
const REPORT_INTERVAL_MS = 1_000;

/**
 * An import in progress. About once per second it writes its progress to its record and checks whether it was
 * cancelled; if so, `signal` aborts, and the statement that is executing is cancelled.
 */
export class ImportRun {
  readonly progress: ImportProgress = { bytes: 0, rowsRead: 0, rowsWritten: 0, rowsFailed: 0 };
  private readonly logger = new Logger(ImportRun.name);
  private readonly cancelled = new AbortController();
  private readonly stopped = new AbortController();
  private status: ImportStatus = 'receiving';
  private backendPid?: number;
  private reporting: Promise<void> = Promise.resolve();

  /**
   * Starts the progress reports.
   *
   * @param hasRecord false if another import has its ID. Then it is rejected, unless its Idempotency-Key has a stored
   *   response, and nothing is recorded.
   */
  constructor(
    private readonly records: ImportRecordsRepository,
    readonly key: ImportKey,
    readonly hasRecord: boolean,
  ) {
    if (hasRecord) void this.reportRepeatedly();
  }

  /** Ends the import with this error, unless its transaction commits first. */
  async abort(reason: DomainError): Promise<void> {
    this.cancelled.abort(reason);
    if (!this.hasRecord) return;
    await this.fail(reason);
    await this.reportProgress();
  }

  /** Aborts with the error `import_cancelled`, or with the reason of `abort`. */
  get signal(): AbortSignal {
    return this.cancelled.signal;
  }

  async setHash(sha256: string): Promise<void> {
    if (this.hasRecord) await this.records.setHash(this.key, sha256);
  }

  /** @throws {DomainError} the reason of the signal. */
  async setStatus(status: ImportStatus): Promise<void> {
    this.status = status;
    await this.reportProgress();
    this.signal.throwIfAborted();
  }

  /**
   * From now until `endTransaction`, a cancellation interrupts the PostgreSQL process of the open transaction.
   *
   * @throws {DomainError} the reason of the signal.
   */
  async beginTransaction(): Promise<void> {
    const backendPid = await this.records.getBackendPid();
    await this.setStatus('reading');
    this.backendPid = backendPid;
  }

  /** Must precede the end of the transaction: after that, the process may execute a statement of another request. */
  async endTransaction(): Promise<void> {
    this.backendPid = undefined;
    await this.reporting;
  }

  /**
   * Records the success, as a part of the open transaction if there is one.
   *
   * @throws {DomainError} `import_cancelled` if the import is already finished.
   */
  async succeed(report: UpsertReportDto): Promise<void> {
    const { totals, proposalId } = report;
    this.progress.rowsFailed = totals.failed;
    if (proposalId === undefined) this.progress.rowsWritten = totals.created + totals.updated + (totals.deleted ?? 0);
    // The next statement locks the record, and a progress report would wait for it.
    await this.stop();
    const complete = { importId: this.key.id, ...report };
    const status = proposalId === undefined ? 'succeeded' : 'proposed';
    if (!(await this.records.succeed(this.key, this.progress, complete, status)))
      throw new DomainError(IMPORT_ERRORS.import_cancelled);
  }

  async fail(error: unknown): Promise<void> {
    if (this.hasRecord) await this.records.fail(this.key, this.progress, error);
  }

  /** The import is not executed, since its Idempotency-Key has a stored response, or its caller has disconnected. */
  async discard(): Promise<void> {
    await this.stop();
    if (this.hasRecord) await this.records.delete(this.key);
  }

  onStop(callback: () => void): void {
    listenOnce(this.stopped.signal, 'abort', callback);
  }

  /** Ends the progress reports. */
  async stop(): Promise<void> {
    this.stopped.abort();
    await this.reporting;
  }

  private async reportRepeatedly(): Promise<void> {
    const { signal } = this.stopped;
    const wait = () => delay(REPORT_INTERVAL_MS, true, { signal, ref: false }).catch(() => false);
    while (await wait()) await this.reportProgress();
  }

  /** One report after the other, so that an older one does not overwrite a newer one. */
  private async reportProgress(): Promise<void> {
    this.reporting = this.reporting.then(() => this.reportNow());
    await this.reporting;
  }

  private async reportNow(): Promise<void> {
    try {
      if (!(await this.records.reportProgress(this.key, this.status, this.progress)))
        this.cancelled.abort(new DomainError(IMPORT_ERRORS.import_cancelled));
      if (this.signal.aborted && this.backendPid !== undefined) await this.records.interrupt(this.backendPid);
    } catch (error) {
      // The next report is due in a second. After a minute without one, another instance marks the import as failed.
      this.logger.warn(`Failed to report the progress of an import: ${(error as Error).message}`);
    }
  }
}
