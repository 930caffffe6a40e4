/** Rows, or keys of rows, of one bulk request. Imports have no such limit. */
export const MAX_REQUEST_ROWS = 50_000;

/** What to do with a bulk request that is too large. */
export const IMPORT_ADVICE =
  'Send several requests, or a file to items/import of the table, which takes any number of rows.';

/** Tables of one bulk request or form of an import. */
export const MAX_REQUEST_TABLES = 50;

/** Rows of a page of a table, if the request has no `limit`. */
export const DEFAULT_PAGE_ROWS = 100;

/** Rows of a page of a table, or changes of a page of a change feed. */
export const MAX_PAGE_ROWS = 5_000;

/** Columns whose referenced rows are returned with a page. */
export const MAX_EXPANSIONS = 10;

/** Characters of the title of a referenced row. */
export const MAX_TITLE_LENGTH = 255;

/** Groups of an aggregate. */
export const MAX_GROUPS = 10_000;

/** Duration of the statement of an aggregate, in seconds. */
export const MAX_AGGREGATE_S = 15;

/** Maximum value of `depth`. */
export const MAX_DEPTH = 100;

/** Maximum number of rows in a path. Real hierarchies have far fewer levels. */
export const MAX_LEVELS = 1_000;
