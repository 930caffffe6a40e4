import { isInOpenTour } from '../tours/tours.service.js';

/** A staging whose claim went silent is queued again, until it has been claimed so often. */
const ATTEMPTS = 5;

const GIVEN_UP = `No renderer finished it: ${ATTEMPTS} claims went silent, one after the other.`;

/** Of a time that stands still while the statement runs: an index can be asked for it. */
const IS_SILENT = `status = 'processing' AND lease_until <= statement_timestamp()`;

/** Rows that one statement of the background touches. */
const BATCH = 100;

const stamped = (userId: string) => `version = s.version + 1, updated_at = clock_timestamp(), updated_by = ${userId}`;

/** Rows are picked in a CTE, which PostgreSQL runs once; it might run a subquery again for each row of the table. */
function silent(also: string): string {
  return `
    SELECT workspace_id, id FROM stagings WHERE ${IS_SILENT} AND ${also}
     ORDER BY lease_until LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`;
}

const giveUp = (also = 'TRUE') => `
  WITH tired AS (${silent(`attempts >= ${ATTEMPTS} AND ${also}`)})
  UPDATE stagings s
     SET status = 'failed', error = '${GIVEN_UP}', lease_until = NULL, completed_at = clock_timestamp(), ${stamped('NULL')}
    FROM tired WHERE s.workspace_id = tired.workspace_id AND s.id = tired.id`;

/** Those that went silent too often fail. */
export const GIVE_UP = giveUp();

/** The others that went silent wait for another renderer. */
export const REQUEUE = `
  WITH silent AS (${silent(`attempts < ${ATTEMPTS}`)})
  UPDATE stagings s
     SET status = 'queued', claim = NULL, lease_until = NULL, progress = 0, started_at = NULL, ${stamped('NULL')}
    FROM silent WHERE s.workspace_id = silent.workspace_id AND s.id = silent.id
  RETURNING s.workspace_id AS "workspaceId", s.id`;

/** Of a workspace's queue so many are looked at: more than are ever being claimed at one moment. */
const HEAD = 100;

/** Of the types $2, and queued, or with a claim that went silent. */
const waits = (of: string) => `
  ${of}.status IN ('queued', 'processing') AND ${of}.archived_at IS NULL AND ${of}.type = ANY ($2::text[])
  AND (${of}.status = 'queued' OR (${of}.lease_until <= statement_timestamp() AND ${of}.attempts < ${ATTEMPTS}))`;

/**
 * Claims the oldest that is queued, or whose claim went silent, of the workspaces $1 and types $2, with the token $3 for $4
 * seconds, for the user $5; those in them that went silent too often fail. Rows that another renderer is claiming are passed
 * over, and so is what belongs to an archived tour or project. Ids are in the order of creation. What waits is asked of the locked row again, which may have changed meanwhile.
 */
export const CLAIM = `
  WITH given_up AS (${giveUp('workspace_id = ANY ($1::uuid[])')}),
  oldest AS (
    SELECT s.workspace_id, s.id
      FROM unnest($1::uuid[]) AS mine (workspace_id)
     CROSS JOIN LATERAL (
       SELECT q.workspace_id, q.id FROM stagings q
        WHERE q.workspace_id = mine.workspace_id AND ${waits('q')} AND ${isInOpenTour('q')} ORDER BY q.id LIMIT ${HEAD}) AS head
      JOIN stagings s ON s.workspace_id = head.workspace_id AND s.id = head.id AND ${waits('s')}
     ORDER BY s.id LIMIT 1 FOR UPDATE OF s SKIP LOCKED)
  UPDATE stagings s
     SET status = 'processing', claim = $3, attempts = s.attempts + 1, lease_seconds = $4::integer,
         lease_until = clock_timestamp() + make_interval(secs => $4::integer), progress = 0, started_at = clock_timestamp(),
         ${stamped('$5')}
    FROM oldest WHERE s.workspace_id = oldest.workspace_id AND s.id = oldest.id
  RETURNING s.workspace_id AS "workspaceId", s.id, s.attempts`;

/** Any call of its renderer extends the lease. */
export const EXTENDS = 'lease_until = clock_timestamp() + make_interval(secs => s.lease_seconds)';

/** Sets something of the staging $2 in one of the workspaces $1, while the claim $3 holds, for the user $4. */
export function whileHeld(set: string): string {
  return `
    UPDATE stagings s SET ${set}, ${stamped('$4')}
     WHERE s.workspace_id = ANY ($1::uuid[]) AND s.id = $2 AND s.claim = $3 AND s.status = 'processing'
       AND s.archived_at IS NULL AND s.lease_until > clock_timestamp()
    RETURNING s.workspace_id AS "workspaceId"`;
}

/** Takes away what came under claims that the staging $2 of the workspace $1 no longer has. */
export const DROP_LEFTOVERS = `
  DELETE FROM staging_variations v USING stagings s
   WHERE v.workspace_id = $1 AND v.staging_id = $2 AND s.workspace_id = $1 AND s.id = $2
     AND v.claim IS DISTINCT FROM s.claim
  RETURNING v.id`;

export const COUNT_VARIATIONS = `
  SELECT count(*)::integer AS count FROM staging_variations
   WHERE workspace_id = $1 AND staging_id = $2 AND claim = $3`;
