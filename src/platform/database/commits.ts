import { setTimeout as delay } from 'node:timers/promises';
import { SQLSTATE } from './database.errors.js';
import type { Database } from './database.js';

const POLL_MS = 2;
const TIMEOUT_MS = 5_000;

/** The coordinator has this lock from the preparation of a transaction until all nodes have committed it. */
const COMMITTING = `
  SELECT virtualtransaction AS id FROM pg_locks
   WHERE relation = 'pg_catalog.pg_dist_transaction'::regclass AND mode = 'RowExclusiveLock' AND granted AND pid <> pg_backend_pid()
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * A transaction of a cluster commits on one node after the other. Waits until everything that was read from one node is visible on the others,
 * too: otherwise rows could be read that are older than the revision of their table. On one server it does nothing.
 *
 * @throws Error like that of a lock that is not available, if a node does not commit.
 */
export async function awaitCommits(database: Database): Promise<void> {
  if (!database.isDistributed) return;
  let committing = await listCommitting(database);
  for (const end = Date.now() + TIMEOUT_MS; committing.size > 0;) {
    if (Date.now() > end)
      throw Object.assign(new Error('A transaction is not committed.'), { code: SQLSTATE.lockNotAvailable });
    await delay(POLL_MS);
    const remaining = await listCommitting(database);
    committing = new Set([...committing].filter((id) => remaining.has(id)));
  }
}

async function listCommitting(database: Database): Promise<Set<string>> {
  return new Set((await database.query<{ id: string }>(COMMITTING)).map(({ id }) => id));
}
