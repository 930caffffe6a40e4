import { DomainError, UnavailableError } from '../../platform/http/domain-error.js';

/** Events after the given number were removed. */
export class EventsRemovedError extends DomainError {
  /** @param removedThrough number of the last removed event. */
  constructor(removedThrough: number) {
    const message = `Events up to ${removedThrough} were removed after the retention. Read the records again, then continue with after=${removedThrough}.`;
    super('gone', 'events_removed', message, { details: { limit: removedThrough } });
  }
}

/** The instance has as many waiting readers as it accepts. */
export class TooManyWaitingError extends UnavailableError {
  constructor(limit: number) {
    super('too_many_waiting', `The limit of ${limit} waiting readers is reached. Retry, or read without "wait".`, 5);
  }
}
