import { DomainError } from '../../platform/http/domain-error.js';

/** All sessions the user may have at once are taken (specification, sections 3 and 8). */
export class TooManySessionsError extends DomainError {
  constructor() {
    super('forbidden', 'invalid_grant', 'Maximum number of active sessions exceeded');
  }
}

/** The session ended by logout, credential rotation or reuse detection (specification, section 7). */
export class SessionRevokedError extends DomainError {
  constructor(code: 'invalid_grant' | 'invalid_token' = 'invalid_grant') {
    const headers = code === 'invalid_token' ? { 'WWW-Authenticate': 'Bearer error="invalid_token"' } : undefined;
    super('unauthenticated', code, 'The session has been revoked', { headers });
  }
}

/** A refresh token came a second time: all sessions of the user have been revoked (specification, section 3). */
export class RefreshTokenReusedError extends DomainError {
  constructor() {
    super('unauthenticated', 'invalid_grant', 'Refresh token has already been used');
  }
}

/** The refresh token is not one of ours, or its time is over (specification, section 7). */
export class InvalidRefreshTokenError extends DomainError {
  constructor(detail?: string) {
    super('unauthenticated', 'invalid_grant', 'The refresh token is invalid or expired', { detail });
  }
}
