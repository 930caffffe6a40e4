import { Injectable } from '@nestjs/common';
import { Database, PLAN_EACH_TIME } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { previousRowsName } from '../catalog/physical-table.js';
import { type BatchSource, type BatchTable, TableBatch } from './table-batch.entity.js';

/** Who writes rows, and how. */
export interface BatchOrigin {
  source: BatchSource;
  userId: string;
  /** The import that writes them. */
  importId?: string;
  /** The batch that it undoes. */
  undoes?: string;
  /** For an undo: leave rows that were changed since as they are? */
  skipConflicts?: boolean;
  /** Are the rows those of an approved proposal? */
  isApproved?: boolean;
  /** The proposal whose changes are compared with the stored rows again. Nothing is stored. */
  compares?: string;
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
  /** May its rows need approval? */
  mayNeedApproval: boolean;
}

/** The records of batches, and the clock of PostgreSQL, by which rows are stamped. */
@Injectable()
export class BatchRecords {
  constructor(private readonly database: Database) {}

  /** In ISO 8601, with the precision of the stamps. */
  async now(): Promise<string> {
    const [row] = await this.database.query<{ now: Date }>('SELECT clock_timestamp()::timestamptz(3) AS now');
    return row!.now.toISOString();
  }

  /** Inserts the record of a batch that has written all its rows. */
  async insert(batch: OpenBatch, written: readonly BatchTable[]): Promise<void> {
    const { workspaceId, id, source, userId: createdBy, undoBytes, undoes, startedAt } = batch;
    const tables = written.map((table) => ({ ...table, startedAt, finishedAt: startedAt }));
    await this.database
      .repository(TableBatch)
      .insert({ workspaceId, id, source, tables, undoBytes, undoes: undoes ?? null, createdBy });
  }

  /** Adds the bytes of the previous rows that a batch has stored since the last call. */
  async measurePrevious(batch: OpenBatch, tables: readonly CatalogTable[]): Promise<void> {
    for (const table of tables.filter(({ id }) => batch.unmeasured.delete(id))) {
      const [sum] = await this.database.query<{ bytes: number }>(
        `SELECT coalesce(sum(pg_column_size(u)), 0)::float8 AS bytes FROM ${previousRowsName(table)} u WHERE u._batch_id = $1`,
        [batch.id],
        PLAN_EACH_TIME,
      );
      batch.undoBytes += sum!.bytes;
    }
  }
}
