import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { ImportFigures, ImportKey, ImportRecordsService } from './import-records.service.js';
import { ImportCancelledError } from './imports.errors.js';
import type { ImportStatus } from './table-import.entity.js';

/** How often the import is told about, and asked after, in milliseconds. */
const PAUSE_MS = 1_000;

/**
 * One import on its way. About once a second it tells how far it is, and learns whether it has been ended: then `signal`
 * is given, and a statement that is under way is interrupted.
 */
export class ImportRun {
  readonly figures: ImportFigures = { bytes: 0, rowsRead: 0, rowsWritten: 0, rowsFailed: 0 };
  private readonly logger = new Logger(ImportRun.name);
  private readonly ended = new AbortController();
  private readonly stopped = new AbortController();
  private status: ImportStatus = 'receiving';
  private backend?: number;
  private telling: Promise<void> = Promise.resolve();

  constructor(
    private readonly records: ImportRecordsService,
    readonly place: ImportKey,
  ) {}

  start(): void {
    void this.tellAgainAndAgain();
  }

  /** Given where somebody has called the import off; its reason says so. */
  get signal(): AbortSignal {
    return this.ended.signal;
  }

  /** @throws {ImportCancelledError} */
  async enter(status: ImportStatus): Promise<void> {
    this.status = status;
    await this.tell();
    this.signal.throwIfAborted();
  }

  /**
   * From now on the import is interrupted there, until `settle`.
   *
   * @param backend the process of PostgreSQL that has the import's transaction.
   */
  interruptAt(backend: number): void {
    this.backend = backend;
  }

  /**
   * The statements are done, one way or the other. Nobody interrupts the backend from here on: it may be another's next,
   * so this is waited for before the transaction ends.
   */
  async settle(): Promise<void> {
    this.backend = undefined;
    await this.telling;
  }

  /** Tells no more. */
  async stop(): Promise<void> {
    this.stopped.abort();
    await this.telling;
  }

  private async tellAgainAndAgain(): Promise<void> {
    const { signal } = this.stopped;
    const pause = () => delay(PAUSE_MS, true, { signal, ref: false }).catch(() => false);
    while (await pause()) await this.tell();
  }

  private async tell(): Promise<void> {
    // One after the other: an older word must not come last.
    this.telling = this.telling.then(() => this.tellNow());
    await this.telling;
  }

  private async tellNow(): Promise<void> {
    try {
      if (!(await this.records.tell(this.place, this.status, this.figures)))
        this.ended.abort(new ImportCancelledError());
      if (this.signal.aborted && this.backend !== undefined) await this.records.interrupt(this.backend);
    } catch (error) {
      // Heard of again in a second, or given up by others in a minute.
      this.logger.warn(`An import could not be told about: ${(error as Error).message}`);
    }
  }
}
