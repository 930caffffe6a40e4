import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import type { BatchSource } from './table-batch.entity.js';
import { TableLog } from './table-log.js';
import { TableRevision } from './table-revision.entity.js';

/** How revisions began. */
interface Beginning {
  at: string;
  batchId?: string;
  source?: BatchSource;
}

/** The revisions of tables in which rows have changed. The statement of single rows inserts its own. */
@Injectable()
export class RevisionsRepository {
  constructor(
    private readonly database: Database,
    private readonly log: TableLog,
  ) {}

  /** @param tables with their new revisions, the last one of each table. */
  async record(tables: readonly CatalogTable[], { at, batchId, source }: Beginning): Promise<void> {
    if (tables.length === 0) return;
    const { userId: by } = this.log.currentActor();
    // A request may name a table twice.
    const distinct = new Map(tables.map((table) => [table.id, table]));
    const entries = [...distinct.values()].map(({ workspaceId, id: tableId, revision }) => {
      return { workspaceId, tableId, revision, at, by, batchId: batchId ?? null, source: source ?? null };
    });
    await this.database.repository(TableRevision).insert(entries);
  }
}
