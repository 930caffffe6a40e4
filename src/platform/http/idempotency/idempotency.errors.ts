import { DomainError, InvalidRequestError } from '../domain-error.js';

/** When to ask again for what is still under way, in seconds: most requests are over by then. */
const RETRY_AFTER_S = 1;

export class InvalidIdempotencyKeyError extends InvalidRequestError {
  constructor() {
    const message = 'Idempotency-Key must have 1 to 255 visible ASCII characters, without spaces.';
    super([{ field: 'Idempotency-Key', code: 'invalid_header', message }], message);
  }
}

/** The key stands for another request of the caller. */
export class IdempotencyKeyReusedError extends DomainError {
  constructor() {
    super(
      'unprocessable',
      'idempotency_key_reused',
      'This Idempotency-Key was sent with another request (method, path, query, body, If-Match or X-Claim-Token). Nothing was done; send a new key.',
    );
  }
}

/** The same request is under way. */
export class IdempotencyKeyInFlightError extends DomainError {
  constructor() {
    super(
      'conflict',
      'idempotency_key_in_flight',
      'A request with this Idempotency-Key is still under way; send it again to get its answer.',
      { headers: { 'Retry-After': String(RETRY_AFTER_S) } },
    );
  }
}
