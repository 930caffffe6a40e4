import { MAX_BULK_BYTES } from '../../../platform/body/body-limits.js';
import { formatBytes, formatCount } from '../../../platform/config/limits.js';

/** Rows, or keys of rows, of one bulk request. Imports have no such limit. */
export const MAX_REQUEST_ROWS = 50_000;

/** The size of a bulk request, for descriptions. */
export const MAX_REQUEST_SIZE = `${formatCount(MAX_REQUEST_ROWS, 'rows')} and ${formatBytes(MAX_BULK_BYTES)}`;

/** Tables of one bulk request or form of an import. */
export const MAX_REQUEST_TABLES = 50;

/** Rows of a page of a table, if the request has no `limit`. */
export const DEFAULT_PAGE_ROWS = 100;

/** Rows of a page of a table, or changes of a page of a change feed. */
export const MAX_PAGE_ROWS = 5_000;
