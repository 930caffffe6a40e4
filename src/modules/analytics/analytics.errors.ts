import { createSection, defineErrors } from '../../platform/http/error-definition.js';

export const ANALYTICS_ERRORS = defineErrors(createSection('Analytics', 'analytics'), {
  empty_range: {
    meaning: 'The period contains no day.',
    cause: '`to` is not after `from`; `to` is the day after the last one.',
    remedy: 'Send a later `to`.',
  },
  too_many_buckets: {
    meaning: 'The period has more than 1,000 buckets.',
    cause: 'The period is long and the granularity fine.',
    remedy: 'Use a shorter period, or `granularity=week` or `month`.',
  },
});
