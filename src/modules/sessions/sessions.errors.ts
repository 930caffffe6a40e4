import { DomainError } from '../../platform/http/domain-error.js';

/** The user has the maximum number of active sessions (specification, sections 3 and 8). */
export class TooManySessionsError extends DomainError {
  constructor() {
    super('forbidden', 'invalid_grant', 'Maximum number of active sessions exceeded');
  }
}

/** The session was revoked by logout, credential rotation or reuse detection (specification, section 7). */
export class SessionRevokedError extends DomainError {
  constructor(code: 'invalid_grant' | 'invalid_token' = 'invalid_grant') {
    const headers = code === 'invalid_token' ? { 'WWW-Authenticate': 'Bearer error="invalid_token"' } : undefined;
    super('unauthenticated', code, 'The session has been revoked', { headers });
  }
}

/** A refresh token was used again; all sessions of the user have been revoked (specification, section 3). */
export class RefreshTokenReusedError extends DomainError {
  constructor() {
    super('unauthenticated', 'invalid_grant', 'Refresh token has already been used');
  }
}

/** The refresh token was not issued by this service or has expired (specification, section 7). */
export class InvalidRefreshTokenError extends DomainError {
  constructor(detail?: string) {
    super('unauthenticated', 'invalid_grant', 'The refresh token is invalid or expired', { detail });
  }
}
