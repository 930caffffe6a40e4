import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AdaptiveLimit } from './adaptive-limit.js';
import { listenOnce } from '../listeners.js';

/**
 * How long a request may wait for its turn if requests have been waiting all the time for longer than a burst, in
 * milliseconds.
 */
const OVERLOAD_WAIT_MS = 25;

/** Weight of the latest interval in the mean interval between the ends of two requests. */
const LATEST_WEIGHT = 0.2;

/**
 * A request waits only if its expected wait is at most this share of the longest allowed wait: requests do not end at
 * regular intervals.
 */
const EXPECTED_SHARE = 0.5;

/** A body or response that is transferred for longer does not count as concurrent work, in milliseconds. */
const TRANSFER_MS = 1_000;

/** A request in a lane. */
export interface Work {
  request: IncomingMessage;
  response: ServerResponse;
  start: () => void;
  arrivedAt: number;
  /** How long the request may wait for its turn, in milliseconds. */
  maxWaitMs: number;
  /** When the request was started, its body was found to be complete, or it began or ended to wait for an event. */
  readyAt: number;
  /** Does it wait for an event? */
  isWaiting: boolean;
  /** Was the body found to be complete? */
  isComplete: boolean;
  /** Does the request count as concurrent work? */
  isCounted: boolean;
}

/** Limits of the requests that wait. */
export interface Queue {
  /** Highest number of waiting requests. */
  requests: number;
  /** How long each request may wait during a burst, in milliseconds. */
  ms: number;
  /** Assumed interval between the ends of two requests until one is measured, in milliseconds. */
  intervalMs: number;
}

/**
 * Requests of one class, of which a limited number runs at a time. Other requests wait in order of arrival: up to
 * `Queue.ms` during a burst, and up to `OVERLOAD_WAIT_MS` if requests have been waiting or rejected for longer than
 * `Queue.ms` (the algorithm CoDel, as in Facebook's library Folly). A request whose turn is expected later is rejected
 * when the request arrives, so that its caller need not wait for the rejection.
 */
export class Lane {
  /** Highest number of concurrent requests since the last call of `endPeriod`. */
  peak = 0;
  private running = 0;
  private readonly works = new Set<Work>();
  private readonly waiting: Work[] = [];
  /** When the lane was last without requests that waited or were rejected. */
  private calmAt = 0;
  private hasRejected = false;
  /** Mean interval between the ends of two requests while others wait, in milliseconds. */
  private intervalMs: number;
  /** When the last request ended while others waited. */
  private lastEndAt: number | undefined;

  constructor(
    readonly limit: AdaptiveLimit,
    private readonly queue: Queue,
    private readonly reject: (work: Work) => void,
    private readonly onEnd: (work: Work) => void,
  ) {
    this.intervalMs = queue.intervalMs;
  }

  get isIdle(): boolean {
    return this.works.size === 0 && this.waiting.length === 0;
  }

  get isFull(): boolean {
    return this.running >= this.limit.value || this.waiting.length > 0;
  }

  get concurrent(): number {
    return this.running;
  }

  add(work: Work): void {
    if (this.isIdle) this.calmAt = work.arrivedAt;
    work.maxWaitMs = work.arrivedAt - this.calmAt > this.queue.ms ? OVERLOAD_WAIT_MS : this.queue.ms;
    if (!this.isFull) this.start(work);
    else if (this.canWait(work)) this.waiting.push(work);
    else this.rejectNow(work);
  }

  endPeriod(now: number): void {
    for (const work of this.works) this.update(work, now);
    this.startNext();
    this.rejectLate(now);
    if (this.waiting.length === 0 && !this.hasRejected) this.calmAt = now;
    this.hasRejected = false;
    this.peak = this.running;
  }

  private start(work: Work): void {
    this.works.add(work);
    work.readyAt = performance.now();
    this.count(work);
    listenOnce(work.response, 'close', () => this.end(work));
    work.request.setWaiting = (isWaiting) => this.setWaiting(work, isWaiting);
    work.start();
  }

  private setWaiting(work: Work, isWaiting: boolean): void {
    // Its client has disconnected.
    if (!this.works.has(work)) return;
    work.isWaiting = isWaiting;
    work.readyAt = performance.now();
    this.update(work, work.readyAt);
    this.startNext();
  }

  /** Would a request that arrives now have its turn in time? */
  private canWait({ maxWaitMs }: Work): boolean {
    const expectedMs = (this.waiting.length + 1) * this.intervalMs;
    return this.waiting.length < this.queue.requests && expectedMs <= maxWaitMs * EXPECTED_SHARE;
  }

  private end(work: Work): void {
    this.works.delete(work);
    this.measureInterval();
    if (work.isCounted) this.uncount(work);
    this.onEnd(work);
    this.startNext();
  }

  private startNext(): void {
    while (this.waiting.length > 0 && this.running < this.limit.value) {
      const work = this.waiting.shift()!;
      if (!work.response.destroyed) this.start(work);
    }
  }

  private measureInterval(): void {
    if (this.waiting.length === 0) {
      this.lastEndAt = undefined;
      return;
    }
    const now = performance.now();
    if (this.lastEndAt !== undefined) this.intervalMs += (now - this.lastEndAt - this.intervalMs) * LATEST_WEIGHT;
    this.lastEndAt = now;
  }

  private rejectLate(now: number): void {
    for (let position = 0; position < this.waiting.length;) {
      const work = this.waiting[position]!;
      if (now - work.arrivedAt <= work.maxWaitMs) position++;
      else this.rejectNow(...(this.waiting.splice(position, 1) as [Work]));
    }
  }

  private rejectNow(work: Work): void {
    this.hasRejected = true;
    this.reject(work);
  }

  /**
   * A slow sender or reader and a request that waits for an event need no processor and no connection, and must not
   * prevent other requests.
   */
  private update(work: Work, now: number): void {
    if (!work.isComplete && work.request.complete) {
      work.isComplete = true;
      work.readyAt = now;
    }
    const isTransferred = !work.isComplete || work.response.headersSent;
    const isCounted = !work.isWaiting && (!isTransferred || now - work.readyAt < TRANSFER_MS);
    if (isCounted && !work.isCounted) this.count(work);
    else if (!isCounted && work.isCounted) this.uncount(work);
  }

  private count(work: Work): void {
    work.isCounted = true;
    this.running++;
    if (this.running > this.peak) this.peak = this.running;
  }

  private uncount(work: Work): void {
    work.isCounted = false;
    this.running--;
  }
}
