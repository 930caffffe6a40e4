import { formatCount, type LimitCatalog } from '../../platform/config/limits.js';
import { MAX_BUCKETS } from './calendar.js';

export const ANALYTICS_LIMITS: LimitCatalog = {
  title: 'Analytics',
  order: 9,
  limits: [{ name: 'Buckets of a series', value: formatCount(MAX_BUCKETS, 'buckets'), code: 'too_many_buckets' }],
};
