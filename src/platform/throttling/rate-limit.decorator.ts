import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  SetMetadata,
  type Type,
  UseGuards,
} from '@nestjs/common';
import type { Request } from 'express';
import type { Config } from '../config/config.js';
import { ApiErrors } from '../http/error.dto.js';
import { THROTTLING_ERRORS } from './throttling.errors.js';

const ROUTE_LIMIT = Symbol('route-limit');

/** Policies whose buckets all instances share. Config lists them. */
export type SharedPolicyName = keyof Config['rateLimits']['shared'];

interface RouteLimit {
  /** null: no limit. */
  policy: SharedPolicyName | null;
  /** A guard of the route counts, because only it can identify the caller. */
  ownGuard: boolean;
}

/**
 * The route counts by the shared policy instead of `read` or `write`, per user or per address of an anonymous caller.
 *
 * @param guard counts instead, after the body was read.
 */
export function RateLimit(policy: SharedPolicyName, guard?: Type<CanActivate>): MethodDecorator {
  return applyDecorators(
    SetMetadata(ROUTE_LIMIT, { policy, ownGuard: guard !== undefined } satisfies RouteLimit),
    ApiErrors(THROTTLING_ERRORS.too_many_requests),
    ...(guard ? [UseGuards(guard)] : []),
  );
}

/** The route has no rate limit, because monitoring calls it frequently. */
export function NoRateLimit(): MethodDecorator {
  return SetMetadata(ROUTE_LIMIT, { policy: null, ownGuard: false } satisfies RouteLimit);
}

/** Policies that count all callers together, in addition to the policy that counts each. */
const TOGETHER: Partial<Record<SharedPolicyName, SharedPolicyName>> = { public: 'publicTogether' };

/** Does the policy count all callers in one bucket? */
export function isTogether(name: string): boolean {
  return Object.values<string>(TOGETHER).includes(name);
}

export function hasOwnGuard(context: ExecutionContext): boolean {
  return findRouteLimit(context)?.ownGuard ?? false;
}

/** The policies of a request; empty if it has no limit. */
export function findPolicies(context: ExecutionContext): readonly string[] {
  const limit = findRouteLimit(context);
  if (limit) return [limit.policy, limit.policy && TOGETHER[limit.policy]].filter((name) => typeof name === 'string');
  const { method } = context.switchToHttp().getRequest<Request>();
  return [method === 'GET' || method === 'HEAD' ? 'read' : 'write'];
}

function findRouteLimit(context: ExecutionContext): RouteLimit | undefined {
  return Reflect.getMetadata(ROUTE_LIMIT, context.getHandler()) as RouteLimit | undefined;
}
