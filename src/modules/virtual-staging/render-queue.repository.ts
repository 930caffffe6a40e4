import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Principal } from '../../platform/security/principal.js';
import { quoteLiteral } from '../../platform/database/sql-literal.js';
import { getEventTypeName } from '../events/event-type.decorator.js';
import { EventsService } from '../events/events.service.js';
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

export const EXPIRED_CLAIMS = `SELECT workspace_id FROM stagings WHERE ${IS_EXPIRED}`;

/** A cluster accepts only immutable functions of columns in SET. */
const RENEW_LEASE = 'lease_until = to_timestamp(clock.now + s.lease_seconds)';
const CLOCK = '(SELECT extract(epoch FROM statement_timestamp())::float8 AS now) clock';
const FINISH = 'lease_until = NULL, completed_at = statement_timestamp()';

/** The record fields that every UPDATE sets. */
const touch = (userId: string) => `version = s.version + 1, updated_at = statement_timestamp(), updated_by = ${userId}`;

const SKIP_LOCKED = 'FOR UPDATE SKIP LOCKED';

/**
 * Used as a CTE, which PostgreSQL executes once. It might execute a subquery again for each row.
 *
 * @param locking ends the SELECT, such as `FOR UPDATE SKIP LOCKED`.
 */
const selectExpired = (condition: string, locking: string) => `
  SELECT workspace_id, id FROM stagings WHERE ${IS_EXPIRED} AND ${condition}
   ORDER BY lease_until LIMIT ${BATCH_SIZE} ${locking}`;

/** CTEs that fail jobs, with their events. */
const failExhausted = (condition: string, locking: string) => `
  exhausted AS (${selectExpired(`attempts >= ${MAX_ATTEMPTS} AND ${condition}`, locking)}),
  failed AS (
    UPDATE stagings s SET status = 'failed', error = '${EXPIRED_ERROR}', ${FINISH}, ${touch('NULL')}
      FROM exhausted WHERE s.workspace_id = exhausted.workspace_id AND s.id = exhausted.id AND s.${IS_EXPIRED}
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

/** The workspaces of `$1` with available jobs of the types `$2`, that with the oldest one first. */
const LIST_AVAILABLE = `
  SELECT s.workspace_id AS "workspaceId" FROM stagings s
   WHERE s.workspace_id = ANY ($1::uuid[]) AND ${isAvailable('s')} GROUP BY s.workspace_id ORDER BY min(s.id::text)`;

/**
 * Neither the tour nor its project is archived. A scalar subquery, so that PostgreSQL evaluates it per candidate by
 * key.
 */
const IS_IN_OPEN_TOUR = `(
  SELECT t.archived_at IS NULL AND p.archived_at IS NULL
    FROM tours t JOIN projects p ON p.workspace_id = $1 AND p.id = t.project_id
   WHERE t.workspace_id = $1 AND t.id = q.tour_id)`;

/**
 * IDs ascend in the order of creation. Rows that another renderer claims at the same time are skipped. The locked row
 * is checked again, because it may have changed since it became a candidate.
 *
 * @param before CTEs that the same statement executes.
 */
const claimOldest = (before: string) => `
  WITH ${before}
  oldest AS (
    SELECT s.id
      FROM (SELECT q.id FROM stagings q WHERE q.workspace_id = $1 AND ${isAvailable('q')} AND ${IS_IN_OPEN_TOUR}
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

const CLAIM_AND_FAIL = claimOldest(`${failExhausted('workspace_id = $1', SKIP_LOCKED)},`);

/** A cluster inserts no generated IDs from another CTE. The background job fails the jobs whose last lease expired. */
const CLAIM_ONLY = claimOldest('');

const buildRequeueing = (reachable: (column: string) => string, locking: string) => `
  WITH expired AS (${selectExpired(`attempts < ${MAX_ATTEMPTS}${reachable('workspace_id')}`, locking)})
  UPDATE stagings s
     SET status = 'queued', claim = NULL, lease_until = NULL, progress = 0, started_at = NULL, ${touch('NULL')}
    FROM expired
   WHERE s.workspace_id = expired.workspace_id AND s.id = expired.id AND s.${IS_EXPIRED}${reachable('s.workspace_id')}
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
 * The queue of render jobs. The table itself is the queue: a claim is a token and a lease on a row. Single statements
 * and the clock of the database decide everything, so that any number of renderers and instances can work concurrently.
 */
@Injectable()
export class RenderQueueRepository {
  constructor(
    private readonly database: Database,
    private readonly events: EventsService,
  ) {}

  /**
   * Claims the oldest available job, and fails jobs whose last lease expired.
   *
   * @returns undefined if none is available.
   */
  async claimOldest(
    workspaceIds: readonly string[],
    types: readonly VirtualStagingType[],
    token: string,
    leaseSeconds: number,
    { userId }: Principal,
  ): Promise<(JobId & { attempts: number }) | undefined> {
    for (const workspaceId of await this.listWorkspaces(workspaceIds, types)) {
      const parameters = [workspaceId, types, token, leaseSeconds, userId];
      const sql = this.database.isDistributed ? CLAIM_ONLY : CLAIM_AND_FAIL;
      const [claimed] = await this.database.query<JobId & { attempts: number }>(sql, parameters);
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

  /** Fails jobs whose last lease expired. @returns how many. */
  async failExhausted(): Promise<number> {
    if (this.database.isDistributed) return this.database.transaction(() => this.failExhaustedOnNodes());
    const [result] = await this.database.query<{ jobs: number }>(
      `WITH ${failExhausted('TRUE', this.database.skipLocked)} SELECT count(*)::integer AS jobs FROM failed`,
    );
    return result!.jobs;
  }

  /**
   * Fails jobs on a cluster, which would send the result of a common table expression that `INSERT` reads to all nodes.
   */
  private async failExhaustedOnNodes(): Promise<number> {
    const failed = await this.database.query<JobId>(
      `UPDATE stagings s SET status = 'failed', error = '${EXPIRED_ERROR}', ${FINISH}, ${touch('NULL')}
        WHERE s.attempts >= ${MAX_ATTEMPTS} AND s.${IS_EXPIRED}${this.database.onlyReachable('s.workspace_id')}
       RETURNING s.workspace_id AS "workspaceId", s.id`,
    );
    const service = { userId: null, source: 'service' as const };
    for (const { workspaceId, id } of failed)
      await this.events.recordReference(workspaceId, VirtualStagingFailedDto, { id }, service);
    return failed.length;
  }

  /** Queues jobs with an expired lease again. */
  requeueExpired(): Promise<JobId[]> {
    const { skipLocked } = this.database;
    const sql = buildRequeueing((column) => this.database.onlyReachable(column), skipLocked);
    return this.database.query<JobId>(sql);
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
