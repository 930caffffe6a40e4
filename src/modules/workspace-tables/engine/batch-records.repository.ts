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
    const { workspaceId, id, source, userId, undoBytes, undoes = null, startedAt } = batch;
    if (this.database.isDistributed) {
      const finishedAt = readEnd(batch);
      const tables = written.map((table) => ({ ...table, startedAt, finishedAt }));
      const record = { workspaceId, id, source, tables, undoBytes, undoes, createdBy: userId };
      await this.database.repository(TableBatch).insert(record);
      return;
    }
    const tables = written.map((table) => ({ ...table, startedAt }));
    await this.database.affected(
      `INSERT INTO table_batches (workspace_id, id, source, tables, undo_bytes, undoes, created_by)
       VALUES ($1, $2, $3, (
         SELECT coalesce(jsonb_agg(t || jsonb_build_object('finishedAt', finished_at) ORDER BY position), '[]')
           FROM jsonb_array_elements($4::jsonb) WITH ORDINALITY AS tables (t, position),
                to_char(clock_timestamp()::timestamptz(3) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS finished_at
       ), $5, $6, $7)`,
      [workspaceId, id, source, JSON.stringify(tables), undoBytes, undoes, userId],
    );
  }
}

/**
 * When the batch has written its rows. On a cluster they have the time of its start, so that this time need not be as exact as that of
 * the database. It is not later, so that rows of the next batch are not those of this one.
 */
function readEnd({ startedAt, startedMs }: OpenBatch): string {
  return new Date(Date.parse(startedAt) + Math.floor(performance.now() - startedMs)).toISOString();
}
