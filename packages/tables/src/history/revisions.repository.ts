import type { Sql } from '../../../sql/src/sql.js';
import { toValues } from '../../../sql/src/values.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import type { BatchSource } from './batch.js';
import { TableLog } from './table-log.js';

/** How revisions began. */
interface Beginning {
  at: string;
  batchId?: string;
  source?: BatchSource;
}

/** The revisions of tables in which rows have changed. */
export class RevisionsRepository {
  constructor(
    private readonly sql: Sql,
    private readonly log: TableLog,
  ) {}

  /** @param tables with their new revisions. */
  async record(tables: readonly CatalogTable[], { at, batchId, source }: Beginning): Promise<void> {
    if (tables.length === 0) return;
    const { userId: by } = this.log.currentActor();
    const ofBatch = [at, by, batchId ?? null, source ?? null];
    const rows = tables.map(({ workspaceId, id, revision }) => [workspaceId, id, revision, ...ofBatch]);
    const { sql, parameters } = toValues(rows);
    await this.sql.query(
      `INSERT INTO table_revisions (workspace_id, table_id, revision, at, by, batch_id, source) VALUES ${sql}`,
      parameters,
    );
  }
}
