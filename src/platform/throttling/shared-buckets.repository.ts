import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Like } from 'typeorm';
import { Database } from '../database/database.js';
import type { PreparedStatement } from '../database/prepared-statements.js';
import { addressGroup } from '../http/client-address.js';
import type { RatePolicy } from '../config/rate-policy.js';
import { RateBucket } from './rate-bucket.entity.js';
import { type RateLimitStatus, rateLimitStatus } from './rate-limit-status.js';

/**
 * Evaluates a `bucket` by the clock of PostgreSQL, which all instances share: `live` are the attempts that still count,
 * `until` is when another one is allowed, NULL if it is now. Parameters: $2 attempts, $3 window and $4 block in
 * seconds.
 */
const EVALUATION = `
  (SELECT clock_timestamp() AS now) AS clock
  CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(hit ORDER BY hit), '{}') AS live
      FROM unnest(bucket.hits) AS hit
     WHERE hit > clock.now - $3::float8 * interval '1 second'
  ) AS recent
  CROSS JOIN LATERAL (
    SELECT CASE
        WHEN bucket.blocked_until > clock.now THEN bucket.blocked_until
        WHEN cardinality(live) < $2::int THEN NULL
        WHEN $4::float8 > 0 THEN clock.now + $4::float8 * interval '1 second'
        ELSE live[cardinality(live) - $2::int + 1] + $3::float8 * interval '1 second'
      END AS until
  ) AS evaluation`;

/**
 * Counts an attempt. A blocked caller is only read, so that rejections write nothing. Other attempts lock their row one
 * after the other: however many run at once on however many instances, exactly the allowed number succeeds.
 */
const COUNT = `
  WITH blocked AS (
    SELECT cardinality(hits) AS hits, blocked_until - clock_timestamp() AS wait
      FROM rate_buckets
     WHERE key = $1 AND blocked_until > clock_timestamp()
  ), counted AS (
    INSERT INTO rate_buckets AS bucket (key, hits, idle_at)
    SELECT $1, ARRAY[clock_timestamp()], clock_timestamp() + $3::float8 * interval '1 second'
     WHERE NOT EXISTS (SELECT 1 FROM blocked)
    ON CONFLICT (key) DO UPDATE SET (hits, blocked_until, idle_at) = (
      SELECT allowed, until, greatest(until, allowed[cardinality(allowed)] + $3::float8 * interval '1 second')
        FROM ${EVALUATION}
        CROSS JOIN LATERAL (SELECT CASE WHEN until IS NULL THEN live || clock.now ELSE live END AS allowed) AS log
    )
    RETURNING cardinality(hits) AS hits, blocked_until,
              coalesce(blocked_until, hits[1] + $3::float8 * interval '1 second') - clock_timestamp() AS wait
  )
  SELECT true AS "isBlocked", hits, extract(epoch FROM wait)::float8 AS wait FROM blocked
  UNION ALL
  SELECT blocked_until IS NOT NULL, hits, extract(epoch FROM wait)::float8 FROM counted`;

const PEEK = `
  SELECT until IS NOT NULL AS "isBlocked", cardinality(live) AS hits,
         extract(epoch FROM coalesce(until, live[1] + $3::float8 * interval '1 second') - clock.now)::float8 AS wait
    FROM rate_buckets AS bucket
    CROSS JOIN LATERAL ${EVALUATION}
   WHERE key = $1`;

interface BucketState {
  isBlocked: boolean;
  hits: number;
  wait: number | null;
}

/**
 * Rate limits in PostgreSQL, so that they apply across instances and restarts: a sliding log of the allowed attempts.
 * Attempts are counted outside the transaction of the request: they count even if that is rolled back.
 */
@Injectable()
export class SharedBucketsRepository {
  constructor(private readonly database: Database) {}

  /** Counts an attempt. */
  count(key: string, policy: RatePolicy): Promise<RateLimitStatus> {
    return this.evaluate(COUNT, key, policy, 'rate limit');
  }

  /** Returns the status that an attempt would have now, without counting it. */
  peek(key: string, policy: RatePolicy): Promise<RateLimitStatus> {
    return this.evaluate(PEEK, key, policy);
  }

  /** Deletes all buckets of an address, including blocks. @returns their number. */
  async reset(address: string): Promise<number> {
    const key = Like(`%:${hash(addressGroup(address))}%`);
    return (await this.database.repository(RateBucket).delete({ key })).affected ?? 0;
  }

  /** Deletes a batch of buckets without effect. @returns their number. */
  removeIdle(batch: number): Promise<number> {
    return this.database.affected(
      `DELETE FROM rate_buckets WHERE key = ANY (ARRAY(
         SELECT key FROM rate_buckets WHERE idle_at <= now() ORDER BY idle_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      [batch],
    );
  }

  private async evaluate(
    sql: string,
    key: string,
    { attempts, windowS, blockS }: RatePolicy,
    name?: PreparedStatement,
  ): Promise<RateLimitStatus> {
    const parameters = [key, attempts, windowS, blockS];
    const [state] = await this.database.outsideTransaction(() =>
      this.database.query<BucketState>(sql, parameters, name),
    );
    return state
      ? rateLimitStatus(state.isBlocked, Math.min(state.hits, attempts), state.wait ?? windowS)
      : rateLimitStatus(false, 0, windowS);
  }
}

/** Key of a bucket: its size is fixed, and it contains no address or id in plain text. */
export function bucketKey(policy: string, ...parts: string[]): string {
  return [policy, ...parts.map(hash)].join(':');
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
