import { setMaxListeners } from 'node:events';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { Config } from '../../platform/config/config.js';
import { runOutsideRequest } from '../../platform/http/middleware.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { countShare, type Release, Turns } from '../../platform/turns.js';
import { EventReaderService } from '../events/event-reader.service.js';
import { DeliveriesRepository, type LeasedDelivery, type SubscriptionKey } from './deliveries.repository.js';
import { DeliveryAttempts } from './delivery-attempts.js';

/**
 * How long an instance remembers that a workspace has no subscriptions, in milliseconds: another instance may add one.
 */
const NO_SUBSCRIPTIONS_MS = 5_000;

/** Concurrent attempts of one subscription that this instance makes. */
export const MAX_ATTEMPTS_PER_LANE = 10;

/** Part of the attempts of an instance that one workspace uses: its receivers may be slow. */
const WORKSPACE_SHARE = 0.5;

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
 * For each workspace it is limited, too, so that its slow receivers do not delay those of other workspaces.
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
  /** For attempts, with the workspace as the key. */
  private readonly turns: Turns;
  /** Lanes without a free turn. The longest-waiting one continues first. */
  private readonly waiting = new Set<Lane>();

  constructor(
    private readonly repository: DeliveriesRepository,
    private readonly sender: DeliveryAttempts,
    private readonly log: EventReaderService,
    private readonly jobs: Jobs,
    { events: { concurrency } }: Config,
  ) {
    this.turns = new Turns(concurrency, countShare(concurrency, WORKSPACE_SHARE));
  }

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
        const turns = this.turns.takeFree(lane.workspaceId, free);
        if (turns.length === 0) {
          this.waiting.add(lane);
          break;
        }
        await this.lease(lane, turns);
      }
    } catch (error) {
      this.logger.warn(`Sending deliveries failed: ${(error as Error).message}`);
    } finally {
      lane.isLeasing = false;
      if (lane.running === 0 && !lane.hasMore) this.lanes.delete(lane.subscriptionId);
    }
  }

  private async lease(lane: Lane, turns: Release[]): Promise<void> {
    const { running } = lane;
    const free = turns.length;
    lane.hasMore = false;
    try {
      const { deliveries, isFailing } = await this.sender.connections.run('', () =>
        this.repository.lease(lane, uuid(), free, running),
      );
      const allowed = isFailing ? Math.max(0, 1 - running) : free;
      if (deliveries.length === allowed) lane.hasMore = true;
      lane.isFailing = isFailing;
      if (deliveries.length > 0) await this.start(lane, deliveries, turns);
    } finally {
      for (const release of turns) release();
      this.continueWaiting();
    }
  }

  /** @param turns of which each attempt takes one. */
  private async start(lane: Lane, leased: readonly LeasedDelivery[], turns: Release[]): Promise<void> {
    for (const prepared of await this.sender.connections.run('', () => this.sender.prepare(leased))) {
      const release = turns.pop()!;
      lane.running++;
      const attempt = this.sender
        .execute(prepared, this.stopping.signal)
        .then((retryS) => this.scheduleRetry(lane, retryS))
        .catch((error: unknown) => this.logger.warn(`A delivery failed: ${(error as Error).message}`))
        .finally(() => {
          this.attempts.delete(attempt);
          release();
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
    const isContended = [...this.waiting].some(({ workspaceId }) => this.turns.isFree(workspaceId));
    if (!lane.hasMore || (isHalfEmpty && !isContended)) void this.fill(lane);
    else if (isContended) this.waiting.add(lane);
    this.continueWaiting();
  }

  private continueWaiting(): void {
    for (const lane of this.waiting) {
      if (!this.turns.isFree(lane.workspaceId)) continue;
      this.waiting.delete(lane);
      void this.fill(lane);
    }
  }
}
