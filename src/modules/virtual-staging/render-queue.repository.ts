import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Principal } from '../../platform/security/principal.js';
import { quoteLiteral } from '../../platform/database/sql-literal.js';
import { getEventTypeName } from '../events/event-type.decorator.js';
import { VirtualStagingFailedDto } from './dto/virtual-staging-events.dto.js';
import type { VirtualStagingType } from './virtual-staging.entity.js';

/** Claims of one virtual staging. If the lease of the last one expires, the virtual staging fails. */
const MAX_ATTEMPTS = 5;

const EXPIRED_ERROR = `The leases of ${MAX_ATTEMPTS} claims expired one after another.`;

/** Expired leases that one statement of the background job handles. */
const BATCH_SIZE = 100;

/** Candidates per workspace that a claim considers: more than the number of concurrent claims. */
const MAX_CANDIDATES = 100;

/** `statement_timestamp()` is constant within a statement, so that PostgreSQL can use the index on the lease. */
const IS_EXPIRED = `status = 'processing' AND lease_until <= statement_timestamp()`;

/** For the metric of the age of the queue. */
export const OLDEST_QUEUED = `SELECT min(created_at) FROM stagings WHERE status = 'queued' AND archived_at IS NULL`;

export const EXPIRED_CLAIMS = `SELECT 1 FROM stagings WHERE ${IS_EXPIRED}`;

const RENEW_LEASE = 'lease_until = clock_timestamp() + make_interval(secs => s.lease_seconds)';
const FINISH = 'lease_until = NULL, completed_at = clock_timestamp()';

/** The record fields that every UPDATE sets. */
const touch = (userId: string) => `version = s.version + 1, updated_at = clock_timestamp(), updated_by = ${userId}`;

/** Used as a CTE, which PostgreSQL executes once. It might execute a subquery again for each row. */
const selectExpired = (condition: string) => `
  SELECT workspace_id, id FROM stagings WHERE ${IS_EXPIRED} AND ${condition}
   ORDER BY lease_until LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED`;

/** CTEs that fail jobs, with their events. */
const failExhausted = (condition: string) => `
  exhausted AS (${selectExpired(`attempts >= ${MAX_ATTEMPTS} AND ${condition}`)}),
  failed AS (
    UPDATE stagings s SET status = 'failed', error = '${EXPIRED_ERROR}', ${FINISH}, ${touch('NULL')}
      FROM exhausted WHERE s.workspace_id = exhausted.workspace_id AND s.id = exhausted.id
    RETURNING s.workspace_id, s.id),
  recorded AS (
    INSERT INTO pending_events (workspace_id, id, type, source, data)
    SELECT workspace_id, gen_random_uuid(), ${quoteLiteral(getEventTypeName(VirtualStagingFailedDto))}, 'service',
           json_build_object('id', id) FROM failed)`;

/** Of one of the types $2, and queued or with an expired lease. */
const isAvailable = (alias: string) => `
  ${alias}.status IN ('queued', 'processing') AND ${alias}.archived_at IS NULL AND ${alias}.type = ANY ($2::text[])
  AND (${alias}.status = 'queued'
       OR (${alias}.lease_until <= statement_timestamp() AND ${alias}.attempts < ${MAX_ATTEMPTS}))`;

/** Neither the tour nor its project is archived. A scalar subquery, so that PostgreSQL evaluates it per candidate by key. */
const isInOpenTour = (alias: string) => `(
  SELECT t.archived_at IS NULL AND p.archived_at IS NULL
    FROM tours t JOIN projects p ON p.workspace_id = t.workspace_id AND p.id = t.project_id
   WHERE t.workspace_id = ${alias}.workspace_id AND t.id = ${alias}.tour_id)`;

/**
 * IDs ascend in the order of creation. Rows that another renderer claims at the same time are skipped. The locked row is
 * checked again, because it may have changed since it became a candidate.
 */
const CLAIM_OLDEST = `
  WITH ${failExhausted('workspace_id = ANY ($1::uuid[])')},
  oldest AS (
    SELECT s.workspace_id, s.id
      FROM unnest($1::uuid[]) AS workspace (id)
     CROSS JOIN LATERAL (
       SELECT q.workspace_id, q.id FROM stagings q
        WHERE q.workspace_id = workspace.id AND ${isAvailable('q')} AND ${isInOpenTour('q')}
        ORDER BY q.id LIMIT ${MAX_CANDIDATES}) AS candidate
      JOIN stagings s ON s.workspace_id = candidate.workspace_id AND s.id = candidate.id AND ${isAvailable('s')}
     ORDER BY s.id LIMIT 1 FOR UPDATE OF s SKIP LOCKED)
  UPDATE stagings s
     SET status = 'processing', claim = $3, attempts = s.attempts + 1, lease_seconds = $4::integer,
         lease_until = clock_timestamp() + make_interval(secs => $4::integer), progress = 0, started_at = clock_timestamp(),
         ${touch('$5')}
    FROM oldest WHERE s.workspace_id = oldest.workspace_id AND s.id = oldest.id
  RETURNING s.workspace_id AS "workspaceId", s.id, s.attempts`;

const REQUEUE_EXPIRED = `
  WITH expired AS (${selectExpired(`attempts < ${MAX_ATTEMPTS}`)})
  UPDATE stagings s
     SET status = 'queued', claim = NULL, lease_until = NULL, progress = 0, started_at = NULL, ${touch('NULL')}
    FROM expired WHERE s.workspace_id = expired.workspace_id AND s.id = expired.id
  RETURNING s.workspace_id AS "workspaceId", s.id`;

/** Identifies a render job. */
export interface JobId {
  workspaceId: string;
  id: string;
}

/** A call of a renderer about the job that it claimed. */
export interface RendererCall {
  caller: Principal;
  id: string;
  token: string;
}

/**
 * The queue of render jobs. The table itself is the queue: a claim is a token and a lease on a row. Single statements and the
 * clock of the database decide everything, so that any number of renderers and instances can work concurrently.
 */
@Injectable()
export class RenderQueueRepository {
  constructor(private readonly database: Database) {}

  /** Claims the oldest available job, and fails jobs whose last lease expired. @returns undefined if none is available. */
  async claimOldest(
    workspaceIds: readonly string[],
    types: readonly VirtualStagingType[],
    token: string,
    leaseSeconds: number,
    { userId }: Principal,
  ): Promise<(JobId & { attempts: number }) | undefined> {
    const parameters = [workspaceIds, types, token, leaseSeconds, userId];
    return (await this.database.query<JobId & { attempts: number }>(CLAIM_OLDEST, parameters))[0];
  }

  /** @param progress undefined leaves it unchanged. @returns the workspace; undefined if the claim is not valid. */
  renewLease(call: RendererCall, progress?: number): Promise<string | undefined> {
    return this.update(call, `${RENEW_LEASE}, progress = coalesce($5::integer, s.progress)`, progress ?? null);
  }

  /** @returns the workspace; undefined if the claim is not valid. */
  succeed(call: RendererCall): Promise<string | undefined> {
    return this.update(call, `status = 'succeeded', progress = 100, ${FINISH}`);
  }

  /** @returns the workspace; undefined if the claim is not valid. */
  fail(call: RendererCall, error: string): Promise<string | undefined> {
    return this.update(call, `status = 'failed', error = $5, ${FINISH}`, error);
  }

  /** Fails jobs whose last lease expired. @returns how many. */
  async failExhausted(): Promise<number> {
    const [result] = await this.database.query<{ jobs: number }>(
      `WITH ${failExhausted('TRUE')} SELECT count(*)::integer AS jobs FROM failed`,
    );
    return result!.jobs;
  }

  /** Queues jobs with an expired lease again. */
  requeueExpired(): Promise<JobId[]> {
    return this.database.query<JobId>(REQUEUE_EXPIRED);
  }

  /** Deletes the variations of all claims but the current one. @returns their IDs. */
  async deleteStaleVariations({ workspaceId, id }: JobId): Promise<string[]> {
    const deleted = await this.database.query<{ id: string }>(
      `DELETE FROM staging_variations v USING stagings s
        WHERE v.workspace_id = $1 AND v.staging_id = $2 AND s.workspace_id = $1 AND s.id = $2
          AND v.claim IS DISTINCT FROM s.claim
       RETURNING v.id`,
      [workspaceId, id],
    );
    return deleted.map((variation) => variation.id);
  }

  /** Updates the job while the claim is valid. */
  private async update(
    { caller: { workspaceIds, userId }, id, token }: RendererCall,
    assignments: string,
    ...values: unknown[]
  ): Promise<string | undefined> {
    const [updated] = await this.database.query<{ workspaceId: string }>(
      `UPDATE stagings s SET ${assignments}, ${touch('$4')}
        WHERE s.workspace_id = ANY ($1::uuid[]) AND s.id = $2 AND s.claim = $3 AND s.status = 'processing'
          AND s.archived_at IS NULL AND s.lease_until > clock_timestamp()
       RETURNING s.workspace_id AS "workspaceId"`,
      [workspaceIds, id, token, userId, ...values],
    );
    return updated?.workspaceId;
  }
}
