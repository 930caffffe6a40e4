import { formatCount, type LimitCatalog } from '../../platform/config/limits.js';
import { RESTORABLE_DAYS } from './workspaces.service.js';

export const WORKSPACE_LIMITS: LimitCatalog = {
  title: 'Workspaces',
  order: 10,
  limits: [{ name: 'Restoration of a deleted workspace', value: formatCount(RESTORABLE_DAYS, 'days') }],
};
