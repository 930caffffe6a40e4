import type { ThrottlerStorage } from '@nestjs/throttler';

/** How a caller stands under a policy, in the library's terms. Times in seconds, rounded up. */
export type RateLimitStatus = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** `waitS` is the time until one more attempt gets in than now. Never less than a second, or callers hammer. */
export function rateLimitStatus(refused: boolean, totalHits: number, waitS: number): RateLimitStatus {
  // A full minute is 60 seconds, also where a sum of fractions makes it a hair more.
  const seconds = Math.max(1, Math.ceil(Math.round(waitS * 1000) / 1000));
  return { totalHits, timeToExpire: seconds, isBlocked: refused, timeToBlockExpire: refused ? seconds : 0 };
}
