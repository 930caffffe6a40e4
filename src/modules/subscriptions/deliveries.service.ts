import { Injectable } from '@nestjs/common';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { Database } from '../../platform/database/database.js';
import { DomainError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { PageQueryDto } from '../../platform/http/page.dto.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import type { Principal } from '../../platform/security/principal.js';
import { getRowPage } from '../../records/row-pages.repository.js';
import { EventReaderService } from '../events/event-reader.service.js';
import { DeliveriesRepository, type SubscriptionKey } from './deliveries.repository.js';
import { DeliveryDispatcher } from './delivery-dispatcher.js';
import type { DeliveryDto } from './dto/deliveries.dto.js';
import { EventDelivery } from './event-delivery.entity.js';
import { SUBSCRIPTION_ERRORS } from './subscriptions.errors.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';

const SELECT_DELIVERIES = `
  SELECT id, json_build_object('id', event_id, 'type', event_type, 'sequence', sequence) AS event, status,
         CASE WHEN lease IS NULL THEN due_at END AS "nextAttemptAt", attempts, created_at AS "createdAt"
    FROM event_deliveries WHERE workspace_id = $1 AND subscription_id = $2`;

/** The delivery log of a subscription. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly database: Database,
    private readonly repository: DeliveriesRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly dispatcher: DeliveryDispatcher,
    private readonly log: EventReaderService,
  ) {}

  /** The newest first. @throws {NotFoundError | InvalidCursorError} */
  async list(key: SubscriptionKey, { limit, cursor }: PageQueryDto): Promise<Page<DeliveryDto>> {
    await this.subscriptions.get(key);
    const { workspaceId, subscriptionId } = key;
    const statement = { sql: SELECT_DELIVERIES, parameters: [workspaceId, subscriptionId], sized: ['attempts'] };
    const page = { limit, cursor, sort: '-createdAt' };
    return getRowPage<DeliveryDto>(this.database, ['deliveries', subscriptionId], statement, page);
  }

  /**
   * Makes an attempt at once, with all retries.
   *
   * @throws {NotFoundError | InsufficientScopeError | DomainError} `subscription_disabled`
   */
  async redeliver(caller: Principal, key: SubscriptionKey, id: string): Promise<DeliveryDto> {
    await this.database.transaction(async () => {
      const { events } = await this.lockEnabled(key);
      // The subscription may have had other types when the event was queued.
      const { event } = await this.get(key, id);
      this.log.requireReadable(caller, [...events, event.type]);
      if (!(await this.repository.repeat(key, id))) throw new NotFoundError('The delivery');
    });
    this.dispatcher.wake(key);
    return this.get(key, id);
  }

  /**
   * Sends an event of the type `ping`, only to this subscription.
   *
   * @throws {NotFoundError | DomainError} `subscription_disabled`
   */
  async ping(key: SubscriptionKey): Promise<DeliveryDto> {
    const id = uuid();
    await this.database.transaction(async () => {
      await this.lockEnabled(key);
      const ping = { eventId: uuid(), eventType: 'ping', sequence: null, dueAt: new Date() };
      await this.database.repository(EventDelivery).insert({ ...key, id, ...ping });
    });
    this.dispatcher.wake(key);
    return this.get(key, id);
  }

  /** Locks a subscription until the transaction ends, so that it is neither disabled nor deleted meanwhile. */
  private async lockEnabled(key: SubscriptionKey) {
    const subscription = await this.subscriptions.lock(key);
    if (subscription.status === 'disabled') throw new DomainError(SUBSCRIPTION_ERRORS.subscription_disabled);
    return subscription;
  }

  private async get({ workspaceId, subscriptionId }: SubscriptionKey, id: string): Promise<DeliveryDto> {
    const found = await this.database.repository(EventDelivery).findOneBy({ workspaceId, subscriptionId, id });
    if (!found) throw new NotFoundError('The delivery');
    const { eventId, eventType: type, sequence, status, dueAt, lease, attempts, createdAt } = found;
    const nextAttemptAt = lease === null ? dueAt : null;
    return { id, event: { id: eventId, type, sequence }, status, nextAttemptAt, attempts, createdAt };
  }
}
