import { formatCount, type LimitCatalog } from '../../platform/config/limits.js';
import { MAX_EXPANSIONS } from '../../../packages/tables/src/catalog/request-limits.js';
import { MAX_EXPRESSION_DEPTH, MAX_EXPRESSION_LENGTH } from './expression.js';
import { MAX_LINK_BYTES } from './links.js';
import { MAX_EXPANDED_PAGE_ROWS, MAX_NAMES, MAX_PAGE_ROWS, MAX_SKIP } from './query-options.js';

const CODE = 'invalid_odata_query';

export const ODATA_LIMITS: LimitCatalog = {
  title: 'OData feed',
  order: 4.5,
  limits: [
    { name: 'Entities of a page', value: formatCount(MAX_PAGE_ROWS, 'entities') },
    { name: 'Entities of a page with `$expand`', value: formatCount(MAX_EXPANDED_PAGE_ROWS, 'entities') },
    { name: 'Entities that `$skip` drops', value: formatCount(MAX_SKIP, 'entities'), code: CODE },
    { name: 'Navigation properties of `$expand`', value: formatCount(MAX_EXPANSIONS, 'properties'), code: CODE },
    { name: 'Properties of `$select`', value: formatCount(MAX_NAMES, 'properties'), code: CODE },
    { name: 'Expression', value: formatCount(MAX_EXPRESSION_LENGTH, 'characters'), code: CODE },
    { name: 'Link to the next page or to changes', value: formatCount(MAX_LINK_BYTES, 'bytes'), code: CODE },
    { name: 'Nested parentheses or negations', value: formatCount(MAX_EXPRESSION_DEPTH, 'levels'), code: CODE },
  ],
};
