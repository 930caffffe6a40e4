import { MAX_INDEXED_TEXT_LENGTH, MAX_KEY_LENGTH, MAX_TEXT_LENGTH } from '../../../packages/tabular/src/coercions.js';
import { MAX_BULK_BYTES } from '../../platform/body/body-limits.js';
import {
  formatBytes,
  formatCount,
  type LimitCatalog,
  ROW_MAX_BYTES,
  TOMBSTONE_DAYS,
} from '../../platform/config/limits.js';
import { MAX_PAGE_BYTES } from '../../platform/database/page-reader.js';
import { MAX_COMPOSITE_INDEXES, MAX_INDEXES } from './catalog/column-indexes.js';
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS, MAX_REQUEST_ROWS, MAX_REQUEST_TABLES } from './catalog/request-limits.js';
import { MAX_LEVELS } from './catalog/rows.repository.js';
import { RETENTION_DAYS } from './imports/import-records.repository.js';
import { MAX_EXPORTS } from './query/export-rows.service.js';
import { MAX_FILTER_VALUES, MAX_FILTERS } from './query/filters.js';

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
    { name: 'Columns of a table', value: { setting: 'TABLE_MAX_COLUMNS' }, code: 'too_many_columns' },
    { name: 'Indexed columns of a table', value: formatCount(MAX_INDEXES, 'columns'), code: 'too_many_indexes' },
    {
      name: 'Indexes of a table over several columns',
      value: formatCount(MAX_COMPOSITE_INDEXES, 'indexes'),
      code: 'too_many_indexes',
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
    { name: 'Values of `in`', value: formatCount(MAX_FILTER_VALUES, 'values'), code: 'too_many_filters' },
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
    { name: 'Record of an import, and its errors', value: formatCount(RETENTION_DAYS, 'days'), code: 'not_found' },
    { name: 'Time for the undo of a batch', value: { setting: 'BATCH_UNDO_DAYS' }, code: 'not_undoable' },
    {
      name: 'Previous values for the undo, per workspace',
      value: { setting: 'BATCH_UNDO_MAX_BYTES' },
      code: 'not_undoable',
    },
  ],
};
