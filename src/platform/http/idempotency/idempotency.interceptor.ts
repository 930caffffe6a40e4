import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { Database } from '../../database/database.js';
import { clientAddress } from '../client-address.js';
import { IdempotencyKeys, type KeptAnswer, type KeyOf } from './idempotency-keys.js';
import { InvalidIdempotencyKeyError } from './idempotency.errors.js';
import { NO_IDEMPOTENCY_KEY } from './no-idempotency-key.decorator.js';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Headers by name, as Node has them. */
type Headers = ReturnType<Response['getHeaders']>;

/**
 * A POST with an `Idempotency-Key` takes effect once, however often it is sent: its answer is kept in the transaction of
 * its effect, and given again. Stands outside of the envelope, whose answer it keeps.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly keys: IdempotencyKeys,
    private readonly database: Database,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const key = request.get('Idempotency-Key');
    const excepted = this.reflector.get<boolean | undefined>(NO_IDEMPOTENCY_KEY, context.getHandler()) === true;
    if (key === undefined || request.method !== 'POST' || excepted) return next.handle();
    if (!KEY.test(key)) throw new InvalidIdempotencyKeyError();
    return from(this.once({ caller: callerOf(request), key }, request, response, next));
  }

  private async once(of: KeyOf, request: Request, response: Response, next: CallHandler): Promise<string | null> {
    const claim = await this.keys.claim(of, fingerprintOf(request));
    if (typeof claim !== 'string') return replay(claim, response);
    const before = response.getHeaders();
    const letGo = this.keys.keep(of, claim);
    try {
      const { body } = await this.database.defer(
        async () => answerOf(await lastValueFrom(next.handle(), { defaultValue: undefined }), response, before),
        (answer) => this.keys.answer(of, claim, answer),
      );
      return body;
    } catch (error) {
      // What the answer would have said does not stand beside the error.
      for (const name of Object.keys(ownHeaders(response, before))) response.removeHeader(name);
      for (const [name, value] of Object.entries(before)) response.setHeader(name, value!);
      // Where that fails too, the lease ends by itself.
      await this.keys.release(of, claim).catch(() => undefined);
      throw error;
    } finally {
      letGo();
    }
  }
}

function callerOf(request: Request): string {
  return request.principal?.userId ?? `public:${digest(clientAddress(request))}`;
}

/** Headers that decide what a request does, beside its body. */
const DECIDING = ['if-match', 'x-claim-token'];

/** What is asked for. The body's digest is there wherever the header is, and a body. */
function fingerprintOf({ method, originalUrl, bodyDigest, headers }: Request): string {
  const decided = DECIDING.filter((name) => headers[name] !== undefined).map(
    (name) => `${name}: ${String(headers[name])}`,
  );
  return digest([method, originalUrl, bodyDigest ?? '', ...decided].join('\n'));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Written out here, so that what is kept is to the byte what is sent. */
function answerOf(result: unknown, response: Response, before: Headers): KeptAnswer {
  const body = result === undefined || result === null ? null : JSON.stringify(result);
  if (body !== null) response.type('json');
  return { status: response.statusCode, headers: ownHeaders(response, before), body };
}

/** Not those that stand on every answer, and tell of one request alone. */
function ownHeaders(response: Response, before: Headers): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(response.getHeaders())
      .filter(([name, value]) => !isDeepStrictEqual(value, before[name]))
      .map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]),
  );
}

function replay({ status, headers, body }: KeptAnswer, response: Response): string | null {
  response.status(status).set(headers).set('Idempotent-Replayed', 'true');
  return body;
}
