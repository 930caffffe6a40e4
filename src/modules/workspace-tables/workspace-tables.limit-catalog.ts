import {
  DEFAULT_PAGE_ROWS,
  MAX_AGGREGATE_S,
  MAX_EXPANSIONS,
  MAX_GROUPS,
  MAX_LEVELS,
  MAX_PAGE_ROWS,
  MAX_REQUEST_ROWS,
  MAX_REQUEST_TABLES,
  MAX_TITLE_LENGTH,
} from '../../../packages/tables/src/catalog/request-limits.js';
import { MAX_INDEXED_TEXT_LENGTH, MAX_KEY_LENGTH, MAX_TEXT_LENGTH } from '../../../packages/tabular/src/coercions.js';
import { MAX_BULK_BYTES } from '../../platform/body/body-limits.js';
import {
  formatBytes,
  formatCount,
  type LimitCatalog,
  ROW_MAX_BYTES,
  TOMBSTONE_DAYS,
} from '../../platform/config/limits.js';
import { MAX_PAGE_BYTES } from '../../../packages/sql/src/page-reader.js';
import { MAX_LOCATION_TABLES } from '../../../packages/tables/src/catalog/catalog-writes.repository.js';
import { MAX_PATTERN_LENGTH } from '../../../packages/tables/src/catalog/column-constraints.js';
import { MAX_COMPOSITE_INDEXES, MAX_INDEXES } from '../../../packages/tables/src/catalog/column-indexes.js';
import { MAX_REFERENCED_TABLES, MAX_REFERENCES } from '../../../packages/tables/src/catalog/referenced-tables.js';
import {
  MAX_HISTORY_DAYS,
  MAX_UNIQUE_COLUMNS,
  MAX_UNIQUE_TOGETHER,
} from '../../../packages/tables/src/catalog/table-options.js';
import { MAX_EXPIRY_DAYS } from './admin/dto/table-options.dto.js';
import { CHOICES } from './catalog/dto/column.dto.js';
import { DEFAULT_EXPIRY_DAYS } from './history/proposal-gate.js';
import { MAX_PROPOSAL_BYTES, RETENTION_DAYS as PROPOSAL_RETENTION_DAYS } from './history/proposals.repository.js';
import { RETENTION_DAYS } from './imports/import-records.repository.js';
import { MAX_GROUP_COLUMNS, MAX_MEASURES } from '../../../packages/tables/src/reader/aggregate-parser.js';
import { MAX_EXPORTS } from './query/export-rows.service.js';
import { MAX_ENTRIES, MAX_RESTORED_KEYS } from './row-history/dto/row-history.dto.js';
import {
  MAX_FILTER_LEVELS,
  MAX_FILTER_VALUES,
  MAX_FILTERS,
  MAX_PART_LENGTH,
} from '../../../packages/tables/src/reader/filter-parser.js';

export const TABLE_LIMITS: LimitCatalog = {
  title: 'Workspace tables',
  order: 4,
  limits: [
    { name: 'Body of a bulk request', value: formatBytes(MAX_BULK_BYTES), code: 'too_large' },
    { name: 'Rows of a bulk request', value: formatCount(MAX_REQUEST_ROWS, 'rows'), code: 'too_many_rows' },
    { name: 'Keys of a bulk deletion', value: formatCount(MAX_REQUEST_ROWS, 'keys'), code: 'too_many_keys' },
    {
      name: 'Tables of a bulk request or of the form of an import',
      value: formatCount(MAX_REQUEST_TABLES, 'tables'),
      code: 'too_many_tables',
    },
    {
      name: 'Location tables of a workspace',
      value: formatCount(MAX_LOCATION_TABLES, 'tables'),
      code: 'too_many_tables',
    },
    { name: 'Columns of a table', value: { setting: 'TABLE_MAX_COLUMNS' }, code: 'too_many_columns' },
    { name: 'Indexed columns of a table', value: formatCount(MAX_INDEXES, 'columns'), code: 'too_many_indexes' },
    {
      name: 'Indexes of a table over several columns',
      value: formatCount(MAX_COMPOSITE_INDEXES, 'indexes'),
      code: 'too_many_indexes',
    },
    {
      name: 'Option `choices` of a column',
      value: formatCount(CHOICES.maxItems, 'choices'),
      code: 'invalid_field',
    },
    {
      name: 'Option `pattern` of a column',
      value: formatCount(MAX_PATTERN_LENGTH, 'characters'),
      code: 'invalid_field',
    },
    {
      name: 'Lists of `uniqueTogether` of a table',
      value: formatCount(MAX_UNIQUE_TOGETHER, 'lists'),
      code: 'invalid_field',
    },
    {
      name: 'Columns of a list of `uniqueTogether`',
      value: formatCount(MAX_UNIQUE_COLUMNS, 'columns'),
      code: 'invalid_field',
    },
    { name: 'Row', value: formatBytes(ROW_MAX_BYTES), code: 'row_too_large' },
    { name: 'Key of a row', value: formatCount(MAX_KEY_LENGTH, 'characters'), code: 'too_long' },
    { name: 'Text of a row', value: formatCount(MAX_TEXT_LENGTH, 'characters'), code: 'too_long' },
    {
      name: 'Text of a row in an indexed column',
      value: formatCount(MAX_INDEXED_TEXT_LENGTH, 'characters'),
      code: 'too_long',
    },
    { name: 'Rows of a page by default', value: formatCount(DEFAULT_PAGE_ROWS, 'rows') },
    { name: 'Rows or changes of a page', value: formatCount(MAX_PAGE_ROWS, 'rows'), code: 'invalid_field' },
    { name: 'Size at which a page of rows ends', value: formatBytes(MAX_PAGE_BYTES) },
    { name: 'Conditions of a query', value: formatCount(MAX_FILTERS, 'conditions'), code: 'too_many_filters' },
    {
      name: 'Nested `and`, `or` and `not` of a filter',
      value: formatCount(MAX_FILTER_LEVELS, 'levels'),
      code: 'filter_too_deep',
    },
    {
      name: 'References that a path in a filter follows',
      value: formatCount(MAX_REFERENCES, 'references'),
      code: 'path_too_long',
    },
    {
      name: 'Tables that the references of a query read',
      value: formatCount(MAX_REFERENCED_TABLES, 'tables per query'),
      code: 'too_many_targets',
    },
    {
      name: 'Text of `contains`, `endsWith` and operators that ignore letter case',
      value: formatCount(MAX_PART_LENGTH, 'characters'),
      code: 'part_too_long',
    },
    { name: 'Columns of `expand`', value: formatCount(MAX_EXPANSIONS, 'columns'), code: 'invalid_value' },
    { name: 'Title of a row in `expanded`', value: formatCount(MAX_TITLE_LENGTH, 'characters, then `…`') },
    { name: 'Values of `in`', value: formatCount(MAX_FILTER_VALUES, 'values'), code: 'invalid_value' },
    {
      name: 'Columns of `group` of an aggregate',
      value: formatCount(MAX_GROUP_COLUMNS, 'columns'),
      code: 'invalid_value',
    },
    { name: 'Measures of an aggregate', value: formatCount(MAX_MEASURES, 'measures'), code: 'invalid_value' },
    { name: 'Groups of an aggregate', value: formatCount(MAX_GROUPS, 'groups'), code: 'too_many_groups' },
    {
      name: 'Duration of an aggregate',
      value: formatCount(MAX_AGGREGATE_S, 'seconds per page'),
      code: 'query_too_expensive',
    },
    { name: 'Rows of a path', value: formatCount(MAX_LEVELS, 'rows') },
    { name: 'Deleted rows in the change feed', value: formatCount(TOMBSTONE_DAYS, 'days'), code: 'revision_gone' },
    { name: 'Exports of an instance at a time', value: formatCount(MAX_EXPORTS, 'exports'), code: 'too_many_exports' },
    { name: 'File of an import', value: { setting: 'IMPORT_MAX_BYTES' }, code: 'too_large' },
    {
      name: 'Imports that an instance receives or executes',
      value: { setting: 'IMPORT_MAX_OPEN' },
      code: 'too_many_imports',
    },
    { name: 'Step of an import in the database', value: { setting: 'IMPORT_TIMEOUT_S' }, code: 'database_timeout' },
    { name: 'Changes of a proposal', value: formatBytes(MAX_PROPOSAL_BYTES), code: 'proposal_too_large' },
    {
      name: 'Pending proposal, by default',
      value: formatCount(DEFAULT_EXPIRY_DAYS, 'days'),
      code: 'proposal_decided',
    },
    {
      name: 'Option `expiresAfterDays` of an approval',
      value: formatCount(MAX_EXPIRY_DAYS, 'days'),
      code: 'invalid_field',
    },
    { name: 'Decided proposal', value: formatCount(PROPOSAL_RETENTION_DAYS, 'days'), code: 'not_found' },
    { name: 'Record of an import, and its errors', value: formatCount(RETENTION_DAYS, 'days'), code: 'not_found' },
    {
      name: 'History of rows, and undo of a batch, by default',
      value: { setting: 'TABLE_HISTORY_DAYS' },
      code: 'history_expired',
    },
    { name: 'Option `historyDays` of a table', value: formatCount(MAX_HISTORY_DAYS, 'days') },
    {
      name: 'Changes of a page of the history of a row',
      value: formatCount(MAX_ENTRIES, 'changes'),
      code: 'invalid_field',
    },
    { name: 'Keys of a restoration', value: formatCount(MAX_RESTORED_KEYS, 'keys'), code: 'invalid_field' },
  ],
};
