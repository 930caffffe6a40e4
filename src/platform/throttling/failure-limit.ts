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
import type { RatePolicy } from '../config/rate-policy.js';
import { clientAddress } from '../http/client-address.js';
import { DomainError } from '../http/domain-error.js';
import type { SharedPolicyName } from './rate-limit.decorator.js';
import { applyRateLimit } from './rate-limit-status.js';
import { bucketKey, SharedBucketsRepository } from './shared-buckets.repository.js';

const FAILURE_LIMIT = Symbol('failure-limit');

/**
 * Rejects an address after too many requests with invalid credentials, before the credentials are checked. Write it below
 * @RateLimit(): decorators apply from below, so a rejected request counts in no other bucket.
 */
export function LimitFailures(policy: SharedPolicyName): MethodDecorator {
  return applyDecorators(SetMetadata(FAILURE_LIMIT, policy), UseGuards(FailureLimit), UseInterceptors(FailureLimit));
}

/** Checks the limit before the handler, and counts a failure if the handler rejects the credentials (`unauthenticated`). */
@Injectable()
export class FailureLimit implements CanActivate, NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly buckets: SharedBucketsRepository,
    private readonly config: Config,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { name, policy } = this.findLimit(context);
    if (!policy) return true;
    const key = findKey(name, context);
    if (!(await this.buckets.peek(key, policy)).isBlocked) return true;
    // The attempt that reaches the limit begins the block, if the policy has one.
    const status = await this.buckets.count(key, policy);
    if (status.isBlocked) applyRateLimit(context.switchToHttp().getResponse<Response>(), name, policy, status);
    return true;
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { name, policy } = this.findLimit(context);
    if (!policy) return next.handle();
    return next.handle().pipe(
      catchError((error: unknown) => {
        const rethrown = throwError(() => error);
        if (!(error instanceof DomainError) || error.kind !== 'unauthenticated') return rethrown;
        // Counted before the response, so that the next attempt of the caller already meets it.
        return from(this.buckets.count(findKey(name, context), policy)).pipe(switchMap(() => rethrown));
      }),
    );
  }

  private findLimit(context: ExecutionContext): { name: string; policy: RatePolicy | null } {
    const name = this.reflector.get<SharedPolicyName>(FAILURE_LIMIT, context.getHandler());
    return { name, policy: this.config.rateLimits.shared[name] };
  }
}

function findKey(policy: string, context: ExecutionContext): string {
  return bucketKey(policy, clientAddress(context.switchToHttp().getRequest<Request>()));
}
