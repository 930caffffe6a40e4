import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { OpenBatch } from './open-batch.js';
import { type BatchTable, TableBatch } from './table-batch.entity.js';

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
}
