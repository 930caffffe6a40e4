import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { DatabaseState } from '../database/database-state.js';
import { startInTurn } from '../http/connections.js';
import { readTarget } from '../http/request-target.js';
import { answerUnreadableTarget } from '../http/unreadable-requests.js';
import { AdaptiveLimit } from './adaptive-limit.js';
import { Lane, type Work } from './lane.js';
import { Rejection } from './rejection.js';
import { isAnonymous, isGated, isLarge, targetMs } from './request-class.js';
import { listen } from '../listeners.js';

/** Length of a period, in milliseconds. */
const PERIOD_MS = 25;

/** Delay of the event loop above which the process is congested, in milliseconds. */
const LOOP_DELAY_MS = 15;

/** Wait for a connection of the pool above which the database is congested, in milliseconds. */
const POOL_WAIT_MS = 100;

const SMALL = { initial: 32, max: 2_000 };
const LARGE = { min: 2, initial: 4, max: 256 };
/**
 * Constant: the rate limits of anonymous callers protect the capacity, this number protects the turns of the others.
 */
const ANONYMOUS = { min: 16, initial: 16, max: 16 };

const SMALL_QUEUE = { requests: 256, intervalMs: 1.5 };
const LARGE_QUEUE = { requests: 64, intervalMs: 50 };

/**
 * Limits the requests that run at a time, so that an overloaded instance answers as many as before in time, and rejects
 * the others before it spends time on them (ADR 0058). Nothing is measured while the instance is idle.
 */
@Injectable()
export class OverloadGate {
  /** Rejected requests since the start. */
  rejected = 0;
  private readonly small: Lane;
  private readonly large: Lane;
  /** Large requests of anonymous callers, who may send slowly. */
  private readonly anonymous: Lane;
  private readonly rejection: Rejection;
  /** Large requests that succeeded in this period, and those that took too long. */
  private succeeded = 0;
  private late = 0;
  private timer?: NodeJS.Timeout;
  private periodStartedAt = 0;
  private acquiredBefore = 0;

  constructor(
    private readonly database: DatabaseState,
    config: Config,
  ) {
    const { poolSize } = config.database;
    const ms = config.http.requestWaitMs;
    const initial = Math.max(SMALL.initial, poolSize);
    this.rejection = new Rejection(config);
    const reject = ({ request, response }: Work) => this.reject(request, response);
    const smallLimit = new AdaptiveLimit({ min: poolSize, initial, max: SMALL.max });
    this.small = new Lane(smallLimit, { ...SMALL_QUEUE, ms }, reject, () => undefined);
    this.anonymous = new Lane(new AdaptiveLimit(ANONYMOUS), { ...LARGE_QUEUE, ms }, reject, () => undefined);
    this.large = new Lane(new AdaptiveLimit(LARGE), { ...LARGE_QUEUE, ms }, reject, (work) => this.observe(work));
  }

  /** Puts the gate before the application, so that a rejection costs little more than its transfer. */
  protect(server: Server): void {
    const listeners = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request');
    listen(server, 'request', (request: IncomingMessage, response: ServerResponse) => {
      const start = () => {
        try {
          for (const listener of listeners) listener.call(server, request, response);
        } catch (error) {
          // The turn of a pipelined request is not an event of the server, so nothing else handles this error.
          response.destroy(error as Error);
        }
      };
      startInTurn(response, () => {
        if (!readTarget(request)) answerUnreadableTarget(request, response);
        else if (isGated(request)) this.admit(request, response, start);
        else start();
      });
    });
  }

  /** For the metrics. */
  state(): { limit: number; concurrent: number } {
    const lanes = [this.small, this.large, this.anonymous];
    return {
      limit: lanes.reduce((sum, { limit }) => sum + limit.value, 0),
      concurrent: lanes.reduce((sum, { concurrent }) => sum + concurrent, 0),
    };
  }

  private admit(request: IncomingMessage, response: ServerResponse, start: () => void): void {
    const arrivedAt = performance.now();
    const lane = this.findLane(request);
    this.timer ??= this.startTimer(arrivedAt);
    const work: Work = {
      request,
      response,
      start,
      arrivedAt,
      maxWaitMs: 0,
      readyAt: arrivedAt,
      isComplete: false,
      isCounted: false,
      isWaiting: false,
    };
    // A request that waits is started by the end of another one, whose context it must not inherit.
    if (lane.isFull) work.start = AsyncResource.bind(start);
    lane.add(work);
  }

  private findLane(request: IncomingMessage): Lane {
    if (!isLarge(request)) return this.small;
    return isAnonymous(request) ? this.anonymous : this.large;
  }

  private reject(request: IncomingMessage, response: ServerResponse): void {
    this.rejected++;
    this.rejection.send(request, response);
  }

  private startTimer(now: number): NodeJS.Timeout {
    this.periodStartedAt = now;
    this.acquiredBefore = this.database.acquiredConnections();
    return setInterval(() => this.endPeriod(), PERIOD_MS).unref();
  }

  private endPeriod(): void {
    const { small, large, anonymous } = this;
    const now = performance.now();
    const elapsedMs = now - this.periodStartedAt;
    this.periodStartedAt = now;
    const isCongested = elapsedMs - PERIOD_MS > LOOP_DELAY_MS || this.poolWaitMs(elapsedMs) > POOL_WAIT_MS;
    small.limit.adjust(isCongested, small.peak);
    // A tenth may take longer. Without an end there is no information.
    if (this.succeeded > 0) large.limit.adjust(this.late * 10 > this.succeeded, large.peak);
    this.succeeded = this.late = 0;
    small.endPeriod(now);
    large.endPeriod(now);
    anonymous.endPeriod(now);
    if (small.isIdle && large.isIdle && anonymous.isIdle) this.stopTimer();
  }

  private stopTimer(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.small.limit.reset();
    this.large.limit.reset();
  }

  /** By Little's law: the requests that wait for a connection, divided by the rate at which they receive one. */
  private poolWaitMs(elapsedMs: number): number {
    const acquired = this.database.acquiredConnections();
    const received = acquired - this.acquiredBefore;
    this.acquiredBefore = acquired;
    const { waiting } = this.database.poolState();
    return waiting === 0 ? 0 : (waiting * elapsedMs) / received;
  }

  /** Failures, for example because a table is locked, say nothing about the capacity. */
  private observe({ request, response, readyAt }: Work): void {
    if (response.statusCode >= 400) return;
    this.succeeded++;
    if (performance.now() - readyAt > targetMs(request)) this.late++;
  }
}
