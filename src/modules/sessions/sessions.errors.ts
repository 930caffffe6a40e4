import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { defineErrors, type ErrorDefinition } from '../../../packages/errors/src/error-definition.js';
import { AUTHENTICATION, SECURITY_ERRORS } from '../../platform/security/security.errors.js';

export const SESSION_ERRORS = defineErrors(AUTHENTICATION, {
  invalid_grant: {
    kind: 'unauthenticated',
    message: 'The refresh token is invalid or expired',
    meaning:
      'The refresh token expired, was used before or belongs to another client, the session was revoked, or the user has ten sessions (403).',
    remedy:
      'Sign in again. At ten sessions, sign out elsewhere or ask the operator for `operator session reset`. After a reused token, find its other user.',
  },
});

/** `invalid_grant` of a caller whose credentials are valid (specification, sections 3 and 8). */
export const FORBIDDEN_GRANT = {
  ...SESSION_ERRORS.invalid_grant,
  kind: 'forbidden',
  message: 'Maximum number of active sessions exceeded',
} satisfies ErrorDefinition;

/** The session was revoked by logout, credential rotation or reuse detection (specification, section 7). */
export class SessionRevokedError extends DomainError {
  constructor(code: 'invalid_grant' | 'invalid_token' = 'invalid_grant') {
    const isToken = code === 'invalid_token';
    const headers = isToken ? { 'WWW-Authenticate': 'Bearer error="invalid_token"' } : undefined;
    const definition = isToken ? SECURITY_ERRORS.invalid_token : SESSION_ERRORS.invalid_grant;
    super(definition, 'The session has been revoked', { headers });
  }
}

/** A refresh token was used again; all sessions of the user have been revoked (specification, section 3). */
export class RefreshTokenReusedError extends DomainError {
  constructor() {
    super(SESSION_ERRORS.invalid_grant, 'Refresh token has already been used');
  }
}

/** The refresh token was not issued by this service or has expired (specification, section 7). */
export class InvalidRefreshTokenError extends DomainError {
  constructor(detail?: string) {
    super(SESSION_ERRORS.invalid_grant, undefined, { detail });
  }
}
