import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { AuditService } from '../audit/audit.service.js';
import { selectLastSequence } from '../events/events.clauses.js';
import { DeliveriesRepository, type LeasedDelivery, type SubscriptionKey } from './deliveries.repository.js';
import { type DisabledReason, Subscription } from './subscription.entity.js';

/** What an operator sees of a subscription. */
export type ListedSubscription = Pick<
  Subscription,
  'workspaceId' | 'id' | 'url' | 'events' | 'status' | 'disabledReason' | 'failingSince'
> & { pending: number };

@Injectable()
export class SubscriptionsRepository {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveriesRepository,
    private readonly audit: AuditService,
  ) {}

  /** Without its secrets. @throws {NotFoundError} */
  async get({ workspaceId, subscriptionId: id }: SubscriptionKey): Promise<Omit<Subscription, 'secret'>> {
    const found = await this.database.repository(Subscription).findOneBy({ workspaceId, id });
    if (!found) throw new NotFoundError('The subscription');
    found.ownerId ??= found.createdBy;
    return found;
  }

  /**
   * The number of subscriptions of the workspace, which does not change until the transaction ends: the lock of the
   * oldest one serializes those who ask, unless there is none.
   */
  async countLocked(workspaceId: string): Promise<number> {
    await this.database.query('SELECT id FROM subscriptions WHERE workspace_id = $1 ORDER BY id LIMIT 1 FOR UPDATE', [
      workspaceId,
    ]);
    return this.database.repository(Subscription).countBy({ workspaceId });
  }

  /** Locks a subscription until the transaction ends. @throws {NotFoundError} */
  async lock({ workspaceId, subscriptionId: id }: SubscriptionKey): Promise<Subscription> {
    const where = { workspaceId, id };
    const found = await this.database.repository(Subscription).findOne({ where, lock: { mode: 'pessimistic_write' } });
    if (!found) throw new NotFoundError('The subscription');
    return found;
  }

  /**
   * Disables a subscription and ends its deliveries, with an entry in the audit log. Nothing changes if it is disabled.
   *
   * @param leased only if the version of the subscription is that of this lease, and for `failing` also its
   *   `failingSince`; undefined for any.
   * @returns was it disabled?
   */
  async disable(
    { workspaceId, subscriptionId }: SubscriptionKey,
    reason: DisabledReason,
    leased?: Pick<LeasedDelivery, 'version' | 'failingSince'>,
  ): Promise<boolean> {
    return this.database.transaction(async () => {
      const disabled = await this.database.affected(
        `UPDATE subscriptions SET status = 'disabled', disabled_reason = $3, version = version + 1, updated_at = now()
          WHERE workspace_id = $1 AND id = $2 AND status = 'enabled'
            AND ($4::integer IS NULL OR version = $4) AND ($3 <> 'failing' OR failing_since = $5)`,
        [workspaceId, subscriptionId, reason, leased?.version ?? null, leased?.failingSince ?? null],
      );
      if (disabled === 0) return false;
      await this.deliveries.cancel({ workspaceId, subscriptionId }, []);
      await this.audit.record({ kind: 'subscription_disabled', workspaceId, reason: `${subscriptionId} ${reason}` });
      return true;
    });
  }

  /** Ends the queued deliveries of types that the subscription does not have. Pings remain. */
  async cancelOtherTypes(key: SubscriptionKey, events: readonly string[]): Promise<void> {
    await this.deliveries.cancel(key, [...events, 'ping']);
    await this.deliveries.endFailing(key);
  }

  async replaceSecret({ workspaceId, subscriptionId }: SubscriptionKey, secret: Buffer, until: Date): Promise<void> {
    await this.database.affected(
      `UPDATE subscriptions SET previous_secret = secret, previous_secret_until = $4, secret = $3, version = version + 1, updated_at = now()
        WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, subscriptionId, secret, until],
    );
  }

  /** Deliveries begin again after this number of the log. Those that are queued would be sent twice. */
  async rewind(key: SubscriptionKey, through: number): Promise<void> {
    await this.deliveries.withdrawAfter(key, through);
    await this.setPosition(key, through);
  }

  /** Deliveries continue after this number of the log. @param through undefined for its end. */
  async setPosition({ workspaceId, subscriptionId }: SubscriptionKey, through?: number): Promise<void> {
    await this.database.affected(
      `UPDATE subscriptions SET failing_since = NULL, queued_through = coalesce(
              $3::bigint, ${selectLastSequence('$1')}, 0)
        WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, subscriptionId, through ?? null],
    );
  }

  countWithPolicy(workspaceId: string, policyId: string): Promise<number> {
    return this.database.repository(Subscription).countBy({ workspaceId, policyId });
  }

  /** Subscriptions of one workspace or of all, with the length of their queues. */
  list(workspaceId: string | undefined): Promise<ListedSubscription[]> {
    return this.database.query(
      `SELECT s.workspace_id AS "workspaceId", s.id, s.url, s.events, s.status, s.disabled_reason AS "disabledReason",
              s.failing_since AS "failingSince",
              (SELECT count(*)::integer FROM event_deliveries d
                WHERE d.workspace_id = s.workspace_id AND d.subscription_id = s.id AND d.due_at IS NOT NULL) AS pending
         FROM subscriptions s WHERE $1::uuid IS NULL OR s.workspace_id = $1 ORDER BY s.workspace_id, s.id`,
      [workspaceId ?? null],
    );
  }

  /** The workspace of a subscription, for the operator. @throws {NotFoundError} */
  async getWorkspace(id: string): Promise<string> {
    const found = await this.database.repository(Subscription).findOneBy({ id });
    if (!found) throw new NotFoundError('The subscription');
    return found.workspaceId;
  }
}
