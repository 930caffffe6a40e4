import { setTimeout as delay } from 'node:timers/promises';
import { SQLSTATE } from '../../../packages/sql/src/sql-state.js';
import type { Sql } from '../../../packages/sql/src/sql.js';

const POLL_MS = 2;
const TIMEOUT_MS = 5_000;

/**
 * The coordinator has this lock from the preparation of a transaction until all nodes have committed it, and locks of
 * the tables that the transaction has used. Those of other workspaces are not waited for: their nodes may be
 * unreachable.
 */
const COMMITTING = `
  SELECT l.virtualtransaction AS id FROM pg_locks l
   WHERE l.relation = 'pg_catalog.pg_dist_transaction'::regclass AND l.mode = 'RowExclusiveLock' AND l.granted AND l.pid <> pg_backend_pid()
     AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND EXISTS (SELECT 1 FROM pg_locks o JOIN pg_class c ON c.oid = o.relation
                  WHERE o.virtualtransaction = l.virtualtransaction AND o.database = l.database
                    AND c.relnamespace = to_regnamespace('ws_' || replace($1, '-', '')))`;

/**
 * A transaction of a cluster commits on one node after the other. Waits until everything that was read from one node is
 * visible on the others, too: otherwise rows could be read that are older than the revision of their table.
 *
 * @param workspaceId whose tables are read.
 * @throws Error like that of a lock that is not available, if a node does not commit.
 */
export async function awaitCommits(sql: Pick<Sql, 'query'>, workspaceId: string): Promise<void> {
  let committing = await listCommitting(sql, workspaceId);
  for (const end = performance.now() + TIMEOUT_MS; committing.size > 0;) {
    if (performance.now() > end)
      throw Object.assign(new Error('A transaction is not committed.'), { code: SQLSTATE.lockNotAvailable });
    await delay(POLL_MS);
    const remaining = await listCommitting(sql, workspaceId);
    committing = new Set([...committing].filter((id) => remaining.has(id)));
  }
}

async function listCommitting(sql: Pick<Sql, 'query'>, workspaceId: string): Promise<Set<string>> {
  return new Set((await sql.query<{ id: string }>(COMMITTING, [workspaceId])).map(({ id }) => id));
}
