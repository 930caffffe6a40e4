import { formatCount, type LimitCatalog } from '../platform/config/limits.js';
import { MAX_BULK_ITEMS } from './bulk-create.dto.js';
import { TEXT_LENGTH } from './record-fields.decorator.js';

export const RECORD_LIMITS: LimitCatalog = {
  title: 'Records',
  order: 3,
  limits: [
    {
      name: 'Records of a bulk request',
      value: formatCount(MAX_BULK_ITEMS, 'records'),
      code: 'invalid_field',
    },
    { name: 'Text of a record', value: formatCount(TEXT_LENGTH, 'characters'), code: 'invalid_field' },
  ],
};
