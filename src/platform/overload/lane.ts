import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AdaptiveLimit } from './adaptive-limit.js';

/** How long a request may wait for its turn if requests have been waiting all the time for longer than a burst, in milliseconds. */
const OVERLOAD_WAIT_MS = 50;

/** A body or response that is transferred for longer does not count as concurrent work, in milliseconds. */
const TRANSFER_MS = 1_000;

/** A request in a lane. */
export interface Work {
  request: IncomingMessage;
  response: ServerResponse;
  start: () => void;
  arrivedAt: number;
  /** When its body was complete, as far as known. */
  readyAt: number;
  isComplete: boolean;
  isCounted: boolean;
}

/**
 * Requests of one class, of which a limited number runs at a time. The others wait in order of arrival: for a second during a burst,
 * for a moment during overload (CoDel, as in Facebook's Folly).
 */
export class Lane {
  /** Highest number of concurrent requests in this period. */
  peak = 0;
  private running = 0;
  private readonly works = new Set<Work>();
  private readonly waiting: Work[] = [];
  private lastEmptyAt = 0;

  constructor(
    readonly limit: AdaptiveLimit,
    /** Of requests, and of the milliseconds that each waits during a burst. */
    private readonly maxWaiting: { requests: number; ms: number },
    private readonly reject: (work: Work) => void,
    private readonly onEnd: (work: Work) => void,
  ) {}

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
    if (this.waiting.length === 0) this.lastEmptyAt = work.arrivedAt;
    if (!this.isFull) this.start(work);
    else if (this.waiting.length < this.maxWaiting.requests) this.waiting.push(work);
    else this.reject(work);
  }

  endPeriod(now: number): void {
    for (const work of this.works) this.update(work, now);
    this.startNext();
    this.rejectLate(now);
    this.peak = this.running;
  }

  private start(work: Work): void {
    this.works.add(work);
    work.readyAt = performance.now();
    this.count(work);
    work.response.once('close', () => this.end(work));
    work.start();
  }

  private end(work: Work): void {
    this.works.delete(work);
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

  private rejectLate(now: number): void {
    if (this.waiting.length === 0) this.lastEmptyAt = now;
    const burstMs = this.maxWaiting.ms;
    const maxWaitMs = now - this.lastEmptyAt > burstMs ? OVERLOAD_WAIT_MS : burstMs;
    while (this.waiting.length > 0 && now - this.waiting[0]!.arrivedAt > maxWaitMs) this.reject(this.waiting.shift()!);
  }

  /** A slow sender or reader needs no processor and no connection, and must not prevent other requests. */
  private update(work: Work, now: number): void {
    if (!work.isComplete && work.request.complete) {
      work.isComplete = true;
      work.readyAt = now;
    }
    const isTransferred = !work.isComplete || work.response.headersSent;
    const isCounted = !isTransferred || now - work.readyAt < TRANSFER_MS;
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
