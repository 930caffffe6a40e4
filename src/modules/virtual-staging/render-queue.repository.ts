import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Principal } from '../../platform/security/principal.js';
import { isInOpenTour } from '../tours/tours.clauses.js';
import type { VirtualStagingType } from './virtual-staging.entity.js';

/** Claims of one virtual staging. If the lease of the last claim expires, the virtual staging fails. */
const MAX_ATTEMPTS = 5;

const EXPIRED_ERROR = `The leases of ${MAX_ATTEMPTS} claims expired one after another.`;

/** Expired leases that one step of the background job handles. */
const BATCH_SIZE = 100;

/** Candidates per workspace that a claim considers: more than the number of concurrent claims. */
const MAX_CANDIDATES = 100;

/**
 * An archived job does not change. `statement_timestamp()` is constant within a statement, so that PostgreSQL can use
 * the index on the lease.
 */
const IS_EXPIRED = `status = 'processing' AND archived_at IS NULL AND lease_until <= statement_timestamp()`;

/** When the oldest queued job was created: for the metric of the age of the queue. */
export const OLDEST_QUEUED = `SELECT min(created_at) FROM stagings WHERE status = 'queued' AND archived_at IS NULL`;

export const EXPIRED_CLAIMS = `SELECT workspace_id FROM stagings WHERE ${IS_EXPIRED}`;

/** A cluster accepts only immutable functions of columns in SET. */
const RENEW_LEASE = 'lease_until = to_timestamp(clock.now + s.lease_seconds)';
const CLOCK = '(SELECT extract(epoch FROM statement_timestamp())::float8 AS now) clock';
const FINISH = 'lease_until = NULL, completed_at = statement_timestamp()';

/** The record fields that every UPDATE sets. */
const touch = (userId: string) => `version = s.version + 1, updated_at = statement_timestamp(), updated_by = ${userId}`;

/** Condition: the job has one of the types `$2`, and is queued or has an expired lease but claims left. */
const isAvailable = (alias: string) => `
  ${alias}.status IN ('queued', 'processing') AND ${alias}.archived_at IS NULL AND ${alias}.type = ANY ($2::text[])
  AND (${alias}.status = 'queued'
       OR (${alias}.lease_until <= statement_timestamp() AND ${alias}.attempts < ${MAX_ATTEMPTS}))`;

/** The workspaces of `$1` with available jobs of the types `$2`, in the order of their oldest available job. */
const LIST_AVAILABLE = `
  SELECT s.workspace_id AS "workspaceId" FROM stagings s
   WHERE s.workspace_id = ANY ($1::uuid[]) AND ${isAvailable('s')} GROUP BY s.workspace_id ORDER BY min(s.id::text)`;

/**
 * IDs ascend in the order of creation. Rows that another renderer claims at the same time are skipped. The locked row
 * is checked again, because it may have changed since it became a candidate.
 */
const CLAIM_OLDEST = `
  WITH oldest AS (
    SELECT s.id
      FROM (SELECT q.id FROM stagings q WHERE q.workspace_id = $1 AND ${isAvailable('q')} AND ${isInOpenTour('$1', 'q.tour_id')}
             ORDER BY q.id LIMIT ${MAX_CANDIDATES}) AS candidate
      JOIN stagings s ON s.workspace_id = $1 AND s.id = candidate.id AND ${isAvailable('s')}
     ORDER BY s.id LIMIT 1 FOR UPDATE OF s SKIP LOCKED)
  UPDATE stagings s
     SET status = 'processing', claim = $3, attempts = s.attempts + 1, lease_seconds = $4::integer,
         lease_until = statement_timestamp() + make_interval(secs => $4::integer), progress = 0,
         started_at = statement_timestamp(),
         ${touch('$5')}
    FROM oldest WHERE s.workspace_id = $1 AND s.id = oldest.id
  RETURNING s.workspace_id AS "workspaceId", s.id, s.attempts`;

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
 * The queue of render jobs. The table itself is the queue: a claim is a token and a lease on a row. Single statements
 * and the clock of the database decide everything, so that any number of renderers and instances can work concurrently.
 */
@Injectable()
export class RenderQueueRepository {
  constructor(private readonly database: Database) {}

  /** Claims the oldest available job. @returns undefined if none is available. */
  async claimOldest(
    workspaceIds: readonly string[],
    types: readonly VirtualStagingType[],
    token: string,
    leaseSeconds: number,
    { userId }: Principal,
  ): Promise<(JobId & { attempts: number }) | undefined> {
    for (const workspaceId of await this.listWorkspaces(workspaceIds, types)) {
      const parameters = [workspaceId, types, token, leaseSeconds, userId];
      const [claimed] = await this.database.query<JobId & { attempts: number }>(CLAIM_OLDEST, parameters);
      if (claimed) return claimed;
    }
    return undefined;
  }

  /** The workspaces in which a claim looks for a job, in this order. */
  private async listWorkspaces(
    workspaceIds: readonly string[],
    types: readonly VirtualStagingType[],
  ): Promise<readonly string[]> {
    if (workspaceIds.length <= 1) return workspaceIds;
    const found = await this.database.query<{ workspaceId: string }>(LIST_AVAILABLE, [workspaceIds, types]);
    return found.map(({ workspaceId }) => workspaceId);
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

  /** Jobs with an expired lease, and whether it was the lease of the last claim. */
  listExpired(): Promise<(JobId & { isExhausted: boolean })[]> {
    return this.database.queryAllWorkspaces(
      (isReachable) => `
       SELECT workspace_id AS "workspaceId", id, attempts >= ${MAX_ATTEMPTS} AS "isExhausted" FROM stagings
        WHERE ${IS_EXPIRED} AND ${isReachable('workspace_id')} ORDER BY lease_until LIMIT ${BATCH_SIZE}`,
    );
  }

  /** Fails a job whose last lease expired. @returns false if another instance was faster. */
  failExhausted(job: JobId): Promise<boolean> {
    return this.endLease(
      job,
      `attempts >= ${MAX_ATTEMPTS}`,
      `status = 'failed', error = '${EXPIRED_ERROR}', ${FINISH}`,
    );
  }

  /** Queues a job with an expired lease again. @returns false if another instance or a renderer was faster. */
  requeueExpired(job: JobId): Promise<boolean> {
    const assignments = "status = 'queued', claim = NULL, lease_until = NULL, progress = 0, started_at = NULL";
    return this.endLease(job, `attempts < ${MAX_ATTEMPTS}`, assignments);
  }

  private async endLease({ workspaceId, id }: JobId, condition: string, assignments: string): Promise<boolean> {
    const ended = await this.database.affected(
      `UPDATE stagings s SET ${assignments}, ${touch('NULL')}
        WHERE s.workspace_id = $1 AND s.id = $2 AND s.${condition} AND s.${IS_EXPIRED}`,
      [workspaceId, id],
    );
    return ended > 0;
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
         FROM ${CLOCK}
        WHERE s.workspace_id = ANY ($1::uuid[]) AND s.id = $2 AND s.claim = $3 AND s.status = 'processing'
          AND s.archived_at IS NULL AND s.lease_until > statement_timestamp()
       RETURNING s.workspace_id AS "workspaceId"`,
      [workspaceIds, id, token, userId, ...values],
    );
    return updated?.workspaceId;
  }
}
