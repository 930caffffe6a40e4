import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { ALL_REQUESTS, defineErrors } from '../../../packages/errors/src/error-definition.js';

export const THROTTLING_ERRORS = defineErrors(ALL_REQUESTS, {
  too_many_requests: {
    kind: 'too_many_requests',
    message: 'Too many requests; try again in 30 minutes.',
    meaning: 'The caller or address sent more requests than `RateLimit-Policy` allows.',
    remedy: 'Wait for `Retry-After` seconds. Refresh tokens instead of signing in again.',
  },
});

/** The caller exceeded a rate limit (specification, sections 7 and 8). */
export class TooManyRequestsError extends DomainError {
  constructor(retryAfterS: number, detail?: string) {
    const wait = retryAfterS === 1 ? '1 second' : `${retryAfterS} seconds`;
    const message = `Too many requests; try again in ${wait}.`;
    super(THROTTLING_ERRORS.too_many_requests, message, { retryAfterS, detail });
  }
}
