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

const ROUTE_LIMIT = Symbol('route-limit');

/** The policies that all instances count together; a new one is a line in Config. */
export type SharedPolicyName = keyof Config['rateLimits']['shared'];

interface RouteLimit {
  /** null: not limited at all. */
  policy: SharedPolicyName | null;
  /** A guard of the route counts, since it knows better whose attempt it is. */
  ownGuard: boolean;
}

/**
 * The route counts under the shared policy, in place of `read` or `write`: by user, else by address, or as a guard of
 * its own decides, which runs once the body is read.
 */
export function RateLimit(policy: SharedPolicyName, guard?: Type<CanActivate>): MethodDecorator {
  return applyDecorators(
    SetMetadata(ROUTE_LIMIT, { policy, ownGuard: guard !== undefined } satisfies RouteLimit),
    ApiErrors(429),
    ...(guard ? [UseGuards(guard)] : []),
  );
}

/** The route is not limited: whoever watches over the service calls it, as often as need be. */
export function NoRateLimit(): MethodDecorator {
  return SetMetadata(ROUTE_LIMIT, { policy: null, ownGuard: false } satisfies RouteLimit);
}

/** What counts beside a policy, for all callers together. */
const TOGETHER: Partial<Record<SharedPolicyName, SharedPolicyName>> = { public: 'publicTogether' };

/** Does the policy count all callers as one? */
export function isTogether(name: string): boolean {
  return Object.values<string>(TOGETHER).includes(name);
}

export function hasOwnGuard(context: ExecutionContext): boolean {
  return routeLimit(context)?.ownGuard ?? false;
}

/** The policies that a request counts under; none where it is not limited. */
export function policiesOf(context: ExecutionContext): readonly string[] {
  const limit = routeLimit(context);
  if (limit) return [limit.policy, limit.policy && TOGETHER[limit.policy]].filter((name) => typeof name === 'string');
  const { method } = context.switchToHttp().getRequest<Request>();
  return [method === 'GET' || method === 'HEAD' ? 'read' : 'write'];
}

function routeLimit(context: ExecutionContext): RouteLimit | undefined {
  return Reflect.getMetadata(ROUTE_LIMIT, context.getHandler()) as RouteLimit | undefined;
}
