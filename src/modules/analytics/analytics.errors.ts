import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';

export const ANALYTICS_ERRORS = defineErrors(createSection('Analytics', 'analytics'), {
  empty_range: {
    meaning: 'The period contains no day: `to`, which is the day after the last one, is not after `from`.',
    remedy: 'Send a later `to`.',
  },
  too_many_buckets: {
    meaning: 'The period has too many buckets: it is long, and the granularity fine.',
    remedy: 'Use a shorter period, or `granularity=week` or `month`.',
  },
});
