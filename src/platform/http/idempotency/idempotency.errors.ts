import { DomainError, InvalidRequestError } from '../../../../packages/errors/src/domain-error.js';
import { ALL_REQUESTS, defineErrors } from '../../../../packages/errors/src/error-definition.js';

export const IDEMPOTENCY_ERRORS = defineErrors(ALL_REQUESTS, {
  idempotency_key_reused: {
    kind: 'unprocessable',
    message:
      'The Idempotency-Key was used for another request (method, path, query, body, If-Match or X-Claim-Token) or with other credentials. Nothing was done; send a new key.',
    meaning:
      'Method, path, query, body, `If-Match`, `X-Claim-Token`, the credentials, or the workspaces, scopes and access policies of the caller ' +
      'differ from the first request with this key.',
    remedy: 'Use a new key for a new request.',
  },
  idempotency_key_in_flight: {
    kind: 'conflict',
    message: 'A request with this Idempotency-Key is still running. Send it again to receive its response.',
    meaning:
      'A request with this `Idempotency-Key` is still running: the client repeated it before it received the response.',
    remedy: 'Send it again after `Retry-After` seconds to receive the first response.',
  },
});

export class InvalidIdempotencyKeyError extends InvalidRequestError {
  constructor() {
    const message = 'Idempotency-Key must have 1 to 255 visible ASCII characters, without spaces.';
    super([{ field: 'Idempotency-Key', code: 'invalid_header', message }], message);
  }
}

/** Another attempt of the request is still running. */
export class IdempotencyKeyInFlightError extends DomainError {
  /** @param leaseS seconds until the key is available if that request no longer runs. */
  constructor(leaseS: number) {
    const message =
      'A request with this Idempotency-Key is still running. Send it again to receive its response; if it was interrupted, ' +
      `the key is available in ${leaseS} seconds.`;
    super(IDEMPOTENCY_ERRORS.idempotency_key_in_flight, message, { retryAfterS: leaseS });
  }
}
