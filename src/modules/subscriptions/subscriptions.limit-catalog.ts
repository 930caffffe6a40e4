import { formatCount, type LimitCatalog } from '../../platform/config/limits.js';
import { DISABLE_AFTER_DAYS } from './delivery-attempts.js';
import { MAX_ATTEMPTS_PER_LANE } from './delivery-dispatcher.js';
import { MAX_PATTERNS, MAX_URL_LENGTH } from './dto/subscriptions.dto.js';
import { MAX_SUBSCRIPTIONS } from './subscriptions.errors.js';

export const SUBSCRIPTION_LIMITS: LimitCatalog = {
  title: 'Subscriptions',
  order: 7,
  limits: [
    {
      name: 'Subscriptions of a workspace',
      value: formatCount(MAX_SUBSCRIPTIONS, 'subscriptions'),
      code: 'too_many_subscriptions',
    },
    {
      name: 'Patterns of types of a subscription',
      value: formatCount(MAX_PATTERNS, 'patterns'),
      code: 'invalid_field',
    },
    { name: 'URL of a subscription', value: formatCount(MAX_URL_LENGTH, 'characters'), code: 'invalid_field' },
    { name: 'Time for the response of a receiver', value: { setting: 'EVENTS_TIMEOUT_MS' } },
    {
      name: 'Attempts of a subscription and instance at a time',
      value: formatCount(MAX_ATTEMPTS_PER_LANE, 'attempts'),
    },
    { name: 'Failures before a subscription is disabled', value: formatCount(DISABLE_AFTER_DAYS, 'days') },
  ],
};
