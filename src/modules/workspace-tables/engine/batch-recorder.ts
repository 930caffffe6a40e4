import { Injectable } from '@nestjs/common';
import { uuid } from '../../../platform/database/uuid.js';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { type EventCauses, TableEvents } from '../catalog/table-events.js';
import { BatchTimes } from './batch-times.repository.js';
import type { BatchOrigin, OpenBatch } from './open-batch.js';
import { PreviousRows } from './previous-rows.repository.js';
import { type BatchTable, TableBatch } from './table-batch.entity.js';

/** A table after a batch has written it. */
export interface WrittenTable {
  table: CatalogTable;
  fromRevision: number;
  /** What happened to the table or its columns. */
  definition?: 'created' | 'updated';
  counts: BatchTable['counts'];
}

/** Records the requests that write rows, and their events. */
@Injectable()
export class BatchRecorder {
  constructor(
    private readonly database: Database,
    private readonly times: BatchTimes,
    private readonly previous: PreviousRows,
    private readonly config: Config,
    private readonly events: TableEvents,
  ) {}

  /** Begins a batch. The transaction has all locks: rows that are created from now on are those of the batch. */
  async begin(workspaceId: string, origin: BatchOrigin, undoes?: string): Promise<OpenBatch> {
    const startedAt = await this.times.now();
    const startedMs = performance.now();
    return { ...origin, id: uuid(), workspaceId, startedAt, startedMs, undoBytes: 0, unmeasured: new Set(), undoes };
  }

  /** The batch, if the previous values of its rows are stored. */
  toStoring(batch: OpenBatch | undefined): OpenBatch | undefined {
    return this.config.tables.undoDays > 0 ? batch : undefined;
  }

  async end(batch: OpenBatch, written: readonly WrittenTable[]): Promise<void> {
    await this.previous.measure(
      batch,
      written.map(({ table }) => table),
    );
    const finishedAt = await this.readEnd(batch);
    const { workspaceId, id, source, userId, undoBytes, undoes = null, startedAt } = batch;
    const tables = written.map(({ table, fromRevision, counts }) => {
      const { id: tableId, entity, name, revision: toRevision } = table;
      return { id: tableId, entity, name, fromRevision, toRevision, counts, startedAt, finishedAt };
    });
    await this.database
      .repository(TableBatch)
      .insert({ workspaceId, id, source, tables, undoBytes, undoes, createdBy: userId });
    await this.recordEvents(workspaceId, written, { batchId: id, importId: batch.importId });
  }

  /**
   * When the batch has written its rows. On a cluster they have the time of its start, so that this time need not be as exact as that of
   * the database. It is not later, so that rows of the next batch are not those of this one.
   */
  private async readEnd({ startedAt, startedMs }: OpenBatch): Promise<string> {
    if (!this.database.isDistributed) return this.times.now();
    return new Date(Date.parse(startedAt) + Math.floor(performance.now() - startedMs)).toISOString();
  }

  /** The events of a write that is not a batch. */
  recordEvents(workspaceId: string, written: readonly WrittenTable[], causes: EventCauses = {}): Promise<void> {
    return this.events.recordWritten(workspaceId, written, causes);
  }
}
