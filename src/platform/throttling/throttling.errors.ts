import { DomainError } from '../http/domain-error.js';

/** The caller exceeded a rate limit (specification, sections 7 and 8). */
export class TooManyRequestsError extends DomainError {
  constructor(retryAfterS: number, detail?: string) {
    const wait = retryAfterS === 1 ? '1 second' : `${retryAfterS} seconds`;
    super('too_many_requests', 'too_many_requests', `Too many requests; try again in ${wait}.`, {
      headers: { 'Retry-After': String(retryAfterS) },
      detail,
    });
  }
}
