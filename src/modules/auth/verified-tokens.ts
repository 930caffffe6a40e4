import { LRUCache } from 'lru-cache';
import type { AccessClaims } from './tokens.js';

/** A token of ours has some 600 characters, and its claims no more: full, this holds about 20 MB. */
const MAX_TOKENS = 10_000;

export interface VerifiedToken {
  claims: AccessClaims;
  /** The key that signed it. It may be retired by the token's next use. */
  kid: string;
}

/**
 * Tokens whose signature has been found right. It stays right for ever, and checking it is the dearest step of a request
 * (ADR 11), so that a caller pays for it once a token. All else changes with time, and is asked at every use.
 */
export class VerifiedTokens {
  private readonly byToken = new LRUCache<string, VerifiedToken>({ max: MAX_TOKENS });

  add(token: string, verified: VerifiedToken): void {
    this.byToken.set(token, verified);
  }

  /** The very same token, character by character, while its time is not over. */
  find(token: string): VerifiedToken | undefined {
    const verified = this.byToken.get(token);
    if (verified && isOver(verified.claims)) {
      this.byToken.delete(token);
      return undefined;
    }
    return verified;
  }

  get size(): number {
    return this.byToken.size;
  }
}

/** As jsonwebtoken counts: whole seconds, no leeway. */
function isOver({ exp, nbf = 0 }: AccessClaims): boolean {
  const now = Math.floor(Date.now() / 1000);
  return exp <= now || nbf > now;
}
