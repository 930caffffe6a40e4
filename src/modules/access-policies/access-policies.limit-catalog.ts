import { formatCount, type LimitCatalog } from '../../platform/config/limits.js';
import { MAX_POLICIES, MAX_POLICY_COLUMNS, MAX_POLICY_TABLES } from './access-policies.errors.js';

export const POLICY_LIMITS: LimitCatalog = {
  title: 'Access policies',
  order: 2.5,
  limits: [
    {
      name: 'Access policies of a workspace',
      value: formatCount(MAX_POLICIES, 'policies'),
      code: 'too_many_policies',
    },
    { name: 'Rules for tables of a policy', value: formatCount(MAX_POLICY_TABLES, 'rules'), code: 'invalid_field' },
    {
      name: 'Columns of `hidden` or `readOnly` of a rule',
      value: formatCount(MAX_POLICY_COLUMNS, 'columns'),
      code: 'invalid_field',
    },
  ],
};
