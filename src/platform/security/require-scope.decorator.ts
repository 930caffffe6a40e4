import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { ApiFailures } from '../http/error.dto.js';
import type { Scope } from './scopes.js';

/** Metadata key under which a route says who may call it. */
export const ACCESS = Symbol('access');

export type Access =
  | { public: true }
  /** Any one of the scopes will do; where there is none, any caller will. */
  | { public: false; scopes: readonly Scope[] };

/** Names of the security schemes in the OpenAPI document. */
export const BEARER_SCHEME = 'bearer';
export const API_KEY_SCHEME = 'apiKey';
export const OAUTH2_SCHEME = 'oauth2';
export const BASIC_SCHEME = 'basic';

/**
 * The route needs credentials that grant the scope, or any one of several. Sets the guard's rule and the document's
 * security together.
 */
export function RequireScope(...scopes: [Scope, ...Scope[]]): MethodDecorator {
  return restricted(scopes, 401, 403);
}

/** The route needs credentials, whatever their scope: what it reaches is the caller's own session. */
export function RequireCaller(): MethodDecorator {
  return restricted([], 401);
}

/** The route is open to everybody, and says so. */
export function Public(): MethodDecorator {
  return SetMetadata(ACCESS, { public: true } satisfies Access);
}

function restricted(scopes: readonly Scope[], ...failures: number[]): MethodDecorator {
  const alternatives = scopes.length > 0 ? scopes.map((scope) => [scope]) : [[]];
  return applyDecorators(
    SetMetadata(ACCESS, { public: false, scopes } satisfies Access),
    ...alternatives.flatMap((needed) => [
      ApiSecurity(BEARER_SCHEME, needed),
      ApiSecurity(API_KEY_SCHEME, needed),
      ApiSecurity(OAUTH2_SCHEME, needed),
    ]),
    ApiFailures(...failures, 429, 503),
  );
}
