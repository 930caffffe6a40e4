import type { IncomingMessage } from 'node:http';
import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { RequestBodyReader } from '../../platform/body/request-body-reader.js';
import { clientAddress } from '../../platform/http/client-address.js';
import { TRACKER_SEPARATOR } from '../../platform/throttling/rate-limit-storage.js';
import { RateLimitGuard } from '../../platform/throttling/rate-limit.guard.js';
import { readClientId } from './client-credentials.js';
import { TokenCodec, type VerifiedRefreshToken } from './token-codec.js';
import { TokenFailureGuard } from './token-failure.guard.js';

/** The refresh tokens of refreshes, verified once per request: for the rate limit, the grant and the audit log. */
export const refreshTokens = new WeakMap<IncomingMessage, VerifiedRefreshToken>();

/** The bucket of all attempts that name no client or session, so that callers cannot create buckets at will. */
const OTHER = 'other';

type UnvalidatedBody = Partial<Record<string, unknown>>;

/**
 * Counts every attempt at the token endpoint, whether it succeeds or not, before credentials are verified
 * (specification, section 8). The bucket is address and client, or address and session; never only the client, because
 * anybody could lock it out.
 */
@Injectable()
export class TokenRateLimitGuard extends RateLimitGuard {
  @Inject(RequestBodyReader)
  private readonly body: RequestBodyReader;

  @Inject(TokenCodec)
  private readonly tokens: TokenCodec;

  @Inject(TokenFailureGuard)
  private readonly failures: TokenFailureGuard;

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const unreadable = await this.body.read(context).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    const request = context.switchToHttp().getRequest<Request>();
    if (!unreadable) await this.verifyRefreshToken(request);
    // After the body was received, so that slow senders do not delay other attempts of their address. A request that
    // this rejects counts in no other bucket.
    await this.failures.canActivate(context);
    await super.canActivate(context);
    // An attempt with an unreadable body is counted before it is rejected.
    if (unreadable) throw unreadable;
    return true;
  }

  protected override shouldSkip(): Promise<boolean> {
    return Promise.resolve(false);
  }

  protected override getTracker(request: Request): Promise<string> {
    return Promise.resolve(clientAddress(request) + TRACKER_SEPARATOR + (findBucket(request) ?? OTHER));
  }

  private async verifyRefreshToken(request: Request): Promise<void> {
    const { grant_type: grant, refresh_token: token } = readBody(request);
    if (grant !== 'refresh_token' || typeof token !== 'string' || token === '') return;
    refreshTokens.set(request, await this.tokens.verifyRefreshToken(token));
  }
}

function findBucket(request: Request): string | undefined {
  const { grant_type: grant, client_id: clientId } = readBody(request);
  switch (grant) {
    case 'password':
    case 'client_credentials':
      return readClientId(request.headers.authorization, clientId);
    case 'refresh_token':
      // Ten sessions behind one address have separate buckets.
      return refreshTokens.get(request)?.claims?.sessionId;
    default:
      return undefined;
  }
}

function readBody(request: Request): UnvalidatedBody {
  return (request.body ?? {}) as UnvalidatedBody;
}
