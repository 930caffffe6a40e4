import type { IncomingMessage } from 'node:http';
import { IncompleteBodyError } from '../../../platform/body/body.errors.js';
import type { TableIdentity } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { ColumnDefinition } from '../../../../packages/tables/src/catalog/column-plan.js';
import type { Replacement, SelectScope } from '../../../../packages/tables/src/sources/staging-sql.js';
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
  /** What it deletes; undefined if it only upserts. */
  replacement?: Replacement;
  /** Compiles its scope for the table as the caller may read it after the upload. @throws {NotFoundError} */
  readScope?: () => Promise<SelectScope | undefined>;
  /** The columns of a table that does not exist. */
  columns?: readonly ColumnDefinition[];
}

export interface ReceivedImport {
  run: ImportRun;
  workspaceId: string;
  tables: readonly ReceivedTable[];
  /** Writes a temporary file for the duration of the request. @returns its path. */
  writeTemporaryFile: (chunks: AsyncIterable<Buffer>) => Promise<string>;
  /** Does another import have its ID? Then it is rejected, unless its Idempotency-Key has a stored response. */
  isTaken: boolean;
}

/**
 * An import between the interceptor that received its file and the handler that executes it. If the Idempotency-Key
 * has a stored response, the handler is not called, and the import is discarded.
 */
export class PendingImport {
  private isDiscarded = false;
  private isExecuting = false;

  /** @param release frees the resources of the import. */
  constructor(
    private readonly received: ReceivedImport,
    private readonly slot: ImportSlot,
    private readonly release: (wasExecuted: boolean) => Promise<void>,
  ) {}

  /**
   * Calls `work` as soon as a slot is free.
   *
   * @throws {IncompleteBodyError | ImportIdTakenError}, the reason of the signal of the run, and what the work throws.
   */
  async execute<T>(work: (received: ReceivedImport) => Promise<T>): Promise<T> {
    if (this.isDiscarded) throw new IncompleteBodyError();
    if (this.received.isTaken) throw new ImportIdTakenError(this.received.run.key.id);
    this.isExecuting = true;
    try {
      await this.slot.waitForTurn(this.received.run.signal);
      return await work(this.received);
    } finally {
      await this.release(true);
    }
  }

  /** The request has ended. An import that is executing continues even if its caller has disconnected. */
  async discard(): Promise<void> {
    if (this.isExecuting || this.isDiscarded) return;
    this.isDiscarded = true;
    await this.release(false);
  }
}
