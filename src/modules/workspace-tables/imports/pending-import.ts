import { IncompleteBodyError } from '../../../platform/body/body.errors.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { ImportFile } from './import-file.js';
import { ImportIdTakenError } from './imports.errors.js';
import type { ImportRun } from './import-run.js';
import type { ImportSlot } from './import-slots.js';

declare module 'http' {
  interface IncomingMessage {
    /** The import that the request is, once its file has come. */
    tableImport?: PendingImport;
  }
}

/** An import whose file has come. */
export interface ReceivedImport {
  run: ImportRun;
  table: CatalogTable;
  file: ImportFile;
  /** Is its id another import's? Then it is not carried out; but its answer may be known by its Idempotency-Key. */
  isTaken: boolean;
}

/**
 * An import between the guard that took its file and the handler that carries it out. Its handler is not reached where
 * the answer is known already: then nobody carries it out, and nothing stays of it.
 */
export class PendingImport {
  private isOver = false;
  private isUnderWay = false;

  /** @param end lets go of what it holds; is told whether it was carried out. */
  constructor(
    private readonly received: ReceivedImport,
    private readonly slot: ImportSlot,
    private readonly end: (wasCarriedOut: boolean) => Promise<void>,
  ) {}

  /** When it is its turn. @throws {IncompleteBodyError | ImportIdTakenError | ImportCancelledError} and what the work throws. */
  async execute<T>(work: (received: ReceivedImport) => Promise<T>): Promise<T> {
    if (this.isOver) throw new IncompleteBodyError();
    if (this.received.isTaken) throw new ImportIdTakenError(this.received.run.place.id);
    this.isUnderWay = true;
    try {
      await this.slot.turn(this.received.run.signal);
      return await work(this.received);
    } finally {
      await this.end(true);
    }
  }

  /** The request is over. One that is under way goes on, whether its sender is there or not. */
  async letGo(): Promise<void> {
    if (this.isUnderWay || this.isOver) return;
    this.isOver = true;
    await this.end(false);
  }
}
