import {
  applyDecorators,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { catchError, from, type Observable, switchMap, throwError } from 'rxjs';
import { Config } from '../config/config.js';
import { DomainError } from '../http/domain-error.js';
import { clientAddress } from '../http/client-address.js';
import type { RatePolicy } from './rate-policy.js';
import { setRateLimitHeaders } from './rate-limit-headers.js';
import type { SharedPolicyName } from './rate-limit.decorator.js';
import { bucketKey, SharedBuckets } from './shared-buckets.js';

const FAILURE_LIMIT = Symbol('failure-limit');

/**
 * An address whose credentials were refused too often is refused before they are looked at again. It stands
 * below @RateLimit(), since decorators apply from below: what is refused here is then counted nowhere else.
 */
export function LimitFailures(policy: SharedPolicyName): MethodDecorator {
  return applyDecorators(SetMetadata(FAILURE_LIMIT, policy), UseGuards(FailureLimit), UseInterceptors(FailureLimit));
}

/** Looks before the handler, and counts after it where that refused the credentials (`unauthenticated`). */
@Injectable()
export class FailureLimit implements CanActivate, NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly buckets: SharedBuckets,
    private readonly config: Config,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { name, policy, key } = this.limitOf(context);
    if (!policy || !(await this.buckets.peek(key, policy)).isBlocked) return true;
    // The attempt that finds the log full begins the block, where the policy has one.
    const standing = await this.buckets.count(key, policy);
    if (standing.isBlocked) setRateLimitHeaders(context.switchToHttp().getResponse<Response>(), name, policy, standing);
    return true;
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { policy, key } = this.limitOf(context);
    if (!policy) return next.handle();
    return next.handle().pipe(
      catchError((error: unknown) => {
        const rethrown = throwError(() => error);
        if (!(error instanceof DomainError) || error.kind !== 'unauthenticated') return rethrown;
        // Answered once it is counted: whoever reads the answer and tries again finds the count.
        return from(this.buckets.count(key, policy)).pipe(switchMap(() => rethrown));
      }),
    );
  }

  private limitOf(context: ExecutionContext): { name: string; policy: RatePolicy | null; key: string } {
    const name = this.reflector.get<SharedPolicyName>(FAILURE_LIMIT, context.getHandler());
    const key = bucketKey(name, clientAddress(context.switchToHttp().getRequest<Request>()));
    return { name, policy: this.config.rateLimits.shared[name], key };
  }
}
