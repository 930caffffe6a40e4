import { DomainError } from '../../platform/http/domain-error.js';

/** Wrong client ID or secret (specification, section 7). Only the log contains which of them. */
export class InvalidClientError extends DomainError {
  constructor(detail?: string) {
    super('unauthenticated', 'invalid_client', 'Client authentication failed', { detail });
  }
}

/** A disabled client cannot be enabled again, so a new secret would be useless. */
export class ClientDisabledError extends DomainError {
  constructor(clientId: string) {
    super(
      'conflict',
      'client_disabled',
      `The client ${clientId} is disabled and cannot be enabled. Create another client.`,
    );
  }
}

/** A scope that does not exist or that the client may not request (specification, section 7). */
export class InvalidScopeError extends DomainError {
  constructor() {
    super('forbidden', 'invalid_scope', 'The requested scope is invalid or unknown');
  }
}

/** A request to an OAuth 2.0 endpoint without a required parameter, or with an unknown grant. */
export class InvalidTokenRequestError extends DomainError {
  constructor(message: string, code: 'invalid_request' | 'unsupported_grant_type' = 'invalid_request') {
    super('malformed', code, message);
  }
}

/** Only the client that opened a session may revoke it by token (RFC 7009, section 2.1). */
export class TokenOfAnotherClientError extends DomainError {
  constructor() {
    super('forbidden', 'invalid_grant', 'The token was issued to another client');
  }
}

const INVALID_TOKEN = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };

/** The access token has expired (specification, section 7). */
export class AccessTokenExpiredError extends DomainError {
  constructor() {
    super('unauthenticated', 'invalid_token', 'The access token has expired', { headers: INVALID_TOKEN });
  }
}

/** The Bearer token is not an access token of this service. */
export class InvalidAccessTokenError extends DomainError {
  constructor(detail?: string) {
    super('unauthenticated', 'invalid_token', 'The access token is invalid. Sign in again.', {
      headers: INVALID_TOKEN,
      detail,
    });
  }
}

/** RFC 9110 requires a challenge with every 401; there is no registered scheme for API keys. */
const BEARER_CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

function describeAccepted({ acceptsBearer, acceptsKey }: { acceptsBearer: boolean; acceptsKey: boolean }): string {
  if (!acceptsBearer) return 'This route requires an API key and accepts no other credentials. Send X-API-Key.';
  if (!acceptsKey) return 'This route requires an access token and accepts no API key. Send Authorization: Bearer.';
  return 'Credentials are required. Send Authorization: Bearer <access token>, or X-API-Key.';
}

/** The request has no credentials that the route accepts. */
export class CredentialsMissingError extends DomainError {
  constructor(accepted: { acceptsBearer: boolean; acceptsKey: boolean }) {
    const message = describeAccepted(accepted);
    super('unauthenticated', 'unauthenticated', message, { headers: BEARER_CHALLENGE });
  }
}

/** The API key is unknown, revoked or expired. */
export class InvalidApiKeyError extends DomainError {
  constructor(detail?: string) {
    const message = 'The API key is invalid, has expired or has been revoked';
    super('unauthenticated', 'invalid_api_key', message, { headers: BEARER_CHALLENGE, detail });
  }
}
