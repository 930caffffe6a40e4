/** Delays grow by at most this part, so that deliveries that failed together are not repeated together. */
const JITTER = 0.2;

/** A receiver cannot delay an attempt longer than the longest delay of the schedule. */
const MAX_RETRY_AFTER_S = 24 * 3_600;

/**
 * Seconds until the next attempt; undefined if none follows.
 *
 * @param failures failed attempts, at least 1.
 * @param retryAfterS what the receiver asks for.
 */
export function findRetryDelay(
  delays: readonly number[],
  failures: number,
  retryAfterS = 0,
  random = Math.random(),
): number | undefined {
  const delay = delays[failures - 1];
  if (delay === undefined) return undefined;
  return Math.max(delay * (1 + JITTER * random), Math.min(retryAfterS, MAX_RETRY_AFTER_S));
}
