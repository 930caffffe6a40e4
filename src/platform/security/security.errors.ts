import { DomainError } from '../http/domain-error.js';
import type { Scope } from './scopes.js';
import { createSection, defineErrors } from '../http/error-definition.js';

/** The section of all errors of credentials. */
export const AUTHENTICATION = createSection('Authentication', 'authentication');

export const SECURITY_ERRORS = defineErrors(AUTHENTICATION, {
  unauthenticated: {
    kind: 'unauthenticated',
    message: 'Credentials are required. Send Authorization: Bearer <access token>, or X-API-Key.',
    meaning: 'The request has no credentials that the operation accepts.',
    cause: '`Authorization` and `X-API-Key` are missing, or the operation accepts only the other ones.',
    remedy: 'Send `Authorization: Bearer <access token>` or `X-API-Key`.',
  },
  invalid_token: {
    kind: 'unauthenticated',
    message: 'The access token has expired',
    meaning: 'The access token is not valid.',
    cause: 'It has expired, its session has ended, or another deployment issued it.',
    remedy: 'Refresh. If the refresh is rejected too, sign in again.',
  },
  invalid_api_key: {
    kind: 'unauthenticated',
    message: 'The API key is invalid, has expired or has been revoked',
    meaning: 'The API key is not valid.',
    cause: 'It is unknown, revoked or expired.',
    remedy: 'Check the key, or ask the operator for a new one (`api-key create`).',
  },
  insufficient_scope: {
    kind: 'forbidden',
    message: 'This needs the scope write:projects. Sign in with it.',
    meaning: 'The credentials lack a scope of the operation.',
    cause: 'The access token was issued with fewer scopes than the operation requires.',
    remedy: 'Sign in with the scope in the message. Ask the operator if the client may not request it.',
  },
});

export function describeScopes(required: readonly Scope[]): string {
  return `This needs the scope ${required.join(' or ')}. Sign in with it.`;
}

/** The caller's credentials lack the scope of the route (specification, sections 5 and 7). */
export class InsufficientScopeError extends DomainError {
  /**
   * @param required alternatives. The challenge contains the first, because it can only list scopes needed together.
   */
  constructor(required: readonly Scope[]) {
    super(SECURITY_ERRORS.insufficient_scope, describeScopes(required), {
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${required[0]}"` },
    });
  }
}
