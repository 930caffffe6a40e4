import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { Config } from '../../config/config.js';
import { DeferredTransactions } from '../../database/deferred-transactions.js';
import { clientAddress } from '../client-address.js';
import { FinishedReply, finishReply } from '../finished-reply.js';
import { EffectiveHeaders } from './effective-headers.js';
import { type CallerKey, IdempotencyKeys, type StoredResponse } from './idempotency-keys.repository.js';
import { RENEW_REPLAYED_BODIES } from './renew-replayed-bodies.decorator.js';
import { ReplayedBodies } from './replayed-bodies.js';
import { InvalidIdempotencyKeyError } from './idempotency.errors.js';

/** How long an error waits for the release of its key, in milliseconds. */
const RELEASE_MS = 1_000;

const KEY = /^[\x21-\x7e]{1,255}$/;

type Headers = ReturnType<Response['getHeaders']>;

/**
 * A POST with an `Idempotency-Key` takes effect once, however often it is sent. The response is stored in the same
 * transaction as the effect, and sent again for each repetition. `IdempotentRoutes` adds the interceptor to the routes.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly bodies: ReplayedBodies,
    private readonly headers: EffectiveHeaders,
    private readonly transactions: DeferredTransactions,
    private readonly config: Config,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const key = request.get('Idempotency-Key');
    if (key === undefined) return next.handle();
    if (!KEY.test(key)) throw new InvalidIdempotencyKeyError();
    const renews = Reflect.getMetadata(RENEW_REPLAYED_BODIES, context.getClass()) === true;
    return from(this.executeOnce({ caller: identifyCaller(request), key }, request, response, next, renews));
  }

  private async executeOnce(
    callerKey: CallerKey,
    request: Request,
    response: Response,
    next: CallHandler,
    renews: boolean,
  ): Promise<FinishedReply> {
    const lease = await this.keys.acquire(callerKey, fingerprint(request, this.headers));
    if (typeof lease !== 'string') return this.replay(lease, response, renews);
    const before = response.getHeaders();
    const endRenewal = this.keys.startRenewal(callerKey, lease);
    try {
      const { body } = await this.transactions.run(
        async () => this.finish(await lastValueFrom(next.handle(), { defaultValue: undefined }), response, before),
        (stored) => this.keys.storeResponse(callerKey, lease, stored),
      );
      return new FinishedReply(body ?? undefined);
    } catch (error) {
      // The headers of the success must not be sent with the error.
      for (const name of Object.keys(changedHeaders(response, before))) response.removeHeader(name);
      for (const [name, value] of Object.entries(before)) response.setHeader(name, value!);
      // If the release fails too, or if the database does not respond, the lease expires.
      const release = this.keys.release(callerKey, lease).catch(() => undefined);
      await Promise.race([release, delay(RELEASE_MS, undefined, { ref: false })]);
      throw error;
    } finally {
      endRenewal();
    }
  }

  private replay({ status, headers, body }: StoredResponse, response: Response, renews: boolean): FinishedReply {
    response.status(status).set(headers).set('Idempotent-Replayed', 'true');
    return new FinishedReply(body === null ? undefined : renews ? this.bodies.renew(body) : body);
  }

  /** Serializes the body here, so that the stored response is identical to the sent one. */
  private finish(result: unknown, response: Response, before: Headers): StoredResponse {
    const reply = finishReply(result, response, this.config.http.publicUrl);
    const body = (reply instanceof FinishedReply ? reply.body : JSON.stringify(reply ?? undefined)) ?? null;
    if (body !== null) response.type('json');
    return { status: response.statusCode, headers: changedHeaders(response, before), body };
  }
}

function identifyCaller(request: Request): string {
  return request.principal?.userId ?? `public:${digest(clientAddress(request))}`;
}

/**
 * Hash of the request and of the caller's authority, so that a stored response is sent only if the access guard would
 * admit the same request to the same records. The body guards set `bodyDigest` if a request with an `Idempotency-Key`
 * has a body.
 */
function fingerprint(
  { method, originalUrl, bodyDigest, headers, principal, identity }: Request,
  effectiveHeaders: EffectiveHeaders,
): string {
  const relevant = effectiveHeaders.list(headers);
  return digest(
    [
      method,
      originalUrl,
      bodyDigest ?? '',
      ...relevant,
      ...describeAuthority(principal),
      ...describePolicies(identity),
    ].join('\n'),
  );
}

/**
 * Without the session, so that a caller who signs in again receives the response of an interrupted request.
 */
function describeAuthority(principal: Request['principal']): string[] {
  if (!principal) return [];
  const { apiKeyId, clientId, workspaceIds, scopes } = principal;
  return [`credential: ${apiKeyId ?? clientId ?? ''}`, ...workspaceIds.toSorted(), ...scopes.toSorted()];
}

/** The access policies of the caller as they are: what a stored response contains may be hidden now. */
function describePolicies(identity: Request['identity']): string[] {
  const policies = identity?.memberships.flatMap((membership) => membership.policies ?? []) ?? [];
  return policies.map(({ id, version }) => `policy: ${id} ${version}`).toSorted();
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The headers that the handler set, without those that differ per request, such as the request ID. */
function changedHeaders(response: Response, before: Headers): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(response.getHeaders())
      .filter(([name, value]) => !isDeepStrictEqual(value, before[name]))
      .map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]),
  );
}
