import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { IdempotencyKey } from './idempotency-key.entity.js';
import { IdempotencyKeyInFlightError, IDEMPOTENCY_ERRORS } from './idempotency.errors.js';
import { DomainError } from '../../../../packages/errors/src/domain-error.js';

/** A key of one caller. */
export interface CallerKey {
  caller: string;
  key: string;
}

/** A response as it is sent. */
export interface StoredResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | null;
}

/** Takes the key if it is new, or if its lease or stored response has expired. */
const ACQUIRE = `
  INSERT INTO idempotency_keys AS known (caller, key, fingerprint, claim, holds_until)
  VALUES ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 second')
  ON CONFLICT (caller, key) DO UPDATE
    SET fingerprint = excluded.fingerprint, claim = excluded.claim, holds_until = excluded.holds_until,
        status = NULL, headers = NULL, body = NULL
    WHERE known.holds_until <= clock_timestamp()`;

/** How long the response to a request with a key is stored, in seconds: one day. */
export const RESPONSE_TTL_S = 24 * 3_600;

/**
 * How long the key of a request whose instance was killed remains blocked, in seconds. A running request renews its
 * lease.
 */
const LEASE_S = 5;

/** Renewals of a lease within its duration. */
const RENEWALS = 3;

/**
 * Stores which requests were made with which key, and their responses. A request acquires its key with a lease in its
 * own commit. Its response is stored in the transaction of its effect, so that a crash leaves both or neither.
 */
@Injectable()
export class IdempotencyKeys {
  constructor(private readonly database: Database) {}

  /**
   * Acquires the key for a request, or finds the response of the earlier request.
   *
   * @returns the ID of the lease, or the stored response
   * @throws {IdempotencyKeyInFlightError | DomainError} `idempotency_key_reused`
   */
  async acquire({ caller, key }: CallerKey, fingerprint: string): Promise<string | StoredResponse> {
    const leaseId = randomUUID();
    const parameters = [caller, key, fingerprint, leaseId, LEASE_S];
    const acquired = await this.database.affected(ACQUIRE, parameters, 'idempotency key');
    if (acquired > 0) return leaseId;
    const known = await this.database.repository(IdempotencyKey).findOneBy({ caller, key });
    if (known && known.fingerprint !== fingerprint) throw new DomainError(IDEMPOTENCY_ERRORS.idempotency_key_reused);
    // A key that was just released is available when the caller retries.
    if (!known?.status) throw new IdempotencyKeyInFlightError(this.secondsLeft(known?.expiresAt));
    return { status: known.status, headers: known.headers ?? {}, body: known.body };
  }

  /** Limited to the duration of a lease, because the clocks of the service and the database differ. */
  private secondsLeft(expiresAt = new Date()): number {
    return Math.max(1, Math.min(LEASE_S, Math.ceil((expiresAt.getTime() - Date.now()) / 1_000)));
  }

  /** Renews the lease regularly. @returns a function that ends the renewal */
  startRenewal({ caller, key }: CallerKey, leaseId: string): () => void {
    const renew = async () => {
      await this.database.affected(
        `UPDATE idempotency_keys SET holds_until = clock_timestamp() + $4 * interval '1 second'
          WHERE caller = $1 AND key = $2 AND claim = $3 AND status IS NULL`,
        [caller, key, leaseId, LEASE_S],
      );
    };
    // A failed renewal is tried again; if all fail, the lease expires.
    const tick = () => void this.database.outsideTransaction(renew).catch(() => undefined);
    const timer = setInterval(tick, (LEASE_S * 1_000) / RENEWALS);
    timer.unref();
    return () => clearInterval(timer);
  }

  /**
   * Stores the response in the open transaction.
   *
   * @throws {IdempotencyKeyInFlightError} if the lease expired and another attempt has the key
   */
  async storeResponse(
    { caller, key }: CallerKey,
    leaseId: string,
    { status, headers, body }: StoredResponse,
  ): Promise<void> {
    const stored = await this.database.affected(
      `UPDATE idempotency_keys
          SET status = $4, headers = $5, body = $6, holds_until = clock_timestamp() + $7 * interval '1 second'
        WHERE caller = $1 AND key = $2 AND claim = $3`,
      [caller, key, leaseId, status, headers, body, RESPONSE_TTL_S],
      'stored response',
    );
    if (stored === 0) throw new IdempotencyKeyInFlightError(LEASE_S);
  }

  /** Releases the key without a response, because the request had no effect. */
  async release({ caller, key }: CallerKey, leaseId: string): Promise<void> {
    await this.database.affected(
      'DELETE FROM idempotency_keys WHERE caller = $1 AND key = $2 AND claim = $3 AND status IS NULL',
      [caller, key, leaseId],
    );
  }

  /**
   * Removes the stored bodies of responses to users and to anonymous callers. A repetition of such a request still has
   * no effect, and receives the status without a body.
   */
  async clearResponses(userIds: readonly string[]): Promise<void> {
    await this.database.affected(
      `UPDATE idempotency_keys SET body = NULL, headers = NULL
        WHERE status IS NOT NULL AND (caller = ANY ($1::text[]) OR starts_with(caller, 'public:'))`,
      [userIds],
    );
  }

  /** Removes a batch of expired keys. A request may outlast its lease if no other attempt takes the key. */
  removeExpired(batch: number): Promise<number> {
    return this.database.affected(
      `WITH expired AS MATERIALIZED (
         SELECT caller, key FROM idempotency_keys
          WHERE holds_until <= now() AND (status IS NOT NULL OR holds_until <= now() - $2 * interval '1 second')
          ORDER BY holds_until LIMIT $1 FOR UPDATE SKIP LOCKED)
       DELETE FROM idempotency_keys k USING expired WHERE k.caller = expired.caller AND k.key = expired.key`,
      [batch, RESPONSE_TTL_S],
    );
  }
}
