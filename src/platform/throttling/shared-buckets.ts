import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Like } from 'typeorm';
import { Database } from '../database/database.js';
import { addressGroup } from '../http/client-address.js';
import type { RatePolicy } from './rate-policy.js';
import { RateBucket } from './rate-bucket.entity.js';
import { type RateLimitStatus, rateLimitStatus } from './rate-limit-status.js';

/**
 * Judges a `bucket` by the clock of PostgreSQL, which all instances share: `live` are the attempts that count still,
 * `until` is when one more gets in, or NULL where it does now. Parameters: $2 attempts, $3 window and $4 block in seconds.
 */
const JUDGED = `
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
  ) AS verdict`;

/**
 * Counts an attempt. Whoever is blocked is only looked at: refusing writes nothing. All others wait in line for their
 * row, so that of any number of attempts at once, on any number of instances, exactly the allowed ones are let through.
 */
const COUNT = `
  WITH blocked AS (
    SELECT cardinality(hits) AS hits, blocked_until - clock_timestamp() AS wait
      FROM rate_buckets
     WHERE key = $1 AND blocked_until > clock_timestamp()
  ), counted AS (
    INSERT INTO rate_buckets AS bucket (key, hits, idle_at)
    SELECT $1, ARRAY[clock_timestamp()], clock_timestamp() + $3::float8 * interval '1 second'
     WHERE NOT EXISTS (SELECT FROM blocked)
    ON CONFLICT (key) DO UPDATE SET (hits, blocked_until, idle_at) = (
      SELECT kept, until, greatest(until, kept[cardinality(kept)] + $3::float8 * interval '1 second')
        FROM ${JUDGED}
        CROSS JOIN LATERAL (SELECT CASE WHEN until IS NULL THEN live || clock.now ELSE live END AS kept) AS log
    )
    RETURNING cardinality(hits) AS hits, blocked_until,
              coalesce(blocked_until, hits[1] + $3::float8 * interval '1 second') - clock_timestamp() AS wait
  )
  SELECT true AS refused, hits, extract(epoch FROM wait)::float8 AS wait FROM blocked
  UNION ALL
  SELECT blocked_until IS NOT NULL, hits, extract(epoch FROM wait)::float8 FROM counted`;

const PEEK = `
  SELECT until IS NOT NULL AS refused, cardinality(live) AS hits,
         extract(epoch FROM coalesce(until, live[1] + $3::float8 * interval '1 second') - clock.now)::float8 AS wait
    FROM rate_buckets AS bucket
    CROSS JOIN LATERAL ${JUDGED}
   WHERE key = $1`;

interface Found {
  refused: boolean;
  hits: number;
  wait: number | null;
}

/**
 * Counts in PostgreSQL, so that a limit holds over all instances, restarts and floods: a sliding log of the attempts
 * that were let through. It never takes part in a request's transaction: what is rolled back there has been tried still.
 */
@Injectable()
export class SharedBuckets {
  constructor(private readonly database: Database) {}

  /** Counts an attempt, and says whether it is let through. */
  count(key: string, policy: RatePolicy): Promise<RateLimitStatus> {
    return this.judge(COUNT, key, policy);
  }

  /** What an attempt would be told now; counts nothing. */
  peek(key: string, policy: RatePolicy): Promise<RateLimitStatus> {
    return this.judge(PEEK, key, policy);
  }

  /** Forgets all that an address did, blocks above all. @returns the number of buckets. */
  async forget(address: string): Promise<number> {
    const { affected } = await this.database.manager.delete(RateBucket, {
      key: Like(`%:${digest(addressGroup(address))}%`),
    });
    return affected ?? 0;
  }

  /** Removes a batch of what means nothing any more. @returns how many buckets. */
  removeIdle(batch: number): Promise<number> {
    return this.database.affected(
      `DELETE FROM rate_buckets WHERE key = ANY (ARRAY(
         SELECT key FROM rate_buckets WHERE idle_at <= now() ORDER BY idle_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      [batch],
    );
  }

  private async judge(sql: string, key: string, { attempts, windowS, blockS }: RatePolicy): Promise<RateLimitStatus> {
    const parameters = [key, attempts, windowS, blockS];
    const [found] = await this.database.outsideTransaction(() => this.database.query<Found>(sql, parameters));
    return found
      ? rateLimitStatus(found.refused, Math.min(found.hits, attempts), found.wait ?? windowS)
      : rateLimitStatus(false, 0, windowS);
  }
}

/** Of fixed size, whatever a caller sends, and without anybody's address or id in the clear. */
export function bucketKey(policy: string, ...parts: string[]): string {
  return [policy, ...parts.map(digest)].join(':');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
