import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { clientAddress } from '../../platform/throttling/client-address.js';
import { PART } from '../../platform/throttling/rate-limit-storage.js';
import { RateLimitGuard } from '../../platform/throttling/rate-limit.guard.js';
import { clientCredentialsOf } from './client-credentials.js';
import { isWellFormedSecret } from './secret.js';
import { Tokens } from './tokens.js';

/** All that cannot be told apart counts together, so that nobody can make buckets at will. */
const OTHER = 'other';

type Fields = Partial<Record<string, unknown>>;

/**
 * Counts every attempt at the token endpoint before anything is verified, good or bad alike (specification, section 8).
 * By address and client, or address and session: never by the client alone, or anybody could lock it out.
 */
@Injectable()
export class TokenRateLimitGuard extends RateLimitGuard {
  @Inject(Tokens)
  private readonly tokens: Tokens;

  protected override shouldSkip(): Promise<boolean> {
    return Promise.resolve(false);
  }

  protected override getTracker(request: Request): Promise<string> {
    return Promise.resolve(clientAddress(request) + PART + this.subject(request));
  }

  /** What the body holds is not validated yet: any field may be of any type. */
  private subject({ body, headers }: Request): string {
    const fields = (body ?? {}) as Fields;
    switch (fields['grant_type']) {
      case 'password':
      case 'client_credentials':
        return clientOf(headers.authorization, fields) ?? OTHER;
      case 'refresh_token':
        return this.sessionOf(fields['refresh_token']) ?? OTHER;
      default:
        return OTHER;
    }
  }

  /** Ten sessions behind one address do not count together; a token that is not ours names no session. */
  private sessionOf(token: unknown): string | undefined {
    if (typeof token !== 'string') return undefined;
    try {
      return this.tokens.readRefresh(token).sessionId;
    } catch {
      return undefined;
    }
  }
}

function clientOf(authorization: string | undefined, { client_id: named }: Fields): string | undefined {
  try {
    const sent = clientCredentialsOf(authorization, { client_id: typeof named === 'string' ? named : '' });
    return sent && isWellFormedSecret('wsc_', sent.clientId) ? sent.clientId : undefined;
  } catch {
    return undefined;
  }
}
