import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { Config } from '../config/config.js';
import type { RatePolicy } from '../config/rate-policy.js';
import { clientAddress } from '../http/client-address.js';
import { DomainError } from '../http/domain-error.js';
import { onFailure } from '../http/handler-hooks.js';
import type { SharedPolicyName } from './rate-limit.decorator.js';
import { applyRateLimit } from './rate-limit-status.js';
import { bucketKey, SharedBucketsRepository } from './shared-buckets.repository.js';

const FAILURE_LIMIT = Symbol('failure-limit');

/**
 * Rejects an address after too many requests with invalid credentials, before the credentials are checked. Write it below
 * @RateLimit(): decorators apply from below, so a rejected request counts in no other bucket.
 */
export function LimitFailures(policy: SharedPolicyName): MethodDecorator {
  return applyDecorators(SetMetadata(FAILURE_LIMIT, policy), UseGuards(FailureLimit));
}

/** Checks the limit, and counts a failure if the credentials are then rejected (`unauthenticated`). */
@Injectable()
export class FailureLimit implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly buckets: SharedBucketsRepository,
    private readonly config: Config,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { name, policy } = this.findLimit(context);
    if (!policy) return true;
    const key = findKey(name, context);
    // Counted before the response, so that the next attempt of the caller already meets it.
    onFailure(context.switchToHttp().getRequest<Request>(), async (error) => {
      if (error instanceof DomainError && error.kind === 'unauthenticated') await this.buckets.count(key, policy);
    });
    if (!(await this.buckets.peek(key, policy)).isBlocked) return true;
    // The attempt that reaches the limit begins the block, if the policy has one.
    const status = await this.buckets.count(key, policy);
    if (status.isBlocked) applyRateLimit(context.switchToHttp().getResponse<Response>(), name, policy, status);
    return true;
  }

  private findLimit(context: ExecutionContext): { name: string; policy: RatePolicy | null } {
    const name = this.reflector.get<SharedPolicyName>(FAILURE_LIMIT, context.getHandler());
    return { name, policy: this.config.rateLimits.shared[name] };
  }
}

function findKey(policy: string, context: ExecutionContext): string {
  return bucketKey(policy, clientAddress(context.switchToHttp().getRequest<Request>()));
}
