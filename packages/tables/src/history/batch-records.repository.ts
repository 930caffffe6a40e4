import type { Sql } from '../../../sql/src/sql.js';
import { toValues } from '../../../sql/src/sql-literal.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import { type BatchSource, type BatchTable } from './batch.js';
import type { View } from '../catalog/view.js';

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
  /** Must the changes wait for approval, whatever the options of the tables are? */
  needsApproval?: boolean;
  /** Are the rows those of an approved proposal? */
  isApproved?: boolean;
  /** The proposal whose changes are compared with the stored rows again. No row is stored. */
  comparedProposalId?: string;
}

/** A change of rows, in its transaction. */
export interface RowChange {
  /** When all locks were acquired, which is also the time of the rows that are written. */
  at: string;
  /** May the change become a proposal? Its former rows are then stored, whatever the options of the table. */
  mayNeedApproval?: boolean;
}

/** A batch in progress, in its transaction. */
export interface OpenBatch extends BatchOrigin, RowChange {
  id: string;
  /** Of the caller. */
  view: View;
}

/** The records of batches and of revisions, and the clock of PostgreSQL, by which rows are stamped. */
export class BatchRecords {
  constructor(private readonly sql: Sql) {}

  /** In ISO 8601, with the precision of the stamps. */
  async now(): Promise<string> {
    const [row] = await this.sql.query<{ now: Date }>('SELECT clock_timestamp()::timestamptz(3) AS now');
    return row!.now.toISOString();
  }

  /** Inserts the record of a batch that has written all its rows. */
  async insert(batch: OpenBatch, tables: BatchTable[]): Promise<void> {
    const { view, id, source, userId: createdBy, undoes } = batch;
    await this.sql.query(
      `INSERT INTO table_batches (workspace_id, id, source, tables, undoes, created_by) VALUES ($1, $2, $3, $4, $5, $6)`,
      [view.workspaceId, id, source, JSON.stringify(tables), undoes ?? null, createdBy],
    );
  }

  /**
   * Inserts the revisions of tables in which rows have changed.
   *
   * @param tables with their new revisions.
   * @param by the user, if one has changed them.
   */
  async insertRevisions(
    tables: readonly CatalogTable[],
    { at, by, batchId, source }: Pick<RowChange, 'at'> & { by: string | null; batchId?: string; source?: BatchSource },
  ): Promise<void> {
    if (tables.length === 0) return;
    const common = [at, by, batchId ?? null, source ?? null];
    const { sql, parameters } = toValues(
      tables.map(({ workspaceId, id, revision }) => [workspaceId, id, revision, ...common]),
    );
    await this.sql.query(
      `INSERT INTO table_revisions (workspace_id, table_id, revision, at, by, batch_id, source) VALUES ${sql}`,
      parameters,
    );
  }
}
