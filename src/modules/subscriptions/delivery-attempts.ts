import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { Config } from '../../platform/config/config.js';
import { countShare, Turns } from '../../platform/turns.js';
import { MetricsRegistry } from '../../platform/health/metrics-registry.js';
import { decrypt } from '../../platform/security/encryption.js';
import { AccessPoliciesService } from '../access-policies/access-policies.service.js';
import { EventReaderService, type WorkspaceEvent } from '../events/event-reader.service.js';
import { UsersService } from '../users/users.service.js';
import { DeliveriesRepository, type LeasedDelivery } from './deliveries.repository.js';
import { DeliverySender, type ReceiverResponse } from './delivery-sender.js';
import type { DeliveryAttempt } from './event-delivery.entity.js';
import { NameResolver } from './name-resolver.js';
import { NetworkPolicy } from './network-policy.js';
import { findRetryDelay } from './retry-schedule.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';
import { signWebhook } from './webhook-signature.js';

/** The status with which a receiver ends its subscription. */
const GONE = 410;

/** How long all attempts must fail before a subscription is disabled, in days. */
export const DISABLE_AFTER_DAYS = 5;

const DAY_MS = 24 * 3_600_000;

/** Part of the pool that the statements of deliveries use, however many attempts end at a time. */
const POOL_SHARE = 0.2;

/** A delivery with its event, which is undefined if it was removed after the retention. */
interface PreparedDelivery {
  delivery: LeasedDelivery;
  event: WorkspaceEvent | undefined;
}

/** Makes one attempt of a delivery, and stores its result. */
@Injectable()
export class DeliveryAttempts {
  /** For all statements of deliveries. */
  readonly connections: Turns;
  private readonly attempts: Counter<'result'>;
  private readonly sender: DeliverySender;

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly log: EventReaderService,
    private readonly users: UsersService,
    private readonly policies: AccessPoliciesService,
    private readonly config: Config,
    registry: MetricsRegistry,
  ) {
    this.connections = new Turns(countShare(config.database.poolSize, POOL_SHARE));
    const { allowedNetworks, timeoutMs } = config.events;
    this.sender = new DeliverySender(new NetworkPolicy(allowedNetworks), new NameResolver(), timeoutMs);
    this.attempts = new Counter({
      name: 'atrium_event_delivery_attempts_total',
      help: 'Attempts to deliver events, by result.',
      labelNames: ['result'],
      registers: [registry],
    });
    const oldest = new Gauge({
      name: 'atrium_event_deliveries_oldest_seconds',
      help: 'Age of the oldest delivery in the queue.',
      registers: [registry],
    });
    const overdue = new Gauge({
      name: 'atrium_event_deliveries_overdue_seconds',
      help: 'For how long the first delivery is due that no instance attempts, without those of failing receivers.',
      registers: [registry],
    });
    new Gauge({
      name: 'atrium_event_deliveries_pending',
      help: 'Deliveries in the queue, including those that wait for a retry.',
      registers: [registry],
      async collect() {
        const measured = await registry.readInTime(() => deliveries.measure());
        if (!measured) return;
        this.set(measured.pending);
        oldest.set(measured.oldestS);
        overdue.set(measured.overdueS);
      },
    });
  }

  close(): void {
    this.sender.close();
  }

  /**
   * The deliveries to send of leased ones, all of one subscription. Checked after they were leased and before each of
   * them is sent, so that a change of the owner or of the access policy applies to the next delivery.
   */
  async prepare(deliveries: readonly LeasedDelivery[]): Promise<PreparedDelivery[]> {
    const [subscription] = deliveries;
    if (!subscription || !(await this.requireOwner(subscription))) return [];
    const events = await this.readEvents(subscription, deliveries);
    const prepared = deliveries.map((delivery) => ({ delivery, event: events.get(delivery.eventId) }));
    if (subscription.policyId === null) return prepared;
    const outside = prepared.filter(({ event }) => !event).map(({ delivery }) => delivery);
    if (outside.length > 0) await this.deliveries.withdraw(subscription.workspaceId, outside);
    return prepared.filter(({ event }) => event);
  }

  /** @returns seconds until the next attempt; undefined if none follows. */
  async execute({ delivery, event }: PreparedDelivery, stopping: AbortSignal): Promise<number | undefined> {
    const startedAt = new Date();
    const start = performance.now();
    let response: ReceiverResponse | undefined;
    let error: string | null = null;
    try {
      if (!event) throw new Error('The event was removed after the retention');
      response = await this.send(delivery, event, startedAt, stopping);
    } catch (cause) {
      if (stopping.aborted) {
        await this.connections.run('', () => this.deliveries.release(delivery));
        return undefined;
      }
      error = (cause as Error).message.slice(0, 500);
    }
    const attempt: DeliveryAttempt = {
      at: startedAt.toISOString(),
      responseStatus: response?.status ?? null,
      durationMs: Math.round(performance.now() - start),
      responseBody: response?.body ?? null,
      error,
    };
    return this.connections.run('', () => this.store(delivery, attempt, response));
  }

  /**
   * Disables the subscription unless its owner still is an owner of the workspace.
   *
   * @returns may deliveries be sent?
   */
  private async requireOwner(subscription: LeasedDelivery): Promise<boolean> {
    const { workspaceId, ownerId } = subscription;
    if (ownerId !== null && (await this.users.isActiveOwner(workspaceId, ownerId))) return true;
    await this.subscriptions.disable(subscription, 'not_owner', subscription);
    return false;
  }

  /** Events by ID. Those that were removed after the retention, or are outside of the access policy, are absent. */
  private async readEvents(
    { workspaceId, policyId }: LeasedDelivery,
    deliveries: readonly LeasedDelivery[],
  ): Promise<Map<string, WorkspaceEvent>> {
    const sequences = deliveries.flatMap(({ sequence }) => sequence ?? []);
    const policy = policyId === null ? undefined : await this.policies.find(workspaceId, policyId);
    const events: WorkspaceEvent[] =
      sequences.length > 0 ? await this.log.listBySequences(workspaceId, sequences, policy) : [];
    for (const { sequence, eventId, createdAt } of deliveries)
      if (sequence === null) events.push(createPing(workspaceId, eventId, createdAt));
    return new Map(events.map((event) => [event.id, event]));
  }

  private async store(
    delivery: LeasedDelivery,
    attempt: DeliveryAttempt,
    response: ReceiverResponse | undefined,
  ): Promise<number | undefined> {
    const { failingSince } = delivery;
    const status = response?.status ?? 0;
    const isSuccess = status >= 200 && status < 300;
    this.attempts.inc({ result: isSuccess ? 'succeeded' : response ? 'rejected' : 'no_response' });
    if (isSuccess) {
      const isStored = await this.deliveries.finish(delivery, { attempt, status: 'succeeded' });
      if (isStored && failingSince) await this.deliveries.clearFailingSince(delivery);
      return undefined;
    }
    const retryS = findRetryDelay(this.config.events.retryDelaysS, delivery.retries + 1, response?.retryAfterS);
    const result = { attempt, status: retryS === undefined ? 'failed' : 'pending', retryS } as const;
    if (!(await this.deliveries.finish(delivery, result))) return undefined;
    if (!failingSince) await this.deliveries.setFailingSince(delivery, new Date(attempt.at));
    const isFailing = failingSince !== null && Date.now() - failingSince.getTime() >= DISABLE_AFTER_DAYS * DAY_MS;
    const reason = status === GONE ? 'gone' : isFailing ? 'failing' : undefined;
    if (reason !== undefined && (await this.subscriptions.disable(delivery, reason, delivery))) return undefined;
    if (retryS === undefined) await this.deliveries.endFailing(delivery);
    return retryS;
  }

  private async send(
    { url, secret, previousSecret }: LeasedDelivery,
    event: WorkspaceEvent,
    now: Date,
    stopping: AbortSignal,
  ): Promise<ReceiverResponse> {
    const body = JSON.stringify(event);
    const { encryptionKey } = this.config.secrets;
    const secrets = [secret, previousSecret].filter((each) => each !== null);
    const texts = secrets.map((each) => decrypt(each, encryptionKey).toString());
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Atrium-Webhooks/1.0',
      ...signWebhook(event.id, body, texts, now),
    };
    return this.sender.send(url, headers, body, stopping);
  }
}

function createPing(workspaceId: string, id: string, createdAt: Date): WorkspaceEvent {
  const actor = { userId: null, source: 'service' } as const;
  return { id, type: 'ping', timestamp: createdAt.toISOString(), workspaceId, sequence: null, actor, data: {} };
}
