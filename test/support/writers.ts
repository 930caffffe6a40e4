import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from './api.js';
import { measureElapsed } from './elapsed.js';
import { Tables, text, unique } from './tables.js';

/** A request that is not answered within this time has failed. */
const TIMEOUT_MS = 60_000;

interface Batch {
  keys: string[];
  isAcknowledged: boolean;
}

/**
 * Several callers that write batches and repeat each one with its Idempotency-Key until it is acknowledged, as a client
 * does.
 */
export class Writers {
  /** Responses by status; 0 counts broken connections. */
  readonly statuses = new Map<number, number>();
  /** Why connections broke. */
  readonly failures = new Set<string>();
  /** The longest time until a response, in milliseconds. */
  slowestMs = 0;
  private readonly batches: Batch[] = [];
  private isWriting = true;
  private readonly running: Promise<void>[];

  private constructor(
    private readonly tables: Tables,
    private readonly table: string,
    count: number,
    private readonly urls: () => string[],
  ) {
    this.running = Array.from({ length: count }, (_, writer) => this.write(writer));
  }

  /** @param urls of the instances that are used in turn. */
  static async start(tables: Tables, count: number, urls: () => string[]): Promise<Writers> {
    const table = unique('Writers');
    const created = await tables.bulk('assets', { name: table, columns: [text('Key')], items: [] });
    if (created.status !== 201) throw new Error(`The table was not created: ${JSON.stringify(created.body)}`);
    return new Writers(tables, table, count, urls);
  }

  get acknowledged(): number {
    return this.batches.filter(({ isAcknowledged }) => isAcknowledged).length;
  }

  /**
   * Ends the writers.
   *
   * @returns the rows that were acknowledged but are not stored, and the batches that are stored in part.
   */
  async stop(): Promise<{ lost: number; partial: number; duplicates: number }> {
    this.isWriting = false;
    await Promise.all(this.running);
    const keys = (await this.tables.rows('assets', this.table)).map(({ key }) => key as string);
    const stored = new Set(keys);
    const counts = this.batches.map((batch) => ({
      ...batch,
      count: batch.keys.filter((key) => stored.has(key)).length,
    }));
    return {
      lost: counts.filter(({ isAcknowledged, count, keys: all }) => isAcknowledged && count < all.length).length,
      partial: counts.filter(({ count, keys: all }) => count > 0 && count < all.length).length,
      duplicates: keys.length - stored.size,
    };
  }

  private async write(writer: number): Promise<void> {
    for (let number = 0; this.isWriting; number++) {
      const batch = { keys: ['a', 'b', 'c'].map((row) => `${writer}-${number}-${row}`), isAcknowledged: false };
      this.batches.push(batch);
      const idempotencyKey = randomUUID();
      while (this.isWriting && !batch.isAcknowledged) {
        const status = await this.send(batch, idempotencyKey);
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
        if (status === 200) batch.isAcknowledged = true;
        else await delay(50);
      }
    }
  }

  private async send({ keys }: Batch, idempotencyKey: string): Promise<number> {
    const urls = this.urls();
    const url = urls[Math.floor(Math.random() * urls.length)]!;
    const elapsed = measureElapsed();
    const body = JSON.stringify({ assets: [{ name: this.table, items: keys.map((key) => ({ key })) }] });
    const api: Api = this.tables.api;
    const headers = { ...api.headers, 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey };
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const init = { method: 'POST', headers, body, signal };
      const response = await fetch(`${url}${this.tables.path}/assets/bulk`, init);
      await response.arrayBuffer();
      return response.status;
    } catch (error) {
      const { message, cause } = error as Error;
      this.failures.add(`${message}: ${(cause as Error | undefined)?.message}`);
      return 0;
    } finally {
      this.slowestMs = Math.max(this.slowestMs, Math.round(elapsed()));
    }
  }
}
