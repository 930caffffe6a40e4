import { DomainError, UnavailableError } from '../../../packages/errors/src/domain-error.js';
import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';

export const EVENT_ERRORS = defineErrors(createSection('Events', 'events'), {
  events_removed: {
    kind: 'gone',
    message: 'Events up to 12 were removed after the retention. Read the records again, then continue with after=12.',
    details: { limit: 12 },
    meaning:
      'Events after `after` or from `from` on were removed: the log contains those of the last days (`EVENT_RETENTION_DAYS`).',
    remedy: 'Read the records again, then continue with `details.limit` as `after`.',
  },
  too_many_waiting: {
    kind: 'unavailable',
    message: 'The limit of 100 waiting readers is reached. Retry, or read without "wait".',
    meaning: 'The instance has as many waiting readers, which send `wait`, as it accepts (`EVENTS_MAX_WAITING`).',
    remedy: 'Retry after `Retry-After`, read without `wait`, or subscribe.',
  },
});

/** Events after the given number were removed. */
export class EventsRemovedError extends DomainError {
  /** @param removedThrough number of the last removed event. */
  constructor(removedThrough: number) {
    const message = `Events up to ${removedThrough} were removed after the retention. Read the records again, then continue with after=${removedThrough}.`;
    super(EVENT_ERRORS.events_removed, message, { details: { limit: removedThrough } });
  }
}

/** The instance has as many waiting readers as it accepts. */
export class TooManyWaitingError extends UnavailableError {
  constructor(limit: number) {
    const message = `The limit of ${limit} waiting readers is reached. Retry, or read without "wait".`;
    super(EVENT_ERRORS.too_many_waiting, message, { retryAfterS: 5 });
  }
}
