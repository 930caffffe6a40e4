import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';

/** Subscriptions of a workspace. */
export const MAX_SUBSCRIPTIONS = 500;

export const SUBSCRIPTION_ERRORS = defineErrors(createSection('Subscriptions', 'events'), {
  invalid_url: {
    kind: 'unprocessable',
    message: 'The URL must begin with https://.',
    meaning:
      'Events cannot be delivered to the URL: it does not begin with `https://`, contains credentials, or has a private address.',
    remedy:
      'Send an `https` URL of a public host. For a receiver on the machine of the service, the operator sets ' +
      '`EVENTS_ALLOW_HTTP=true` and `EVENTS_ALLOWED_NETWORKS=127.0.0.1`.',
  },
  too_many_subscriptions: {
    kind: 'conflict',
    message: `The workspace has ${MAX_SUBSCRIPTIONS} subscriptions, the limit. Delete one first.`,
    meaning: `A workspace has at most ${MAX_SUBSCRIPTIONS}, including disabled ones.`,
    remedy: 'Delete a subscription, or let one receiver distribute the events.',
  },
  subscription_disabled: {
    kind: 'conflict',
    message: 'The subscription is disabled. Enable it first.',
    meaning:
      'A caller or the operator disabled the subscription, the receiver answered 410, or all attempts of five days failed. Nothing was sent.',
    remedy: 'Enable it with `PATCH` and `status: enabled`.',
  },
});

/** Deliveries cannot be sent to the URL. */
export class InvalidReceiverUrlError extends DomainError {
  constructor(message: string) {
    super(SUBSCRIPTION_ERRORS.invalid_url, message, { field: 'url' });
  }
}
