import type { ApiCaller } from './api-caller.js';
import type { Batch, UndoReport } from './models.js';

export interface UndoOptions {
  /** `skip` leaves rows as they are that were changed since; by default they prevent the undo. */
  onConflict?: 'abort' | 'skip';
  signal?: AbortSignal | undefined;
}

/** Bulk requests, imports and deletions of the workspace, each of which can be undone. */
export class BatchesClient {
  readonly #client: ApiCaller;

  constructor(client: ApiCaller) {
    this.#client = client;
  }

  private get path(): string {
    return `${this.#client.tablesPath}/batches`;
  }

  /** The newest first. */
  list({ signal }: { signal?: AbortSignal } = {}): AsyncGenerator<Batch, void> {
    return this.#client.pages(this.path, { signal });
  }

  /** @throws {NotFoundError} */
  get(id: string, { signal }: { signal?: AbortSignal } = {}): Promise<Batch> {
    return this.#client.json('GET', `${this.path}/${encodeURIComponent(id)}`, { signal });
  }

  /**
   * Restores the rows of all tables as they were before the batch, or nothing. The undo is a batch, too.
   *
   * @throws {ConflictError} `batch_conflict` with the changed rows in `details.errors`, `already_undone`,
   *   `not_undoable`
   */
  undo(id: string, { onConflict = 'abort', signal }: UndoOptions = {}): Promise<UndoReport> {
    const path = `${this.path}/${encodeURIComponent(id)}/undo?onConflict=${onConflict}`;
    return this.#client.json('POST', path, { signal });
  }
}
