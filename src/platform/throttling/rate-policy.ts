/** How often something may be done: so many attempts in a window, and how long whoever tries once more is refused. */
export interface RatePolicy {
  attempts: number;
  windowS: number;
  /** 0: no block. A refused attempt waits until the window lets one more in. */
  blockS: number;
}

/** What is wrong with a policy's text, as a sentence that goes on from the setting's name. */
export class InvalidPolicyError extends Error {}

/** A month: a longer window or block is a mistake in the unit. */
const MAX_SECONDS = 31 * 24 * 3600;

/**
 * Reads `attempts/seconds`, `attempts/seconds/blockSeconds` or `off`, which is null.
 *
 * @throws {InvalidPolicyError}
 */
export function parsePolicy(text: string, maxAttempts: number): RatePolicy | null {
  if (text === 'off') return null;
  const [, attempts = '', window = '', block = '0'] = /^(\d{1,9})\/(\d{1,9})(?:\/(\d{1,9}))?$/.exec(text) ?? [];
  if (attempts === '') throw new InvalidPolicyError('must be attempts/seconds, attempts/seconds/blockSeconds, or off');
  const policy = { attempts: Number(attempts), windowS: Number(window), blockS: Number(block) };
  if (policy.attempts < 1 || policy.attempts > maxAttempts)
    throw new InvalidPolicyError(`must allow 1 to ${maxAttempts} attempts, or be off`);
  if (policy.windowS < 1 || Math.max(policy.windowS, policy.blockS) > MAX_SECONDS)
    throw new InvalidPolicyError(`must have a window of at least 1 second and nothing over ${MAX_SECONDS} seconds`);
  // After a shorter block the attempts before it would count still, and refuse at once again.
  if (policy.blockS > 0 && policy.blockS < policy.windowS)
    throw new InvalidPolicyError('must block for at least as long as its window, or not at all');
  return policy;
}
