import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { ApiFailures } from '../http/error.dto.js';
import type { Scope } from './scopes.js';

/** Metadata key under which a route says who may call it. */
export const ACCESS = Symbol('access');

export type Access = { public: true } | { public: false; scope: Scope | null };

/** Names of the security schemes in the OpenAPI document. */
export const BEARER_SCHEME = 'bearer';
export const API_KEY_SCHEME = 'apiKey';
export const OAUTH2_SCHEME = 'oauth2';
export const BASIC_SCHEME = 'basic';

/** The route needs credentials that grant the scope. Sets the guard's rule and the document's security together. */
export function RequireScope(scope: Scope): MethodDecorator {
  return restricted({ public: false, scope }, [scope], 401, 403);
}

/** The route needs credentials, whatever their scope: what it reaches is the caller's own session. */
export function RequireCaller(): MethodDecorator {
  return restricted({ public: false, scope: null }, [], 401);
}

/** The route is open to everybody, and says so. */
export function Public(): MethodDecorator {
  return SetMetadata(ACCESS, { public: true } satisfies Access);
}

function restricted(access: Access, scopes: string[], ...failures: number[]): MethodDecorator {
  return applyDecorators(
    SetMetadata(ACCESS, access),
    ApiSecurity(BEARER_SCHEME, scopes),
    ApiSecurity(API_KEY_SCHEME, scopes),
    ApiSecurity(OAUTH2_SCHEME, scopes),
    ApiFailures(...failures, 429, 503),
  );
}
