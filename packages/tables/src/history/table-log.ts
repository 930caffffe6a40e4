import type { CatalogTable } from '../catalog/catalog-table.js';
import type { OpenBatch } from './batch-records.repository.js';
import type { BatchTable, WrittenTable } from './batch.js';

/** What a call that wrote rows was. */
export interface WriteCauses {
  batchId?: string;
  importId?: string;
}

/** What the rename of a key has changed in a table. */
export interface RenameChanges {
  /** The number of rows. */
  updated: number;
  /** Absent in a table that only refers to the row. */
  renamed?: { from: string; to: string };
}

/**
 * Reports what the engine changes to those who follow a workspace, in the transaction of the change. The engine knows
 * no more of events and of the audit log than this.
 */
export abstract class TableLog {
  /** The caller of the current request, and of what kind it is. */
  abstract currentActor(): { userId: string | null; source: string };

  /** Reports a write of rows: changes of columns before those of rows. */
  abstract recordWritten(workspaceId: string, tables: readonly WrittenTable[], causes: WriteCauses): Promise<void>;

  /** Reports a rename of a key. @param table with its new revision. */
  abstract recordRename(table: CatalogTable, fromRevision: number, changes: RenameChanges): Promise<void>;

  /** Reports the differences of two definitions of a table. */
  abstract recordDefinition(before: CatalogTable, after: CatalogTable): Promise<void>;

  /** Reports a load that has changed rows. */
  abstract recordLoad(batch: OpenBatch, tables: readonly BatchTable[]): Promise<void>;

  /** Counts the rows of a load, as soon as it is committed. */
  abstract countRows(tables: readonly WrittenTable[]): void;
}
