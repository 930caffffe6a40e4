import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import { ApiErrors } from '../http/error.dto.js';
import { type ErrorDefinition, withMessage } from '../../../packages/errors/src/error-definition.js';
import type { Role } from './roles.js';
import type { Scope } from './scopes.js';
import { describeRole, describeScopes, SECURITY_ERRORS } from './security.errors.js';

/** Metadata key of a route's `Access`. */
export const ACCESS = Symbol('access');

export type Access = { public: true } | RestrictedAccess;

export interface RestrictedAccess {
  public: false;
  /** The caller needs one of the scopes; without scopes, any credentials suffice. */
  scopes: readonly Scope[];
  schemes: readonly Scheme[];
  /** The role that the caller needs in the workspace; absent if the route is not about workspaces. */
  role?: Role;
  /** The role that suffices if the parameter `id` of the path is the ID of the caller. */
  ownRole?: Role;
}

/** Extension of an operation, which its description contains in the document. */
export const ROLE_EXTENSION = 'x-role';

/** Names of the security schemes in the OpenAPI document. */
export const BEARER_SCHEME = 'bearer';
export const API_KEY_SCHEME = 'apiKey';
export const OAUTH2_SCHEME = 'oauth2';
export const BASIC_SCHEME = 'basic';
/** An API key as the password of Basic credentials, for programs that can send no other header. */
export const BASIC_KEY_SCHEME = 'apiKeyAsPassword';

/** An API key as the Bearer token, for identity providers that can send no other header. */
export const BEARER_KEY_SCHEME = 'apiKeyAsBearer';

/** The kinds of credentials that a route can accept. */
export type Scheme =
  | typeof BEARER_SCHEME
  | typeof API_KEY_SCHEME
  | typeof OAUTH2_SCHEME
  | typeof BASIC_KEY_SCHEME
  | typeof BEARER_KEY_SCHEME;

const ANY_SCHEME = [BEARER_SCHEME, API_KEY_SCHEME, OAUTH2_SCHEME] as const;

/**
 * The route needs credentials with the scope, or with one of several, and a membership with the role. Like the other
 * decorators of this file it sets the rule of the access guard and, in the OpenAPI document, the security requirement
 * and the error responses.
 *
 * @param role this declaration is the only one: what a role permits follows from the routes that name it.
 * @param ownRole the role that suffices for users themselves, on a route whose `id` is that of a user.
 */
export function RequireScope(scope: Scope | readonly [Scope, ...Scope[]], role: Role, ownRole?: Role): MethodDecorator {
  const scopes = typeof scope === 'string' ? [scope] : scope;
  return requireAccess({ public: false, schemes: ANY_SCHEME, scopes, role, ownRole });
}

/** As `RequireScope`; the route also accepts an API key as the password of Basic credentials. */
export function RequireScopeOrBasic(scope: Scope, role: Role): MethodDecorator {
  return requireAccess({ public: false, schemes: [...ANY_SCHEME, BASIC_KEY_SCHEME], scopes: [scope], role });
}

/** The route needs an API key with the scope whose user has the role, and ignores `Authorization`. */
export function RequireApiKey(scope: Scope, role: Role): MethodDecorator {
  return requireAccess({ public: false, schemes: [API_KEY_SCHEME], scopes: [scope], role });
}

/** As `RequireApiKey`; the route also accepts the key as `Authorization: Bearer`. */
export function RequireBearerKey(scope: Scope, role: Role): MethodDecorator {
  return requireAccess({ public: false, schemes: [API_KEY_SCHEME, BEARER_KEY_SCHEME], scopes: [scope], role });
}

/**
 * The route needs an access token of any scope, because it acts for the user and not for a workspace. It ignores
 * `X-API-Key`.
 */
export function RequireSession(): MethodDecorator {
  return requireAccess({ public: false, schemes: [BEARER_SCHEME, OAUTH2_SCHEME], scopes: [] });
}

/** The route needs no credentials. */
export function Public(): MethodDecorator {
  return SetMetadata(ACCESS, { public: true } satisfies Access);
}

function requireAccess(access: RestrictedAccess): MethodDecorator {
  const { schemes, scopes, role } = access;
  const alternatives = scopes.length > 0 ? scopes.map((scope) => [scope]) : [[]];
  const { unauthenticated, invalid_token, invalid_api_key, insufficient_scope, insufficient_role } = SECURITY_ERRORS;
  const errors: ErrorDefinition[] = [unauthenticated];
  if (schemes.includes(BEARER_SCHEME)) errors.push(invalid_token);
  if (schemes.includes(API_KEY_SCHEME)) errors.push(invalid_api_key);
  if (scopes.length > 0) errors.push(withMessage(insufficient_scope, describeScopes(scopes)));
  // Every role includes that of a reader.
  if (role && role !== 'reader') errors.push(withMessage(insufficient_role, describeRole(role)));
  return applyDecorators(
    SetMetadata(ACCESS, access satisfies Access),
    ...(role ? [ApiExtension(ROLE_EXTENSION, role)] : []),
    ...alternatives.flatMap((required) => schemes.map((scheme) => ApiSecurity(scheme, required))),
    ApiErrors(...errors),
  );
}
