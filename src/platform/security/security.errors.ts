import { AccessDeniedError } from '../../../packages/errors/src/domain-error.js';
import type { Role } from './roles.js';
import type { Scope } from './scopes.js';
import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';

/** The section of all errors of credentials. */
export const AUTHENTICATION = createSection('Authentication', 'authentication');

export const SECURITY_ERRORS = defineErrors(AUTHENTICATION, {
  unauthenticated: {
    kind: 'unauthenticated',
    message: 'Credentials are required. Send Authorization: Bearer <access token>, or X-API-Key.',
    meaning: '`Authorization` and `X-API-Key` are missing, or the operation accepts only the other ones.',
    remedy: 'Send `Authorization: Bearer <access token>` or `X-API-Key`.',
  },
  invalid_token: {
    kind: 'unauthenticated',
    message: 'The access token has expired',
    meaning: 'The access token has expired, its session has ended, or another deployment issued it.',
    remedy: 'Refresh. If the refresh is rejected too, sign in again.',
  },
  invalid_api_key: {
    kind: 'unauthenticated',
    message: 'The API key is invalid, has expired or has been revoked',
    meaning: 'The API key is unknown, revoked or expired.',
    remedy: 'Check the key. An owner of the workspace or the operator issues a new one.',
  },
  insufficient_scope: {
    kind: 'forbidden',
    message: 'This needs the scope write:projects. Sign in with it.',
    meaning: 'The access token was issued with fewer scopes than the operation requires.',
    remedy: 'Sign in with the scope in the message. Ask the operator if the client may not request it.',
  },
  insufficient_role: {
    kind: 'forbidden',
    message: describeRole('editor'),
    meaning:
      'The membership of the user, or of the user of the API key, has a lesser role than the operation requires.',
    remedy: 'Ask an owner of the workspace to do this, or to change your role.',
  },
  policy_denied: {
    kind: 'forbidden',
    message: 'The access policy of the caller does not permit this operation. Ask an owner of the workspace.',
    meaning:
      'The membership of the user, or the API key, has an access policy, and the operation is not among those that policies can restrict.',
    remedy: 'Ask an owner of the workspace to do this, or use credentials without an access policy.',
  },
});

export function describeRole(needed: Role): string {
  return `This needs the role ${needed} in the workspace. Ask an owner of the workspace.`;
}

export function describeScopes(required: readonly Scope[]): string {
  return `This needs the scope ${required.join(' or ')}. Sign in with it.`;
}

/** The caller's credentials lack the scope of the route (specification, sections 5 and 7). */
export class InsufficientScopeError extends AccessDeniedError {
  /**
   * @param required alternatives. The challenge contains the first, because it can only list scopes needed together.
   */
  constructor(required: readonly Scope[]) {
    super(SECURITY_ERRORS.insufficient_scope, describeScopes(required), {
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${required[0]}"` },
    });
  }
}

/** The role of the caller's membership does not permit the route. */
export class InsufficientRoleError extends AccessDeniedError {
  /**
   * @param field the field that contains the ID of the workspace, if it is not a path parameter, or that needs the
   *   role.
   */
  constructor(needed: Role, field?: string, message = describeRole(needed)) {
    super(SECURITY_ERRORS.insufficient_role, message, { field });
  }
}

/** An access policy of the caller does not permit the route. */
export class PolicyDeniedError extends AccessDeniedError {
  /**
   * @param field the field that contains the ID of the workspace, if it is not a path parameter.
   * @param message undefined: that of the definition.
   */
  constructor(field?: string, message?: string) {
    super(SECURITY_ERRORS.policy_denied, message, { field });
  }
}
