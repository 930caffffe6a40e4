import type { ErrorCatalog } from '../../platform/http/error-catalog.js';

/** Includes the codes of sessions, which have the same guide. */
export const AUTH_ERRORS: ErrorCatalog = {
  title: 'Authentication',
  order: 2,
  guide: 'authentication',
  codes: {
    unauthenticated: {
      meaning: 'The request has no credentials that the operation accepts.',
      cause: '`Authorization` and `X-API-Key` are missing, or the operation accepts only the other ones.',
      remedy: 'Send `Authorization: Bearer <access token>` or `X-API-Key`.',
    },
    invalid_client: {
      meaning: 'The client ID or the client secret is wrong.',
      cause: 'A typing error, a rotated secret, a disabled client, or credentials of another deployment.',
      remedy: 'Check both. The operator issues a new secret with `client rotate`.',
    },
    invalid_token: {
      meaning: 'The access token is not valid.',
      cause: 'It has expired, its session has ended, or another deployment issued it.',
      remedy: 'Refresh. If the refresh is rejected too, sign in again.',
    },
    invalid_grant: {
      meaning: 'The refresh token or the session cannot be used.',
      cause:
        'The refresh token expired, was used before or belongs to another client, the session was revoked, or the user has ten sessions (403).',
      remedy:
        'Sign in again. At ten sessions, sign out elsewhere or ask the operator for `session reset`. After a reused token, find its other user.',
    },
    invalid_scope: {
      meaning: 'A requested scope does not exist or is not allowed.',
      cause: 'The scope is misspelled, the client may not request it, or a refresh asks for more than the session has.',
      remedy: 'Request a scope that Swagger UI lists and the client has.',
    },
    unsupported_grant_type: {
      meaning: 'The token endpoint does not know the `grant_type`.',
      cause: 'Another value than `password`, `refresh_token` or, in a form, `client_credentials`.',
      remedy: 'Send one of these.',
    },
    invalid_api_key: {
      meaning: 'The API key is not valid.',
      cause: 'It is unknown, revoked or expired.',
      remedy: 'Check the key, or ask the operator for a new one (`api-key create`).',
    },
    client_disabled: {
      meaning: 'The client is disabled.',
      cause: 'The operator CLI rotates the secret of a disabled client.',
      remedy: 'Create another client.',
    },
  },
};
