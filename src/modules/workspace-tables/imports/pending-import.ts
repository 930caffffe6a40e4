import type { IncomingMessage } from 'node:http';
import { IncompleteBodyError } from '../../../platform/body/body.errors.js';
import type { TemporaryFileQuota } from '../../../platform/body/temporary-files.js';
import type { TableIdentity } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { ColumnDefinition } from '../../../../packages/tables/src/catalog/column-plan.js';
import type { Replacement } from '../../../../packages/tables/src/sources/staging-sql.js';
import type { ImportFile } from './import-file.js';
import type { ImportRun } from './import-run.js';
import type { ImportSlot } from './import-slots.js';
import { ImportIdTakenError } from './imports.errors.js';

/** The imports of requests, after their files were received. */
export const pendingImports = new WeakMap<IncomingMessage, PendingImport>();

/** A file for one table. */
export interface ReceivedTable {
  table: TableIdentity;
  file: ImportFile;
  /**
   * What it deletes, for the table as the caller may read it after the upload; undefined if it only upserts.
   *
   * @throws {NotFoundError}
   */
  readReplacement?: () => Promise<Replacement | undefined>;
  /** The columns of a table that does not exist. */
  columns?: readonly ColumnDefinition[];
}

/**
 * An import between the interceptor that received its file and the handler that executes it. If the Idempotency-Key
 * has a stored response, the handler is not called, and the import is discarded.
 */
export class PendingImport {
  private isDiscarded = false;
  private isExecuting = false;

  /** @param temporaryFiles of the request. */
  constructor(
    readonly run: ImportRun,
    readonly tables: readonly ReceivedTable[],
    readonly temporaryFiles: TemporaryFileQuota,
    private readonly slot: ImportSlot,
  ) {}

  /**
   * Calls `work` as soon as a slot is free.
   *
   * @throws {IncompleteBodyError | ImportIdTakenError}, the reason of the signal of the run, and what the work throws.
   */
  async execute<T>(work: () => Promise<T>): Promise<T> {
    if (this.isDiscarded) throw new IncompleteBodyError();
    if (!this.run.hasRecord) throw new ImportIdTakenError(this.run.key.id);
    this.isExecuting = true;
    try {
      await this.slot.waitForTurn(this.run.signal);
      return await work();
    } finally {
      this.slot.release();
      await this.run.stop();
    }
  }

  /** The request has ended. An import that is executing continues even if its caller has disconnected. */
  async discard(): Promise<void> {
    if (this.isExecuting || this.isDiscarded) return;
    this.isDiscarded = true;
    this.slot.release();
    await this.run.discard();
  }
}
