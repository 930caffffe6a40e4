import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Config } from '../../platform/config/config.js';
import { JobQueues } from '../../platform/jobs/job-queues.js';
import { EventsService } from '../events/events.service.js';
import { DeliveriesRepository, type SubscriptionKey } from './deliveries.repository.js';
import { DeliveryAttempts } from './delivery-attempts.js';

/** How long an instance remembers that a workspace has no subscriptions, in milliseconds. The job queue finds new ones. */
const NO_SUBSCRIPTIONS_MS = 5_000;

/** Retries within this time are started by a timer; the job queue finds later ones. */
const MAX_TIMER_S = 60;

/** The deliveries of one subscription that this instance sends. */
interface Lane extends SubscriptionKey {
  running: number;
  /** May there be due deliveries that are not leased? */
  hasMore: boolean;
  isLeasing: boolean;
  /** Has the last attempt that ended failed? Then fewer deliveries are leased than are free. */
  isFailing: boolean;
}

/**
 * Queues deliveries of new events, and sends those that are due (ADR 0062). Each subscription has its own lane with a limited number of
 * concurrent attempts, one if its receiver is failing, so that a slow receiver delays no other.
 */
@Injectable()
export class DeliveryDispatcher implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliveryDispatcher.name);
  private readonly lanes = new Map<string, Lane>();
  private readonly withoutSubscriptions = new Map<string, number>();
  private readonly queueing = new Set<string>();
  private readonly stopping = new AbortController();
  private readonly attempts = new Set<Promise<void>>();

  constructor(
    private readonly repository: DeliveriesRepository,
    private readonly sender: DeliveryAttempts,
    private readonly events: EventsService,
    private readonly queues: JobQueues,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.queues.register('Queueing deliveries', DeliveriesRepository.behind, () => this.queueAll());
    this.queues.register('Sending deliveries', DeliveriesRepository.due, () => this.sendAll());
    this.events.onNumbered((workspaceId) => {
      const skippedUntil = this.withoutSubscriptions.get(workspaceId);
      if (skippedUntil === undefined || skippedUntil < Date.now()) void this.queue(workspaceId);
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.attempts);
    await this.sender.close();
  }

  /** Sends the due deliveries of a subscription. */
  wake({ workspaceId, subscriptionId }: SubscriptionKey): void {
    const lane = this.lanes.get(subscriptionId) ?? {
      ...{ workspaceId, subscriptionId },
      ...{ running: 0, hasMore: true, isLeasing: false, isFailing: false },
    };
    lane.hasMore = true;
    this.lanes.set(subscriptionId, lane);
    void this.fill(lane);
  }

  /** Queues the deliveries of a workspace, and sends them. */
  queueSoon(workspaceId: string): void {
    void this.queue(workspaceId);
  }

  private async queue(workspaceId: string): Promise<void> {
    if (this.queueing.has(workspaceId) || this.stopping.signal.aborted) return;
    this.queueing.add(workspaceId);
    try {
      for (let hasMore = true; hasMore;) {
        const queued = await this.repository.queue(workspaceId);
        for (const subscriptionId of queued.subscriptionIds) this.wake({ workspaceId, subscriptionId });
        hasMore = queued.hasMore && !this.stopping.signal.aborted;
        if (queued.subscriptions > 0) this.withoutSubscriptions.delete(workspaceId);
        else this.withoutSubscriptions.set(workspaceId, Date.now() + NO_SUBSCRIPTIONS_MS);
      }
    } catch (error) {
      this.logger.warn(`Queueing deliveries failed: ${(error as Error).message}`);
    } finally {
      this.queueing.delete(workspaceId);
    }
  }

  private async queueAll(): Promise<undefined> {
    for (const workspaceId of await this.repository.listBehind()) await this.queue(workspaceId);
  }

  private async sendAll(): Promise<undefined> {
    for (const key of await this.repository.listDue()) this.wake(key);
  }

  /** Leases deliveries until the limits are reached or none is due. */
  private async fill(lane: Lane): Promise<void> {
    const { concurrency, concurrencyPerSubscription } = this.config.events;
    if (lane.isLeasing || this.stopping.signal.aborted) return;
    lane.isLeasing = true;
    try {
      while (lane.hasMore) {
        const free = Math.min(concurrencyPerSubscription - lane.running, concurrency - this.attempts.size);
        if (free <= 0) break;
        lane.hasMore = false;
        const leased = await this.repository.lease(lane, uuid(), free, lane.running);
        // With a failing receiver fewer are leased than are free; the end of the attempt looks for the next.
        if (leased.length === free) lane.hasMore = true;
        if (leased.length > 0) await this.start(lane, leased);
      }
    } catch (error) {
      this.logger.warn(`Sending deliveries failed: ${(error as Error).message}`);
    } finally {
      lane.isLeasing = false;
      if (lane.running === 0 && !lane.hasMore) this.lanes.delete(lane.subscriptionId);
    }
  }

  private async start(lane: Lane, leased: Awaited<ReturnType<DeliveriesRepository['lease']>>): Promise<void> {
    const events = await this.sender.readEvents(lane.workspaceId, leased);
    for (const delivery of leased) {
      lane.running++;
      const attempt = this.sender
        .execute(delivery, events.get(delivery.eventId), this.stopping.signal)
        .then((retryS) => {
          const hasFailed = retryS !== undefined;
          // The lane may have stopped because of a failure of another attempt.
          if (lane.isFailing || hasFailed || delivery.failingSince) lane.hasMore = true;
          lane.isFailing = hasFailed;
          this.scheduleRetry(lane, retryS);
        })
        .catch((error: unknown) => this.logger.warn(`A delivery failed: ${(error as Error).message}`))
        .finally(() => {
          this.attempts.delete(attempt);
          lane.running--;
          this.continueAll(lane);
        });
      this.attempts.add(attempt);
    }
  }

  private scheduleRetry(lane: Lane, retryS: number | undefined): void {
    if (retryS === undefined || retryS > MAX_TIMER_S) return;
    setTimeout(() => this.wake(lane), retryS * 1_000 + 10).unref();
  }

  /** Continues the lane, and those that the limit of the instance has stopped. */
  private continueAll(lane: Lane): void {
    const isHalfEmpty = lane.running <= this.config.events.concurrencyPerSubscription / 2;
    if (isHalfEmpty || !lane.hasMore) void this.fill(lane);
    if (this.attempts.size + 1 < this.config.events.concurrency) return;
    for (const other of this.lanes.values()) if (other !== lane && other.hasMore) void this.fill(other);
  }
}
