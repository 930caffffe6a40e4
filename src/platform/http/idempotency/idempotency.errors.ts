import { DomainError, InvalidRequestError } from '../domain-error.js';

/** `Retry-After` for a running request, in seconds; most requests are done by then. */
const RETRY_AFTER_S = 1;

export class InvalidIdempotencyKeyError extends InvalidRequestError {
  constructor() {
    const message = 'Idempotency-Key must have 1 to 255 visible ASCII characters, without spaces.';
    super([{ field: 'Idempotency-Key', code: 'invalid_header', message }], message);
  }
}

/** The caller used the key for another request. */
export class IdempotencyKeyReusedError extends DomainError {
  constructor() {
    super(
      'unprocessable',
      'idempotency_key_reused',
      'The Idempotency-Key was used for another request (method, path, query, body, If-Match or X-Claim-Token). Nothing was done; send a new key.',
    );
  }
}

/** The same request is still running. */
export class IdempotencyKeyInFlightError extends DomainError {
  constructor() {
    super(
      'conflict',
      'idempotency_key_in_flight',
      'A request with this Idempotency-Key is still running. Send it again to receive its response.',
      { headers: { 'Retry-After': String(RETRY_AFTER_S) } },
    );
  }
}
