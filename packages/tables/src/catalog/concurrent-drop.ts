import { SQLSTATE, sqlState } from '../../../sql/src/sql-state.js';

/** Schemas and columns of workspace tables, as PostgreSQL names them in its messages. */
const WORKSPACE_TABLE_NAME = /\bws_[0-9a-f]{32}\.|\bc\d+\b/;

/**
 * Was a workspace table or column dropped after the catalog was read? A repetition reads the new catalog, so the
 * service registers this with `Database.retryOn`.
 */
export function isConcurrentDrop(error: unknown): boolean {
  const state = sqlState(error);
  return (
    (state === SQLSTATE.undefinedTable || state === SQLSTATE.undefinedColumn) &&
    WORKSPACE_TABLE_NAME.test((error as Error).message)
  );
}
