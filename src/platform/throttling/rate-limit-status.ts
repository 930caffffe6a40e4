import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Response } from 'express';
import type { RatePolicy } from '../config/rate-policy.js';
import { TooManyRequestsError } from './throttling.errors.js';

/** State of a bucket after an attempt, as @nestjs/throttler defines it. Times in seconds, rounded up. */
export type RateLimitStatus = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * @param waitS seconds until another attempt is allowed; reported as at least 1, so that callers do not retry in a
 *   loop.
 */
export function rateLimitStatus(isBlocked: boolean, totalHits: number, waitS: number): RateLimitStatus {
  // Rounded to milliseconds first: a sum of fractions may exceed a full minute slightly.
  const seconds = Math.max(1, Math.ceil(Math.round(waitS * 1000) / 1000));
  return { totalHits, timeToExpire: seconds, isBlocked, timeToBlockExpire: isBlocked ? seconds : 0 };
}

/**
 * Sets the headers `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11): the policy, and that
 * `r` more requests are allowed within `t` seconds.
 *
 * @throws {TooManyRequestsError} if the status is blocked.
 */
export function applyRateLimit(
  response: Response,
  name: string,
  { attempts, windowS }: Pick<RatePolicy, 'attempts' | 'windowS'>,
  { isBlocked, totalHits, timeToExpire, timeToBlockExpire }: RateLimitStatus,
): void {
  const remaining = isBlocked ? 0 : Math.max(0, attempts - totalHits);
  response.setHeader('RateLimit-Policy', `"${name}";q=${attempts};w=${windowS}`);
  response.setHeader('RateLimit', `"${name}";r=${remaining};t=${timeToExpire}`);
  if (isBlocked) throw new TooManyRequestsError(timeToBlockExpire, name);
}
