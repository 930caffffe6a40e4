import { DomainError, fieldErrorDetails } from '../../platform/http/domain-error.js';

/** Deliveries cannot be sent to the URL. */
export class InvalidReceiverUrlError extends DomainError {
  constructor(message: string) {
    super('unprocessable', 'invalid_url', message, fieldErrorDetails('url', 'invalid_url', message));
  }
}

/** The subscription is disabled, so nothing is sent. */
export class SubscriptionDisabledError extends DomainError {
  constructor() {
    super('conflict', 'subscription_disabled', 'The subscription is disabled. Enable it first.');
  }
}

export class TooManySubscriptionsError extends DomainError {
  constructor(limit: number) {
    super(
      'conflict',
      'too_many_subscriptions',
      `The workspace has ${limit} subscriptions, the limit. Delete one first.`,
    );
  }
}
