import type { Response } from 'express';
import type { RatePolicy } from './rate-policy.js';
import type { RateLimitStatus } from './rate-limit-status.js';
import { TooManyRequestsError } from './throttling.errors.js';

/**
 * Tells the caller how it stands, on a success and on a refusal alike (draft-ietf-httpapi-ratelimit-headers-11): the
 * policy, and that it can use no more than `r` within `t` seconds.
 *
 * @throws {TooManyRequestsError} where it is refused.
 */
export function setRateLimitHeaders(
  response: Response,
  name: string,
  { attempts, windowS }: Pick<RatePolicy, 'attempts' | 'windowS'>,
  { isBlocked, totalHits, timeToExpire, timeToBlockExpire }: RateLimitStatus,
): void {
  const left = isBlocked ? 0 : Math.max(0, attempts - totalHits);
  response.setHeader('RateLimit-Policy', `"${name}";q=${attempts};w=${windowS}`);
  response.setHeader('RateLimit', `"${name}";r=${left};t=${timeToExpire}`);
  if (isBlocked) throw new TooManyRequestsError(timeToBlockExpire, name);
}
