import { DomainError, InvalidRequestError } from '../domain-error.js';

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
      'The Idempotency-Key was used for another request (method, path, query, body, If-Match or X-Claim-Token) or with other credentials. Nothing was done; send a new key.',
    );
  }
}

/** The same request is still running. */
export class IdempotencyKeyInFlightError extends DomainError {
  /** @param leaseS seconds until the key is available if that request no longer runs. */
  constructor(leaseS: number) {
    super(
      'conflict',
      'idempotency_key_in_flight',
      'A request with this Idempotency-Key is still running. Send it again to receive its response; if it was interrupted, ' +
        `the key is available in ${leaseS} seconds.`,
      { headers: { 'Retry-After': String(leaseS) } },
    );
  }
}
