/** An allowed frequency: the attempts in a window, and how long the first attempt beyond them blocks the caller. */
export interface RatePolicy {
  attempts: number;
  windowS: number;
  /** 0: no block. A rejected caller waits until the window allows another attempt. */
  blockS: number;
}

/** The text of a policy is invalid. The message continues a sentence that begins with the name of the setting. */
export class InvalidPolicyError extends Error {}

/** A month: a longer window or block is probably a wrong unit. */
const MAX_SECONDS = 31 * 24 * 3600;

/**
 * Parses `attempts/seconds`, `attempts/seconds/blockSeconds`, or `off`, which returns null.
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
  // After a shorter block the attempts before it would still count and reject the next one immediately.
  if (policy.blockS > 0 && policy.blockS < policy.windowS)
    throw new InvalidPolicyError('must block for at least as long as its window, or not at all');
  return policy;
}
