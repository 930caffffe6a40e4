import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { NEW_UUID_IN_SQL } from '../../../packages/sql/src/uuid.js';
import { joinEvents, joinLogEnd } from '../events/events.clauses.js';
import type { DeliveryAttempt, DeliveryStatus } from './event-delivery.entity.js';

/** A subscription of a workspace. */
export interface SubscriptionKey {
  workspaceId: string;
  subscriptionId: string;
}

/** A delivery that this instance has leased, and what is needed to send it. */
export interface LeasedDelivery extends SubscriptionKey {
  id: string;
  lease: string;
  eventId: string;
  sequence: number | null;
  retries: number;
  createdAt: Date;
  url: string;
  secret: Buffer;
  previousSecret: Buffer | null;
  /** Of the subscription, as `failingSince`. */
  version: number;
  failingSince: Date | null;
  /** On whose behalf it is sent. */
  ownerId: string | null;
  /** The access policy that restricts the events of the subscription. */
  policyId: string | null;
}

/** What an instance may send now. */
export interface Leased {
  deliveries: LeasedDelivery[];
  /** Has no attempt succeeded since one failed? */
  isFailing: boolean;
}

/** How an attempt ended. */
export interface AttemptResult {
  attempt: DeliveryAttempt;
  status: DeliveryStatus;
  /** Seconds until the next attempt; undefined if none follows. */
  retryS?: number;
}

/** The events of a subscription whose deliveries are queued: after a number of the log, up to another. */
interface QueuePosition {
  id: string;
  after: string;
  through: string;
}

/** Entries of the queue that a statement adds at most per subscription. */
const MAX_QUEUED = 1_000;

/** Subscriptions that a statement advances at most: with `MAX_QUEUED`, it adds 20,000 entries in less than a second. */
const MAX_ADVANCED = 20;

/** How long an attempt is leased: longer than its timeout. */
const LEASE = "interval '60 seconds'";

/**
 * The time with the precision of `due_at`, which PostgreSQL rounds, up or down: an entry that is due at once is found
 * at once.
 */
const NOW = 'statement_timestamp()::timestamptz(3)';

/** The queue of deliveries. Statements name one workspace, so that they run on one node of a cluster. */
@Injectable()
export class DeliveriesRepository {
  constructor(private readonly database: Database) {}

  /** Subscriptions whose queue is behind the log. */
  static readonly behind = `
    SELECT s.workspace_id FROM subscriptions s ${joinLogEnd('s.workspace_id')}
     WHERE s.status = 'enabled' AND s.queued_through < c.last_sequence`;

  /** Deliveries that are due. */
  static readonly due = 'SELECT workspace_id, subscription_id FROM event_deliveries WHERE due_at <= ' + NOW;

  async listBehind(): Promise<string[]> {
    const found = await this.database.queryAllWorkspaces<{ id: string }>(
      (isReachable) =>
        `SELECT DISTINCT workspace_id AS id FROM (${DeliveriesRepository.behind} AND ${isReachable('s.workspace_id')}) behind`,
    );
    return found.map(({ id }) => id);
  }

  listDue(): Promise<SubscriptionKey[]> {
    return this.database.queryAllWorkspaces(
      (isReachable) =>
        `SELECT DISTINCT workspace_id AS "workspaceId", subscription_id AS "subscriptionId"
           FROM (${DeliveriesRepository.due} AND ${isReachable('workspace_id')}) due`,
    );
  }

  /**
   * Queues deliveries of new events for the subscriptions of a workspace that are behind the most.
   *
   * @returns the subscriptions with new deliveries, whether there are more events for any subscription, and the number
   *   of subscriptions.
   */
  async queue(workspaceId: string): Promise<{ subscriptionIds: string[]; hasMore: boolean; subscriptions: number }> {
    const enabled = await this.database.query<QueuePosition & { isBehind: boolean; hasMore: boolean }>(
      `SELECT s.id, s.queued_through AS after, least(c.last_sequence, s.queued_through + $2) AS through,
              s.queued_through < c.last_sequence AS "isBehind", s.queued_through + $2 < c.last_sequence AS "hasMore"
         FROM subscriptions s LEFT ${joinLogEnd('$1')}
        WHERE s.workspace_id = $1 AND s.status = 'enabled' ORDER BY s.queued_through, s.id`,
      [workspaceId, MAX_QUEUED],
    );
    const behind = enabled.filter(({ isBehind }) => isBehind).slice(0, MAX_ADVANCED);
    const subscriptionIds =
      behind.length === 0 ? [] : await this.database.transaction(() => this.advance(workspaceId, behind));
    const hasMore = behind.length === MAX_ADVANCED || behind.some((each) => each.hasMore);
    return { subscriptionIds, hasMore, subscriptions: enabled.length };
  }

  /**
   * Advances the positions of subscriptions that no other instance has advanced, and adds their deliveries.
   *
   * @returns the subscriptions with new deliveries.
   */
  private async advance(workspaceId: string, positions: readonly QueuePosition[]): Promise<string[]> {
    const advanced = await this.database.query<QueuePosition>(
      `UPDATE subscriptions s SET queued_through = b.through
         FROM unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS b (id, after, through)
        WHERE s.workspace_id = $1 AND s.id = b.id AND s.status = 'enabled' AND s.queued_through = b.after
       RETURNING s.id, b.after, b.through`,
      [workspaceId, ...toColumns(positions)],
    );
    if (advanced.length === 0) return [];
    // A volatile function makes the coordinator of a cluster read the events and send the deliveries. The IDs ascend
    // with the events: the log of deliveries lists those of one statement in this order.
    const queued = await this.database.query<{ id: string }>(
      `INSERT INTO event_deliveries (workspace_id, id, subscription_id, event_id, event_type, sequence, due_at)
       SELECT workspace_id, ${NEW_UUID_IN_SQL}, subscription_id, event_id, type, sequence, statement_timestamp()
         FROM (SELECT s.workspace_id, s.id AS subscription_id, e.id AS event_id, e.type, e.sequence
                 FROM subscriptions s
                 JOIN unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS a (id, after, through) ON a.id = s.id
                 ${joinEvents('$1', 'a.after', 'a.through')}
                WHERE s.workspace_id = $1 AND ${matches('s.events', 'e.type')}
                  AND (s.excluded_actor_id IS NULL OR e.actor_id IS DISTINCT FROM s.excluded_actor_id)
                  AND (s.watcher_id IS NULL OR (e.data -> 'watchers')::jsonb ? s.watcher_id::text)
                ORDER BY e.sequence) queued
       RETURNING subscription_id AS id`,
      [workspaceId, ...toColumns(advanced)],
    );
    return [...new Set(queued.map(({ id }) => id))];
  }

  /**
   * Leases due deliveries of a subscription. If its receiver is failing, only one at a time.
   *
   * @param running attempts of this instance that are in progress.
   */
  async lease(
    { workspaceId, subscriptionId }: SubscriptionKey,
    lease: string,
    limit: number,
    running: number,
  ): Promise<Leased> {
    const rows = await this.database.query<LeasedDelivery | { id: null; failingSince: Date | null }>(
      // PostgreSQL executes the CTE once. It might execute a subquery of the UPDATE again for each row, and exceed the
      // limit.
      `WITH s AS MATERIALIZED (
         SELECT * FROM subscriptions WHERE workspace_id = $1 AND id = $2),
       due AS MATERIALIZED (
         SELECT id FROM event_deliveries
          WHERE workspace_id = $1 AND subscription_id = $2 AND due_at <= ${NOW}
          ORDER BY due_at, sequence
          LIMIT (SELECT CASE WHEN failing_since IS NULL THEN $4::integer ELSE greatest(0, 1 - $5::integer) END FROM s)
            FOR UPDATE SKIP LOCKED),
       leased AS (
         UPDATE event_deliveries d SET lease = $3, due_at = statement_timestamp() + ${LEASE}
           FROM due WHERE d.workspace_id = $1 AND d.id = due.id
         RETURNING d.*)
       SELECT s.workspace_id AS "workspaceId", s.id AS "subscriptionId", d.id, d.lease, d.event_id AS "eventId",
              d.sequence::float8 AS sequence, d.retries, d.created_at AS "createdAt", s.url, s.secret,
              CASE WHEN s.previous_secret_until > statement_timestamp() THEN s.previous_secret END AS "previousSecret",
              s.version, s.failing_since AS "failingSince", coalesce(s.owner_id, s.created_by) AS "ownerId",
              s.policy_id AS "policyId"
         FROM s LEFT JOIN leased d ON true`,
      [workspaceId, subscriptionId, lease, limit, running],
    );
    const deliveries = rows.filter((row): row is LeasedDelivery => row.id !== null);
    return { deliveries, isFailing: rows.some(({ failingSince }) => failingSince !== null) };
  }

  /**
   * Stores an attempt.
   *
   * @returns false if nothing changed: the lease expired and another instance has taken the delivery, or it was ended
   *   or repeated during the attempt.
   */
  async finish(
    { workspaceId, id, lease }: Pick<LeasedDelivery, 'workspaceId' | 'id' | 'lease'>,
    { attempt, status, retryS }: AttemptResult,
  ): Promise<boolean> {
    const affected = await this.database.affected(
      `UPDATE event_deliveries
          SET status = $4, attempts = attempts || $5::jsonb, lease = NULL, retries = CASE WHEN $4 = 'succeeded' THEN retries ELSE retries + 1 END,
              due_at = statement_timestamp() + make_interval(secs => $6)
        WHERE workspace_id = $1 AND id = $2 AND lease = $3`,
      [workspaceId, id, lease, status, JSON.stringify([attempt]), retryS ?? null],
    );
    return affected > 0;
  }

  /** Returns a delivery to the queue without an attempt. */
  async release({ workspaceId, id, lease }: Pick<LeasedDelivery, 'workspaceId' | 'id' | 'lease'>): Promise<void> {
    await this.database.affected(
      `UPDATE event_deliveries SET lease = NULL, due_at = statement_timestamp()
        WHERE workspace_id = $1 AND id = $2 AND lease = $3`,
      [workspaceId, id, lease],
    );
  }

  /** Ends leased deliveries without an attempt. */
  withdraw(workspaceId: string, leased: readonly Pick<LeasedDelivery, 'id' | 'lease'>[]): Promise<void> {
    const leases = [leased.map(({ id }) => id), leased.map(({ lease }) => lease)];
    const areLeased = '(id, lease) IN (SELECT * FROM unnest($2::uuid[], $3::uuid[]))';
    return this.remove(areLeased, [workspaceId, ...leases]);
  }

  /** Ends the queued deliveries of the events after a number, except those that are being attempted. */
  withdrawAfter({ workspaceId, subscriptionId }: SubscriptionKey, sequence: number): Promise<void> {
    const areQueued = 'subscription_id = $2 AND sequence > $3 AND due_at IS NOT NULL AND lease IS NULL';
    return this.remove(areQueued, [workspaceId, subscriptionId, sequence]);
  }

  /** Those that have attempts remain in the log; others are removed. */
  private async remove(condition: string, parameters: readonly unknown[]): Promise<void> {
    await this.database.affected(
      `UPDATE event_deliveries SET status = 'failed', lease = NULL, due_at = NULL
        WHERE workspace_id = $1 AND ${condition} AND attempts <> '[]'`,
      parameters,
    );
    await this.database.affected(`DELETE FROM event_deliveries WHERE workspace_id = $1 AND ${condition}`, parameters);
  }

  /** Sends a delivery again, with all retries. @returns false if it does not exist. */
  async repeat({ workspaceId, subscriptionId }: SubscriptionKey, id: string): Promise<boolean> {
    const affected = await this.database.affected(
      `UPDATE event_deliveries SET status = 'pending', retries = 0, lease = NULL, due_at = statement_timestamp()
        WHERE workspace_id = $1 AND subscription_id = $2 AND id = $3`,
      [workspaceId, subscriptionId, id],
    );
    return affected > 0;
  }

  /** Ends the queued deliveries of a subscription, except those of these types or patterns of types. */
  async cancel({ workspaceId, subscriptionId }: SubscriptionKey, remaining: readonly string[]): Promise<void> {
    await this.database.affected(
      `UPDATE event_deliveries SET status = 'failed', lease = NULL, due_at = NULL
        WHERE workspace_id = $1 AND subscription_id = $2 AND due_at IS NOT NULL
          AND NOT ${matches('$3::text[]', 'event_type')}`,
      [workspaceId, subscriptionId, remaining],
    );
  }

  /** Stores the first failure, unless the subscription was changed since the lease. */
  async setFailingSince({ workspaceId, subscriptionId, version }: LeasedDelivery, since: Date): Promise<void> {
    await this.database.affected(
      'UPDATE subscriptions SET failing_since = $3 WHERE workspace_id = $1 AND id = $2 AND version = $4',
      [workspaceId, subscriptionId, since, version],
    );
  }

  /** A receiver is no longer failing after a success. */
  async clearFailingSince({ workspaceId, subscriptionId }: SubscriptionKey): Promise<void> {
    await this.database.affected('UPDATE subscriptions SET failing_since = NULL WHERE workspace_id = $1 AND id = $2', [
      workspaceId,
      subscriptionId,
    ]);
  }

  /** A receiver without queued deliveries is no longer failing: nothing is sent that could succeed. */
  async endFailing({ workspaceId, subscriptionId }: SubscriptionKey): Promise<void> {
    await this.database.affected(
      `UPDATE subscriptions SET failing_since = NULL
        WHERE workspace_id = $1 AND id = $2 AND NOT EXISTS (
          SELECT 1 FROM event_deliveries WHERE workspace_id = $1 AND subscription_id = $2 AND due_at IS NOT NULL)`,
      [workspaceId, subscriptionId],
    );
  }

  /**
   * The length of the queue, the age of its oldest entry, and for how long the first entry is due that no instance
   * attempts. Deliveries of failing receivers wait for each other, so they are not overdue.
   */
  async measure(): Promise<{ pending: number; oldestS: number; overdueS: number }> {
    const [measured] = await this.database.query<{ pending: number; oldestS: number; overdueS: number }>(
      `SELECT count(*)::float8 AS pending,
              coalesce(extract(epoch FROM statement_timestamp() - min(d.created_at)), 0)::float8 AS "oldestS",
              coalesce(extract(epoch FROM statement_timestamp() - min(d.due_at)
                FILTER (WHERE d.due_at <= ${NOW} AND s.failing_since IS NULL)), 0)::float8 AS "overdueS"
         FROM event_deliveries d
         JOIN subscriptions s ON s.workspace_id = d.workspace_id AND s.id = d.subscription_id
        WHERE d.due_at IS NOT NULL`,
    );
    return measured!;
  }

  deleteOld(batch: number, days: number): Promise<number> {
    return this.database.affected(
      `WITH old AS MATERIALIZED (
         SELECT workspace_id, id FROM event_deliveries WHERE created_at < now() - make_interval(days => $2)
          ORDER BY created_at LIMIT $1)
       DELETE FROM event_deliveries d USING old WHERE d.workspace_id = old.workspace_id AND d.id = old.id`,
      [batch, days],
    );
  }
}

/** SQL condition: does one of the patterns `note.created`, `note.*` or `*` match the type? */
function matches(patterns: string, type: string): string {
  return `${patterns} && ARRAY[${type}, split_part(${type}, '.', 1) || '.*', '*']`;
}

function toColumns(positions: readonly QueuePosition[]): string[][] {
  return [positions.map(({ id }) => id), positions.map(({ after }) => after), positions.map(({ through }) => through)];
}
