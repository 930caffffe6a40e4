import { formatCount, type LimitCatalog } from '../../platform/config/limits.js';
import { MAX_LEASE_S } from './dto/claim.dto.js';
import { MAX_VARIATIONS } from './render-queue.service.js';

export const STAGING_LIMITS: LimitCatalog = {
  title: 'Virtual stagings',
  order: 3.2,
  limits: [
    {
      name: 'Variations of a virtual staging',
      value: formatCount(MAX_VARIATIONS, 'variations'),
      code: 'too_many_variations',
    },
    { name: 'Lease of a renderer', value: formatCount(MAX_LEASE_S, 'seconds'), code: 'invalid_field' },
  ],
};
