import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { IndexState } from '../catalog/column-index.entity.js';
import { createIndexSql, dropIndexSql, indexName, schemaName } from '../catalog/physical-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';

/** How long an instance has to say again that it is at an index. */
const LEASE = "interval '30 seconds'";

/** What waits where something stood in the way. */
const PAUSE = "interval '3 seconds'";

/** An index that this instance is at. */
export interface ClaimedIndex {
  workspaceId: string;
  tableId: string;
  ordinal: number;
  state: IndexState;
  token: string;
}

const CLAIM = `
  WITH due AS (
    SELECT workspace_id, table_id, ordinal FROM column_indexes
     WHERE due_at <= clock_timestamp() ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
  UPDATE column_indexes i
     SET token = $1, due_at = clock_timestamp() + ${LEASE},
         state = CASE i.state WHEN 'pending' THEN 'building' ELSE i.state END
    FROM due WHERE i.workspace_id = due.workspace_id AND i.table_id = due.table_id AND i.ordinal = due.ordinal
  RETURNING i.workspace_id AS "workspaceId", i.table_id AS "tableId", i.ordinal, i.state, i.token`;

/** The index as the claim has it: no other instance is at it. */
const HELD = 'workspace_id = $1 AND table_id = $2 AND ordinal = $3 AND token = $4';

/**
 * The indexes that columns are to have. An instance claims one by a token and a lease, by the database's clock; what is
 * wanted may change meanwhile, and is seen to once it lets go.
 */
@Injectable()
export class ColumnIndexesRepository {
  constructor(private readonly database: Database) {}

  /** Requests that the indexes are dropped in the background. */
  async withdraw({ workspaceId, id }: CatalogTable, columns: readonly CatalogColumn[]): Promise<void> {
    if (columns.length === 0) return;
    const ordinals = columns.map(({ ordinal }) => ordinal);
    await this.database.query(
      // An instance that works on the index (`token`) finishes its step first; due_at is set again after that.
      `UPDATE column_indexes
          SET state = 'dropping', message = NULL, due_at = CASE WHEN token IS NULL THEN clock_timestamp() ELSE due_at END
        WHERE workspace_id = $1 AND table_id = $2 AND ordinal = ANY ($3::integer[])`,
      [workspaceId, id, ordinals],
    );
  }

  async claim(token: string): Promise<ClaimedIndex | undefined> {
    return (await this.database.query<ClaimedIndex>(CLAIM, [token]))[0];
  }

  /** @returns whether the claim holds, and what it was made for is still wanted. */
  async extend(claimed: ClaimedIndex): Promise<boolean> {
    const sql = `UPDATE column_indexes SET due_at = clock_timestamp() + ${LEASE} WHERE ${HELD} RETURNING state`;
    const [held] = await this.database.query<{ state: IndexState }>(sql, keyOf(claimed));
    return held?.state === claimed.state;
  }

  /** Built, or not to be built; where something else is wanted by now, that is due at once. */
  async finish(claimed: ClaimedIndex, state: 'ready' | 'failed', message: string | null): Promise<void> {
    await this.database.query(
      `UPDATE column_indexes SET token = NULL, message = $6,
              due_at = CASE WHEN state = $5 THEN NULL ELSE clock_timestamp() END,
              state = CASE WHEN state = $5 THEN $7 ELSE state END
        WHERE ${HELD}`,
      [...keyOf(claimed), claimed.state, message, state],
    );
  }

  /** Dropped; where it is wanted again by now, that is due at once. */
  async forget(claimed: ClaimedIndex): Promise<void> {
    const forgotten = await this.database.affected(
      `DELETE FROM column_indexes WHERE ${HELD} AND state = 'dropping'`,
      keyOf(claimed),
    );
    if (forgotten === 0) await this.release(claimed);
  }

  /** To be tried again, in a moment. */
  async release(claimed: ClaimedIndex): Promise<void> {
    await this.database.query(
      `UPDATE column_indexes SET token = NULL, due_at = clock_timestamp() + ${PAUSE},
              state = CASE state WHEN 'building' THEN 'pending' ELSE state END
        WHERE ${HELD}`,
      keyOf(claimed),
    );
  }

  /** Is there an index, and is it whole? One whose building was broken off is there and is not. */
  async findState(table: CatalogTable, column: CatalogColumn): Promise<'valid' | 'invalid' | undefined> {
    const [found] = await this.database.query<{ valid: boolean }>(
      'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
      [`${schemaName(table.workspaceId)}.${indexName(table, column)}`],
    );
    return found && (found.valid ? 'valid' : 'invalid');
  }

  /** Is PostgreSQL building or dropping it, for whomever? An instance may be gone while its statement goes on. */
  async isUnderWay(table: CatalogTable, column: CatalogColumn): Promise<boolean> {
    const [found] = await this.database.query<{ busy: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
           AND query ~ ('INDEX CONCURRENTLY .*\\m' || $1 || '\\M')) AS busy`,
      [indexName(table, column)],
    );
    return found!.busy;
  }

  build(table: CatalogTable, column: CatalogColumn, signal: AbortSignal): Promise<void> {
    return this.database.executeStandalone(createIndexSql(table, column), signal);
  }

  drop(table: CatalogTable, column: CatalogColumn, signal: AbortSignal): Promise<void> {
    return this.database.executeStandalone(dropIndexSql(table, column), signal);
  }
}

function keyOf({ workspaceId, tableId, ordinal, token }: ClaimedIndex): unknown[] {
  return [workspaceId, tableId, ordinal, token];
}
