import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { ApiErrors } from '../http/error.dto.js';
import type { ErrorDefinition } from '../http/error-definition.js';
import type { Scope } from './scopes.js';
import { describeScopes, SECURITY_ERRORS } from './security.errors.js';

/** Metadata key of a route's `Access`. */
export const ACCESS = Symbol('access');

export type Access =
  | { public: true }
  /** The caller needs one of the scopes; without scopes, any credentials suffice. */
  | { public: false; scopes: readonly Scope[]; schemes: readonly Scheme[] };

/** Names of the security schemes in the OpenAPI document. */
export const BEARER_SCHEME = 'bearer';
export const API_KEY_SCHEME = 'apiKey';
export const OAUTH2_SCHEME = 'oauth2';
export const BASIC_SCHEME = 'basic';

/** The kinds of credentials that a route can accept. */
export type Scheme = typeof BEARER_SCHEME | typeof API_KEY_SCHEME | typeof OAUTH2_SCHEME;

const ANY_SCHEME = [BEARER_SCHEME, API_KEY_SCHEME, OAUTH2_SCHEME] as const;

/**
 * The route needs credentials with one of the scopes. Like the other decorators of this file it sets the rule of the
 * access guard and, in the OpenAPI document, the security requirement and the error responses.
 */
export function RequireScope(...scopes: [Scope, ...Scope[]]): MethodDecorator {
  return requireAccess(ANY_SCHEME, scopes);
}

/** The route needs an API key with the scope, and ignores `Authorization`. */
export function RequireApiKey(scope: Scope): MethodDecorator {
  return requireAccess([API_KEY_SCHEME], [scope]);
}

/**
 * The route needs an access token of any scope, because it acts for the user and not for a workspace. It ignores
 * `X-API-Key`.
 */
export function RequireSession(): MethodDecorator {
  return requireAccess([BEARER_SCHEME, OAUTH2_SCHEME], []);
}

/** The route needs no credentials. */
export function Public(): MethodDecorator {
  return SetMetadata(ACCESS, { public: true } satisfies Access);
}

function requireAccess(schemes: readonly Scheme[], scopes: readonly Scope[]): MethodDecorator {
  const alternatives = scopes.length > 0 ? scopes.map((scope) => [scope]) : [[]];
  const { unauthenticated, invalid_token, invalid_api_key, insufficient_scope } = SECURITY_ERRORS;
  const errors: ErrorDefinition[] = [unauthenticated];
  if (schemes.includes(BEARER_SCHEME)) errors.push(invalid_token);
  if (schemes.includes(API_KEY_SCHEME)) errors.push(invalid_api_key);
  if (scopes.length > 0) errors.push({ ...insufficient_scope, message: describeScopes(scopes) });
  return applyDecorators(
    SetMetadata(ACCESS, { public: false, scopes, schemes } satisfies Access),
    ...alternatives.flatMap((required) => schemes.map((scheme) => ApiSecurity(scheme, required))),
    ApiErrors(...errors),
  );
}
