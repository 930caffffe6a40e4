import type { BatchSource } from './table-batch.entity.js';

/** Who writes rows, and how. */
export interface BatchOrigin {
  source: BatchSource;
  userId: string;
  /** The import that writes them. */
  importId?: string;
}

/** A batch in progress, in its transaction. */
export interface OpenBatch extends BatchOrigin {
  id: string;
  workspaceId: string;
  /** When all locks were acquired, which is also the time of the rows that are written. */
  startedAt: string;
  /** Are the previous values of its rows stored? */
  storesPrevious: boolean;
  /** Bytes of previous values so far. */
  undoBytes: number;
  /** IDs of the tables with previous rows whose bytes are not counted yet. */
  unmeasured: Set<string>;
  /** The batch that it undoes. */
  undoes?: string;
}
