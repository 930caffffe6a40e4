import { DomainError } from '../../platform/http/domain-error.js';

/** Wrong client id or secret (specification, section 7). Which of the two is for the log alone. */
export class InvalidClientError extends DomainError {
  constructor(detail?: string) {
    super('unauthenticated', 'invalid_client', 'Client authentication failed', { detail });
  }
}

/** A disabled client stays disabled: a new secret would not sign in. */
export class ClientDisabledError extends DomainError {
  constructor(clientId: string) {
    super('conflict', 'client_disabled', `The client ${clientId} is disabled.`);
  }
}

/** A scope that does not exist, or that the client may not have (specification, section 7). */
export class InvalidScopeError extends DomainError {
  constructor() {
    super('forbidden', 'invalid_scope', 'The requested scope is invalid or unknown');
  }
}

/** A token request without what its grant needs. */
export class InvalidTokenRequestError extends DomainError {
  constructor(message: string, code: 'invalid_request' | 'unsupported_grant_type' = 'invalid_request') {
    super('malformed', code, message);
  }
}

/** Who wants to end a session must be the client that opened it (RFC 7009, section 2.1). */
export class TokenOfAnotherClientError extends DomainError {
  constructor() {
    super('forbidden', 'invalid_grant', 'The token was issued to another client');
  }
}

/** The access token's time is over (specification, section 7). */
export class AccessTokenExpiredError extends DomainError {
  constructor() {
    super('unauthenticated', 'invalid_token', 'The access token has expired', { headers: invalidToken });
  }
}

/** The bearer token is not an access token of this service. */
export class InvalidAccessTokenError extends DomainError {
  constructor(detail?: string) {
    super('unauthenticated', 'invalid_token', 'The access token is invalid', { headers: invalidToken, detail });
  }
}

/** The request carries no credentials at all. */
export class CredentialsMissingError extends DomainError {
  constructor() {
    super(
      'unauthenticated',
      'unauthenticated',
      'Credentials are needed: send Authorization: Bearer <access token>, or X-API-Key.',
      {
        headers: { 'WWW-Authenticate': 'Bearer' },
      },
    );
  }
}

/** The route looks at an API key alone, and there is none. */
export class ApiKeyMissingError extends DomainError {
  constructor() {
    super(
      'unauthenticated',
      'unauthenticated',
      'An API key is needed: send X-API-Key. This route looks at nothing else.',
      {
        headers: { 'WWW-Authenticate': 'Bearer' },
      },
    );
  }
}

/** The API key is unknown, revoked or past its time. The header has no scheme of its own to ask for. */
export class InvalidApiKeyError extends DomainError {
  constructor(detail?: string) {
    super('unauthenticated', 'invalid_api_key', 'The API key is invalid or has been revoked', {
      headers: { 'WWW-Authenticate': 'Bearer' },
      detail,
    });
  }
}

const invalidToken = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };
