import { formatCount, type LimitCatalog } from '../../platform/config/limits.js';
import {
  MAX_ENTRY_WORDS,
  MAX_FIELD_LENGTH,
  MAX_HITS,
  MAX_QUERY_LENGTH,
  MAX_QUERY_WORDS,
  MAX_SEARCH_S,
  MAX_SEARCHED_TABLES,
} from './search-limits.js';

export const SEARCH_LIMITS: LimitCatalog = {
  title: 'Search',
  order: 8,
  limits: [
    { name: 'Searched text', value: formatCount(MAX_QUERY_LENGTH, 'characters'), code: 'invalid_field' },
    { name: 'Different words of a search', value: formatCount(MAX_QUERY_WORDS, 'words'), code: 'too_many_words' },
    { name: 'Hits of each kind', value: formatCount(MAX_HITS, 'hits'), code: 'invalid_field' },
    { name: 'Tables that a search names', value: formatCount(MAX_SEARCHED_TABLES, 'tables'), code: 'invalid_field' },
    {
      name: 'Duration of a search',
      value: formatCount(MAX_SEARCH_S, 'seconds per statement'),
      code: 'query_too_expensive',
    },
    { name: 'Searched part of a value', value: formatCount(MAX_FIELD_LENGTH, 'characters') },
    {
      name: 'Different words of a row, record or message that a search finds',
      value: formatCount(MAX_ENTRY_WORDS, 'words'),
    },
  ],
};
