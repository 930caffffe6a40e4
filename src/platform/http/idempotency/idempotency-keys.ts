import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Database } from '../../database/database.js';
import { IdempotencyKey } from './idempotency-key.entity.js';
import { IdempotencyKeyInFlightError, IdempotencyKeyReusedError } from './idempotency.errors.js';

/** A key of one caller. */
export interface KeyOf {
  caller: string;
  key: string;
}

/** An answer as it goes out. */
export interface KeptAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | null;
}

/** Taken where nobody has it, or whoever had it is gone, or its answer is forgotten. */
const CLAIM = `
  INSERT INTO idempotency_keys AS known (caller, key, fingerprint, claim, holds_until)
  VALUES ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 second')
  ON CONFLICT (caller, key) DO UPDATE
    SET fingerprint = excluded.fingerprint, claim = excluded.claim, holds_until = excluded.holds_until,
        status = NULL, headers = NULL, body = NULL
    WHERE known.holds_until <= clock_timestamp()`;

/** How often a lease is renewed within its time. */
const RENEWALS = 3;

/**
 * Which requests were made under which key, and what they were answered. A key is taken by a lease, in a commit of its
 * own, and answered in the transaction of the request's effect: whoever crashes in between leaves neither half.
 */
@Injectable()
export class IdempotencyKeys {
  private readonly leaseS: number;
  private readonly ttlS: number;

  constructor(
    private readonly database: Database,
    config: Config,
  ) {
    this.leaseS = config.idempotency.leaseS;
    this.ttlS = config.idempotency.ttlS;
  }

  /**
   * Takes the key for a request, or finds what that was answered before.
   *
   * @returns the claim to answer or to release it by, or the answer.
   * @throws {IdempotencyKeyReusedError | IdempotencyKeyInFlightError}
   */
  async claim(of: KeyOf, fingerprint: string): Promise<string | KeptAnswer> {
    const claim = randomUUID();
    const taken = await this.database.affected(CLAIM, [of.caller, of.key, fingerprint, claim, this.leaseS]);
    if (taken > 0) return claim;
    const known = await this.database.repository(IdempotencyKey).findOneBy({ ...of });
    if (known && known.fingerprint !== fingerprint) throw new IdempotencyKeyReusedError();
    // One that was released just now is free when the caller comes again.
    if (!known?.status) throw new IdempotencyKeyInFlightError();
    return { status: known.status, headers: known.headers ?? {}, body: known.body };
  }

  /** Renews the lease until that is ended, as long as this process lives. @returns what ends it. */
  keep({ caller, key }: KeyOf, claim: string): () => void {
    const renew = async () => {
      await this.database.affected(
        `UPDATE idempotency_keys SET holds_until = clock_timestamp() + $4 * interval '1 second'
          WHERE caller = $1 AND key = $2 AND claim = $3 AND status IS NULL`,
        [caller, key, claim, this.leaseS],
      );
    };
    // What fails is tried again in time; else the lease ends.
    const tick = () => void this.database.outsideTransaction(renew).catch(() => undefined);
    const timer = setInterval(tick, (this.leaseS * 1_000) / RENEWALS);
    timer.unref();
    return () => clearInterval(timer);
  }

  /**
   * Keeps the answer, in the open transaction.
   *
   * @throws {IdempotencyKeyInFlightError} where another try has taken the key, since this one took longer than its lease.
   */
  async answer({ caller, key }: KeyOf, claim: string, { status, headers, body }: KeptAnswer): Promise<void> {
    const answered = await this.database.affected(
      `UPDATE idempotency_keys
          SET status = $4, headers = $5, body = $6, holds_until = clock_timestamp() + $7 * interval '1 second'
        WHERE caller = $1 AND key = $2 AND claim = $3`,
      [caller, key, claim, status, headers, body, this.ttlS],
    );
    if (answered === 0) throw new IdempotencyKeyInFlightError();
  }

  /** Lets the key go, unanswered: the request had no effect. */
  async release({ caller, key }: KeyOf, claim: string): Promise<void> {
    await this.database.affected(
      'DELETE FROM idempotency_keys WHERE caller = $1 AND key = $2 AND claim = $3 AND status IS NULL',
      [caller, key, claim],
    );
  }

  /** Removes a batch of what means nothing any more. A request may outlast its lease where nobody else wants the key. */
  removeOver(batch: number): Promise<number> {
    return this.database.affected(
      `DELETE FROM idempotency_keys WHERE (caller, key) IN (
         SELECT caller, key FROM idempotency_keys
          WHERE holds_until <= now() AND (status IS NOT NULL OR holds_until <= now() - $2 * interval '1 second')
          ORDER BY holds_until LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [batch, this.ttlS],
    );
  }
}
