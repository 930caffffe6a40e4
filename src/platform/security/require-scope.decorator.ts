import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { ApiErrors } from '../http/error.dto.js';
import type { Scope } from './scopes.js';

/** Metadata key under which a route says who may call it. */
export const ACCESS = Symbol('access');

export type Access =
  | { public: true }
  /** Any one of the scopes will do; where there is none, any caller will. */
  | { public: false; scopes: readonly Scope[]; schemes: readonly Scheme[] };

/** Names of the security schemes in the OpenAPI document. */
export const BEARER_SCHEME = 'bearer';
export const API_KEY_SCHEME = 'apiKey';
export const OAUTH2_SCHEME = 'oauth2';
export const BASIC_SCHEME = 'basic';

/** By which a caller is known on a route; it looks at nothing else. */
export type Scheme = typeof BEARER_SCHEME | typeof API_KEY_SCHEME | typeof OAUTH2_SCHEME;

const ANY_SCHEME = [BEARER_SCHEME, API_KEY_SCHEME, OAUTH2_SCHEME] as const;

/**
 * The route needs credentials that grant the scope, or any one of several. Sets the guard's rule and the document's
 * security together.
 */
export function RequireScope(...scopes: [Scope, ...Scope[]]): MethodDecorator {
  return restricted(ANY_SCHEME, scopes, 401, 403);
}

/** The route needs an API key that grants the scope, and does not look at `Authorization` at all. */
export function RequireApiKey(scope: Scope): MethodDecorator {
  return restricted([API_KEY_SCHEME], [scope], 401, 403);
}

/** The route needs credentials, whatever their scope: what it reaches is the caller's own session. */
export function RequireCaller(): MethodDecorator {
  return restricted(ANY_SCHEME, [], 401);
}

/** The route is open to everybody, and says so. */
export function Public(): MethodDecorator {
  return SetMetadata(ACCESS, { public: true } satisfies Access);
}

function restricted(schemes: readonly Scheme[], scopes: readonly Scope[], ...failures: number[]): MethodDecorator {
  const alternatives = scopes.length > 0 ? scopes.map((scope) => [scope]) : [[]];
  return applyDecorators(
    SetMetadata(ACCESS, { public: false, scopes, schemes } satisfies Access),
    ...alternatives.flatMap((needed) => schemes.map((scheme) => ApiSecurity(scheme, needed))),
    ApiErrors(...failures, 429, 503),
  );
}
