import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { RequestBodyReader } from '../../platform/body/request-body-reader.js';
import { clientAddress } from '../../platform/http/client-address.js';
import { TRACKER_SEPARATOR } from '../../platform/throttling/rate-limit-storage.js';
import { RateLimitGuard } from '../../platform/throttling/rate-limit.guard.js';
import { claimedClientId } from './client-credentials.js';
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

  @Inject(RequestBodyReader)
  private readonly body: RequestBodyReader;

  /** An attempt with an unreadable body is counted before it is rejected. */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const unreadable = await this.body.read(context).then(
      () => undefined,
      (error: Error) => error,
    );
    await super.canActivate(context);
    if (unreadable) throw unreadable;
    return true;
  }

  protected override shouldSkip(): Promise<boolean> {
    return Promise.resolve(false);
  }

  protected override async getTracker(request: Request): Promise<string> {
    return clientAddress(request) + TRACKER_SEPARATOR + ((await this.subject(request)) ?? OTHER);
  }

  /** What the body holds is not validated yet: any field may be of any type. */
  private async subject({ body, headers }: Request): Promise<string | undefined> {
    const { grant_type: grant, client_id: client, refresh_token: token } = (body ?? {}) as Fields;
    switch (grant) {
      case 'password':
      case 'client_credentials':
        return claimedClientId(headers.authorization, client);
      case 'refresh_token':
        // Ten sessions behind one address do not count together; a token that is not ours names no session.
        return typeof token === 'string' ? (await this.tokens.findSession(token, ['refresh']))?.sessionId : undefined;
      default:
        return undefined;
    }
  }
}
