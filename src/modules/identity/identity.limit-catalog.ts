import { formatCount, type LimitCatalog } from '../../platform/config/limits.js';
import { MAX_GROUPS, MAX_MEMBERS } from './scim/scim-groups.service.js';
import { MAX_RESULTS } from './scim/scim-resources.js';

export const IDENTITY_LIMITS: LimitCatalog = {
  title: 'Provisioning',
  order: 4.7,
  limits: [
    {
      name: 'Groups of an identity provider per workspace',
      value: formatCount(MAX_GROUPS, 'groups'),
      code: 'scim_invalid_value',
    },
    { name: 'Members of a group', value: formatCount(MAX_MEMBERS, 'members'), code: 'scim_invalid_value' },
    { name: 'Users or groups of a page', value: formatCount(MAX_RESULTS, 'resources') },
  ],
};
