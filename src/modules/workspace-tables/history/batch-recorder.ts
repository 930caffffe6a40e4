import { Injectable } from '@nestjs/common';
import { uuid } from '../../../platform/database/uuid.js';
import { Config } from '../../../platform/config/config.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { type EventCauses, TableEvents } from '../catalog/table-events.js';
import { BatchRecords } from './batch-records.repository.js';
import type { BatchOrigin, OpenBatch } from './open-batch.js';
import { PreviousRows } from './previous-rows.repository.js';
import type { BatchTable } from './table-batch.entity.js';

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
    private readonly records: BatchRecords,
    private readonly previous: PreviousRows,
    private readonly config: Config,
    private readonly events: TableEvents,
  ) {}

  /** Begins a batch. The transaction has all locks: rows that are created from now on are those of the batch. */
  async begin(workspaceId: string, origin: BatchOrigin, undoes?: string): Promise<OpenBatch> {
    const startedAt = await this.records.now();
    const storesPrevious = this.config.tables.undoDays > 0;
    return {
      ...origin,
      id: uuid(),
      workspaceId,
      startedAt,
      storesPrevious,
      undoBytes: 0,
      unmeasured: new Set(),
      undoes,
    };
  }

  async end(batch: OpenBatch, written: readonly WrittenTable[]): Promise<void> {
    await this.previous.measure(
      batch,
      written.map(({ table }) => table),
    );
    const tables = written.map(({ table: { id, entity, name, revision: toRevision }, fromRevision, counts }) => {
      return { id, entity, name, fromRevision, toRevision, counts };
    });
    await this.records.insert(batch, tables);
    await this.recordEvents(batch.workspaceId, written, { batchId: batch.id, importId: batch.importId });
  }

  /** The events of a write that is not a batch. */
  recordEvents(workspaceId: string, written: readonly WrittenTable[], causes: EventCauses = {}): Promise<void> {
    return this.events.recordWritten(workspaceId, written, causes);
  }
}
