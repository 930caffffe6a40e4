import { setMaxListeners } from 'node:events';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { Config } from '../../platform/config/config.js';
import { runOutsideRequest } from '../../platform/http/middleware.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { EventReaderService } from '../events/event-reader.service.js';
import { DeliveriesRepository, type LeasedDelivery, type SubscriptionKey } from './deliveries.repository.js';
import { DeliveryAttempts } from './delivery-attempts.js';

/**
 * How long an instance remembers that a workspace has no subscriptions, in milliseconds: another instance may add one.
 */
const NO_SUBSCRIPTIONS_MS = 5_000;

/** Concurrent attempts of one subscription that this instance makes. */
export const MAX_ATTEMPTS_PER_LANE = 10;

/** Retries within this time are started by a timer; the job queue finds later ones. */
const MAX_TIMER_S = 60;

/** The deliveries of one subscription that this instance sends. */
interface Lane extends SubscriptionKey {
  running: number;
  /** May there be due deliveries that are not leased? */
  hasMore: boolean;
  isLeasing: boolean;
  /** Was the receiver failing at the last lease? Then one attempt at a time is made. */
  isFailing: boolean;
}

/** The work on the deliveries of a workspace. */
interface Queueing {
  /** Does the workspace have events whose deliveries are not queued yet? */
  hasEvents: boolean;
  end: Promise<void> | undefined;
}

/**
 * Queues deliveries of new events, and sends those that are due (ADR 0039). For each subscription the number of
 * concurrent attempts is limited (`Lane`), to one if the receiver is failing, so that a slow receiver delays no other.
 */
@Injectable()
export class DeliveryDispatcher implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliveryDispatcher.name);
  private readonly lanes = new Map<string, Lane>();
  /** Workspaces that were found without subscriptions, and whether they have had events since then. */
  private readonly withoutSubscriptions = new Map<string, { hasEvents: boolean }>();
  /** Workspaces whose deliveries are being queued. */
  private readonly queueing = new Map<string, Queueing>();
  private readonly stopping = new AbortController();
  private readonly attempts = new Set<Promise<void>>();
  /** Lanes that the limit of the instance has stopped. The longest-waiting one continues first. */
  private readonly waiting = new Set<Lane>();
  /** Attempts for which deliveries are being leased. */
  private reserved = 0;

  constructor(
    private readonly repository: DeliveriesRepository,
    private readonly sender: DeliveryAttempts,
    private readonly log: EventReaderService,
    private readonly jobs: Jobs,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    // Each attempt listens to the signal: Node.js would report more than ten listeners as a leak.
    setMaxListeners(0, this.stopping.signal);
    const { behind, due } = DeliveriesRepository;
    this.jobs.processQueue({ name: 'Queueing deliveries', due: behind, run: () => this.queueAll() });
    this.jobs.processQueue({ name: 'Sending deliveries', due, run: () => this.sendAll() });
    this.log.onNumbered((workspaceId) => {
      const remembered = this.withoutSubscriptions.get(workspaceId);
      if (remembered) remembered.hasEvents = true;
      else void this.queue(workspaceId);
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all([...this.attempts, ...[...this.queueing.values()].map(({ end }) => end)]);
    this.sender.close();
  }

  /** Sends the due deliveries of a subscription. */
  wake({ workspaceId, subscriptionId }: SubscriptionKey): void {
    const lane = this.lanes.get(subscriptionId) ?? {
      workspaceId,
      subscriptionId,
      running: 0,
      hasMore: true,
      isLeasing: false,
      isFailing: false,
    };
    lane.hasMore = true;
    this.lanes.set(subscriptionId, lane);
    // A delivery is not for the request that has caused it, nor for the one that has numbered its event.
    runOutsideRequest(() => void this.fill(lane));
  }

  /** Queues the deliveries of a workspace, and sends them. */
  async queue(workspaceId: string): Promise<void> {
    const running = this.queueing.get(workspaceId);
    if (running) {
      running.hasEvents = true;
      return;
    }
    const started: Queueing = { hasEvents: true, end: undefined };
    this.queueing.set(workspaceId, started);
    started.end = runOutsideRequest(() => this.queueEach(workspaceId, started));
    await started.end;
  }

  private async queueEach(workspaceId: string, queueing: Queueing): Promise<void> {
    try {
      while (queueing.hasEvents && !this.stopping.signal.aborted) {
        queueing.hasEvents = false;
        const queued = await this.sender.connections.run('', () => this.repository.queue(workspaceId));
        for (const subscriptionId of queued.subscriptionIds) this.wake({ workspaceId, subscriptionId });
        if (queued.hasMore) queueing.hasEvents = true;
        if (queued.subscriptions > 0) this.withoutSubscriptions.delete(workspaceId);
        else this.rememberWithout(workspaceId);
      }
    } catch (error) {
      this.logger.warn(`Queueing deliveries failed: ${(error as Error).message}`);
    } finally {
      this.queueing.delete(workspaceId);
    }
  }

  private rememberWithout(workspaceId: string): void {
    const remembered = { hasEvents: false };
    this.withoutSubscriptions.set(workspaceId, remembered);
    setTimeout(() => {
      if (this.withoutSubscriptions.get(workspaceId) !== remembered) return;
      this.withoutSubscriptions.delete(workspaceId);
      if (remembered.hasEvents) void this.queue(workspaceId);
    }, NO_SUBSCRIPTIONS_MS).unref();
  }

  private async queueAll(): Promise<undefined> {
    for (const workspaceId of await this.repository.listBehind()) await this.queue(workspaceId);
  }

  private async sendAll(): Promise<undefined> {
    for (const key of await this.repository.listDue()) this.wake(key);
  }

  /** Leases deliveries until the limits are reached or none is due. */
  private async fill(lane: Lane): Promise<void> {
    if (lane.isLeasing || this.stopping.signal.aborted) return;
    lane.isLeasing = true;
    try {
      while (lane.hasMore && (lane.running === 0 || !lane.isFailing)) {
        const free = MAX_ATTEMPTS_PER_LANE - lane.running;
        if (free <= 0) break;
        if (this.free <= 0) {
          this.waiting.add(lane);
          break;
        }
        await this.lease(lane, Math.min(free, this.free));
      }
    } catch (error) {
      this.logger.warn(`Sending deliveries failed: ${(error as Error).message}`);
    } finally {
      lane.isLeasing = false;
      if (lane.running === 0 && !lane.hasMore) this.lanes.delete(lane.subscriptionId);
    }
  }

  /** Attempts that this instance may start now. */
  private get free(): number {
    return this.config.events.concurrency - this.attempts.size - this.reserved;
  }

  private async lease(lane: Lane, free: number): Promise<void> {
    const { running } = lane;
    this.reserved += free;
    lane.hasMore = false;
    try {
      const { deliveries, isFailing } = await this.sender.connections.run('', () =>
        this.repository.lease(lane, uuid(), free, running),
      );
      const allowed = isFailing ? Math.max(0, 1 - running) : free;
      if (deliveries.length === allowed) lane.hasMore = true;
      lane.isFailing = isFailing;
      if (deliveries.length > 0) await this.start(lane, deliveries);
    } finally {
      this.reserved -= free;
      this.continueWaiting();
    }
  }

  private async start(lane: Lane, leased: readonly LeasedDelivery[]): Promise<void> {
    for (const prepared of await this.sender.connections.run('', () => this.sender.prepare(leased))) {
      lane.running++;
      const attempt = this.sender
        .execute(prepared, this.stopping.signal)
        .then((retryS) => this.scheduleRetry(lane, retryS))
        .catch((error: unknown) => this.logger.warn(`A delivery failed: ${(error as Error).message}`))
        .finally(() => {
          this.attempts.delete(attempt);
          lane.running--;
          this.continue(lane);
        });
      this.attempts.add(attempt);
    }
  }

  private scheduleRetry(lane: Lane, retryS: number | undefined): void {
    if (retryS === undefined || retryS > MAX_TIMER_S) return;
    setTimeout(() => this.wake(lane), retryS * 1_000 + 10).unref();
  }

  /**
   * Continues after an attempt has ended. Deliveries are leased only when half of the attempts of the lane have ended,
   * so that few statements are needed.
   */
  private continue(lane: Lane): void {
    const isHalfEmpty = lane.running <= MAX_ATTEMPTS_PER_LANE / 2;
    if (!lane.hasMore || (isHalfEmpty && this.waiting.size === 0)) void this.fill(lane);
    else if (this.waiting.size > 0) this.waiting.add(lane);
    this.continueWaiting();
  }

  private continueWaiting(): void {
    for (const lane of this.waiting) {
      if (this.free <= 0) return;
      this.waiting.delete(lane);
      void this.fill(lane);
    }
  }
}
