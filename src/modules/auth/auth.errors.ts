import { DomainError, AccessDeniedError } from '../../../packages/errors/src/domain-error.js';
import { defineErrors, type ErrorDefinition } from '../../../packages/errors/src/error-definition.js';
import { SECURITY_ERRORS, AUTHENTICATION } from '../../platform/security/security.errors.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';

/** Active API keys of a workspace. */
export const MAX_API_KEYS = 500;

export const AUTH_ERRORS = defineErrors(AUTHENTICATION, {
  invalid_client: {
    kind: 'unauthenticated',
    message: 'Client authentication failed',
    meaning:
      'The client ID or the client secret is wrong or belongs to another deployment, the secret was rotated, or the client is disabled.',
    remedy: 'Check both. The operator issues a new secret with `client rotate`.',
  },
  invalid_scope: {
    kind: 'forbidden',
    message: 'The requested scope is invalid or unknown',
    meaning:
      'A requested scope does not exist, the client may not request it, or a refresh asks for more than the session has.',
    remedy: 'Request a scope that Swagger UI lists and the client has.',
  },
  unsupported_grant_type: {
    kind: 'malformed',
    message: 'Send grant_type "password", "client_credentials" or "refresh_token".',
    meaning: 'The `grant_type` is not `password`, `refresh_token` or, in a form, `client_credentials`.',
    remedy: 'Send one of these.',
  },
  client_disabled: {
    kind: 'conflict',
    message: 'The client 7b1c is disabled and cannot be enabled. Create another client.',
    meaning: 'The client is disabled, so its secret cannot be rotated.',
    remedy: 'Create another client.',
  },
  client_without_secret: {
    kind: 'conflict',
    message: 'The client 7b1c has no secret: a trusted issuer authenticates it. Create another client for a secret.',
    meaning: 'The client was created with `--federated`, so there is no secret to rotate.',
    remedy: 'Change the credentials of the machine at its issuer, or create another client.',
  },
  too_many_api_keys: {
    kind: 'conflict',
    message: `The workspace has ${MAX_API_KEYS} active API keys, the limit. Revoke one first.`,
    meaning: `A workspace has at most ${MAX_API_KEYS} that have neither expired nor been revoked.`,
    remedy: 'Revoke the keys that are no longer used: `lastUsedAt` shows them.',
  },
  api_key_ended: {
    kind: 'conflict',
    message: 'The API key has expired or was revoked. Create another key.',
    meaning: 'The key was revoked or has expired, so it cannot receive a new secret.',
    remedy: 'Create another key.',
  },
  not_own_api_key: {
    kind: 'forbidden',
    message: 'Only the user of the API key rotates it. Revoke it, or ask this user or the operator.',
    meaning:
      'The API key acts for another user. With its new secret the caller would act as this user, for example approve an own load.',
    remedy: 'Ask the user of the key to rotate it, or the operator for a service account. Revoke a key that leaked.',
  },
  own_client: {
    kind: 'conflict',
    message: 'A client cannot assign an access policy to itself. Use an API key or another client.',
    meaning: 'A client cannot restrict itself: with the policy, it could not remove it again.',
    remedy: 'Use an API key or another client of an owner.',
  },
});

/** Wrong client ID or secret (specification, section 7). Only the log contains which of them. */
export class InvalidClientError extends DomainError {
  constructor(detail?: string) {
    super(AUTH_ERRORS.invalid_client, undefined, { detail });
  }
}

/** A disabled client cannot be enabled again, so a new secret would be useless. */
export class ClientDisabledError extends DomainError {
  constructor(clientId: string) {
    const message = `The client ${clientId} is disabled and cannot be enabled. Create another client.`;
    super(AUTH_ERRORS.client_disabled, message);
  }
}

/** A second way to sign in would remain when the issuer ends the access of the machine. */
export class ClientWithoutSecretError extends DomainError {
  constructor(clientId: string) {
    const message = `The client ${clientId} has no secret: a trusted issuer authenticates it. Create another client for a secret.`;
    super(AUTH_ERRORS.client_without_secret, message);
  }
}

/** A request to an OAuth 2.0 endpoint without a required parameter, or with an unknown grant. */
export class InvalidTokenRequestError extends DomainError {
  constructor(message: string, definition: ErrorDefinition = HTTP_ERRORS.invalid_request) {
    super(definition, message);
  }
}

/** RFC 6750, section 3. */
export const INVALID_TOKEN_CHALLENGE = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };

/** The Bearer token is not an access token of this service. */
export class InvalidAccessTokenError extends DomainError {
  constructor(detail?: string) {
    const message = 'The access token is invalid. Sign in again.';
    super(SECURITY_ERRORS.invalid_token, message, { headers: INVALID_TOKEN_CHALLENGE, detail });
  }
}

/** Thrown only after the signature is verified. */
export class ExpiredAccessTokenError extends DomainError {
  constructor() {
    super(SECURITY_ERRORS.invalid_token, undefined, { headers: INVALID_TOKEN_CHALLENGE, detail: 'expired' });
  }
}

/** Whom a genuine token of another issuer names. */
export interface RejectedSubject {
  /** The URL of the issuer. */
  issuer: string;
  subject: string;
  /** The user who has the subject or its email address. */
  userId?: string;
}

/** A genuine token of another issuer gives no access. */
export class RejectedSubjectError extends DomainError {
  /** @param detail why, for the logs. */
  constructor(
    definition: ErrorDefinition,
    readonly rejected: RejectedSubject,
    detail: string,
  ) {
    super(definition, undefined, { detail });
  }
}

/** RFC 9110 requires a challenge with every 401; there is no registered scheme for API keys. */
const BEARER_CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

/** The request has no credentials that the route accepts. */
export class CredentialsMissingError extends DomainError {
  constructor({
    acceptsBearer,
    acceptsKey,
    acceptsBearerKey,
  }: {
    acceptsBearer: boolean;
    acceptsKey: boolean;
    acceptsBearerKey: boolean;
  }) {
    let message: string | undefined;
    if (acceptsBearerKey)
      message = 'This route requires an API key. Send it as Authorization: Bearer, or in X-API-Key.';
    else if (!acceptsBearer)
      message = 'This route requires an API key and accepts no other credentials. Send X-API-Key.';
    else if (!acceptsKey)
      message = 'This route requires an access token and accepts no API key. Send Authorization: Bearer.';
    super(SECURITY_ERRORS.unauthenticated, message, { headers: BEARER_CHALLENGE });
  }
}

/** The API key is unknown, revoked or expired. */
export class InvalidApiKeyError extends DomainError {
  constructor(detail?: string) {
    super(SECURITY_ERRORS.invalid_api_key, undefined, { headers: BEARER_CHALLENGE, detail });
  }
}

/** The rotation of a key shows its secret, with which the caller would act as another user. */
export class NotOwnApiKeyError extends AccessDeniedError {
  constructor() {
    super(AUTH_ERRORS.not_own_api_key);
  }
}
