import type { ErrorCatalog } from '../../platform/http/error-catalog.js';

export const SUBSCRIPTION_ERRORS: ErrorCatalog = {
  title: 'Subscriptions',
  order: 13,
  guide: 'events',
  codes: {
    invalid_url: {
      meaning: 'Events cannot be delivered to the URL.',
      cause: 'It does not begin with `https://`, contains credentials, or has a private address.',
      remedy: 'Send an `https` URL of a public host.',
    },
    too_many_subscriptions: {
      meaning: 'The workspace has the highest number of subscriptions.',
      cause: 'A workspace has at most 500, including disabled ones.',
      remedy: 'Delete a subscription, or let one receiver distribute the events.',
    },
    subscription_disabled: {
      meaning: 'The subscription is disabled. Nothing was sent.',
      cause: 'A caller or the operator disabled it, the receiver answered 410, or all attempts of five days failed.',
      remedy: 'Enable it with `PATCH` and `status: enabled`.',
    },
  },
};
