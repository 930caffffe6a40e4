import type { ErrorCatalog } from '../../platform/http/error-catalog.js';

export const EVENT_ERRORS: ErrorCatalog = {
  title: 'Events',
  order: 12,
  guide: 'events',
  codes: {
    events_removed: {
      meaning: 'Events after `after` or from `from` on were removed.',
      cause: 'The log contains the events of the last 30 days (`EVENT_RETENTION_DAYS`).',
      remedy: 'Read the records again, then continue with `details.limit` as `after`.',
    },
    too_many_waiting: {
      meaning: 'The instance has as many waiting readers as it accepts.',
      cause: 'Many readers send `wait` (`EVENTS_MAX_WAITING`).',
      remedy: 'Retry after `Retry-After`, read without `wait`, or subscribe.',
    },
  },
};
