import type { ErrorCatalog } from '../../platform/http/error-catalog.js';

export const TABLE_ERRORS: ErrorCatalog = {
  title: 'Workspace tables',
  order: 4,
  guide: 'tables',
  codes: {
    invalid_rows: {
      meaning: 'Rows cannot be stored, and nothing was stored.',
      cause: 'At least one row is invalid; `details.errors` has the index, key and column of each.',
      remedy: 'Correct the rows, or send `onError=continue` to store the valid ones.',
    },
    type_mismatch: {
      meaning: 'A value does not have the type of its column.',
      cause: 'For example text in a number column, or an ambiguous date. A row is not an object.',
      remedy: 'Send a value of the type in the message.',
    },
    too_long: {
      meaning: 'A value is too long.',
      cause: 'A key or an indexed text exceeds the limit in the message.',
      remedy: 'Shorten the value, or remove the option `indexed` of the column.',
    },
    unknown_column: {
      meaning: 'The table does not have this column.',
      cause: 'The name is misspelled, or the column was not sent in `columns` yet.',
      remedy: 'Use the key or the name of an existing column, or add the column with a bulk request.',
    },
    ambiguous_column: {
      meaning: 'A name matches several columns, or two fields match one column.',
      cause: 'Two columns have the same name, or a row contains the key and the name of a column.',
      remedy: 'Use the key of the column, once.',
    },
    required_key: {
      meaning: 'A row has no primary key.',
      cause: 'The field of the primary key is missing or empty, or a CSV header omits it.',
      remedy: 'Send the primary key in each row.',
    },
    duplicate_in_batch: {
      meaning: 'Two rows of the request have the same key.',
      cause: 'The source contains the row twice. All rows with the key are rejected, so the order never decides.',
      remedy: 'Send each key once.',
    },
    hierarchy_cycle: {
      meaning: 'The parent of a row would be its own descendant.',
      cause: 'The `hierarchyParent` value names the row itself or a row of its subtree.',
      remedy: 'Choose a parent outside the subtree.',
    },
    row_too_large: {
      meaning: 'A row exceeds the limit of bytes.',
      cause: 'Its texts are too long in total.',
      remedy: 'Shorten the texts.',
    },
    columns_required: {
      meaning: 'The table does not exist, and the request has no columns.',
      cause: 'The first batch of a table was sent without `columns`, or its name is misspelled.',
      remedy: 'Send `columns` with the first batch.',
    },
    confirmation_required: {
      meaning: 'The request does not confirm what it would remove, and nothing was changed.',
      cause:
        '`confirm` is missing, or it names something else. A client may have altered the path: it resolves `items/..` to the table.',
      remedy: 'Send `confirm` with the name of the table, or with the key of the column.',
    },
    invalid_columns: {
      meaning: 'Columns cannot be created or changed, and nothing was stored.',
      cause: 'At least one definition is invalid; `details.errors` has the reason of each.',
      remedy: 'Correct the definitions.',
    },
    invalid_column_key: {
      meaning: 'The key of a column is not allowed.',
      cause: 'It contains other characters than a-z, 0-9 and _, is too long, reserved, or used twice.',
      remedy: 'Send a `key` of 1 to 63 of these characters.',
    },
    invalid_option: {
      meaning: 'An option of a column is not valid for its type.',
      cause: 'For example `choices` at a number column, or a `reference` without `target`.',
      remedy: 'Send the options that the type has.',
    },
    invalid_primary_key: {
      meaning: 'The primary key of the table is not valid.',
      cause: 'No or several columns are marked, the column is not text, or it would be changed or dropped.',
      remedy: 'Mark one text column. To replace the key of a table, create another table.',
    },
    column_type_conflict: {
      meaning: 'An existing column has another type.',
      cause: 'A request sends the column with another type than at its creation. Nothing was stored.',
      remedy: 'Send the current type, or add a column with another key.',
    },
    too_many_columns: {
      meaning: 'The table would have too many columns.',
      cause: 'The limit is in the message. Dropped columns count towards the limit of a lifetime.',
      remedy: 'Send fewer columns, or move the rows to a new table.',
    },
    too_many_indexes: {
      meaning: 'The table would have too many indexes.',
      cause: 'The limit of indexed columns or of composite indexes is reached.',
      remedy: 'Drop an index that is not needed first.',
    },
    invalid_index: {
      meaning: 'The index over these columns cannot be created.',
      cause: 'It has fewer than two or more than four columns, contains one twice, or contains the primary key.',
      remedy: 'Send 2 to 4 different columns without the primary key.',
    },
    duplicate_table: {
      meaning: 'The request contains a table twice.',
      cause: 'Two batches of one request have the same entity and name.',
      remedy: 'Send the rows of a table in one batch.',
    },
    too_many_rows: {
      meaning: 'The request contains too many rows.',
      cause: 'A bulk request has at most 50,000 rows.',
      remedy: 'Send several requests, or an import.',
    },
    too_many_tables: {
      meaning: 'The request contains too many tables.',
      cause: 'The limit is in `details.limit`.',
      remedy: 'Send several requests.',
    },
    too_many_keys: {
      meaning: 'The request contains too many keys.',
      cause: 'The request deletes more rows than the limit in `details.limit`.',
      remedy: 'Send several requests.',
    },
    invalid_keys: {
      meaning: 'Keys of the request cannot be used, and nothing was deleted.',
      cause: 'A key is empty, too long or occurs twice; `details.errors` has the position of each.',
      remedy: 'Correct the keys.',
    },
    invalid_key: {
      meaning: 'The key of a row is not valid.',
      cause: 'The key in the path is empty or too long, or differs from the key in the body.',
      remedy: 'Send the same valid key in both, or omit it in the body.',
    },
    key_taken: {
      meaning: 'Another row of the table has the key.',
      cause: 'A rename names an existing key.',
      remedy: 'Choose another key, or delete the other row first.',
    },
    name_taken: {
      meaning: 'Another table of the entity has the name.',
      cause: 'A rename names an existing table.',
      remedy: 'Choose another name.',
    },
    unknown_table: {
      meaning: 'The workspace does not have this table.',
      cause: 'A field such as `locationKey` names a table that does not exist.',
      remedy: 'Use the name or ID of an existing table of the entity.',
    },
    unknown_row: {
      meaning: 'The row that a record references does not exist.',
      cause: '`location` or `asset` is not the key of a row, or the row was deleted.',
      remedy: 'Check the key, and push the row before the record.',
    },
    ambiguous_row: {
      meaning: 'Several tables contain a row with this key.',
      cause: '`location` or `asset` was sent without the table.',
      remedy: 'Send the table in `locationKey` or `assetKey`.',
    },
    invalid_query: {
      meaning: 'A parameter of the query is not valid.',
      cause: 'A filter, sort order, field or subtree is wrong; `details.errors` names it.',
      remedy: 'Correct the parameter; see the code of the entry.',
    },
    unknown_operator: {
      meaning: 'The filter operator does not exist or does not suit the column.',
      cause: 'For example `contains` at a number column.',
      remedy: 'Use an operator from the message.',
    },
    invalid_value: {
      meaning: 'The value of a parameter does not suit its column.',
      cause: 'For example text for a number column, or `depth` without `under`.',
      remedy: 'Send a value of the type in the message.',
    },
    too_many_filters: {
      meaning: 'The query has too many conditions or values.',
      cause: 'A query has at most 50 conditions, and `in` at most 1,000 values.',
      remedy: 'Send several queries, or export the table and filter it yourself.',
    },
    no_hierarchy: {
      meaning: 'The table has no hierarchy.',
      cause: '`under`, `path` or `children` needs a column of the type `hierarchyParent`.',
      remedy: 'Add such a column, or use a filter.',
    },
    not_allowed_with_export: {
      meaning: 'The parameter selects pages, but an export has none.',
      cause: '`limit`, `cursor`, `count` or `expand` was sent with `Accept: text/csv` or `application/x-ndjson`.',
      remedy: 'Omit the parameter, or request JSON.',
    },
    unknown_revision: {
      meaning: 'The table has not reached the revision in `since`.',
      cause: 'The revision belongs to another table or deployment, or the database was restored from a backup.',
      remedy: 'Export the table again and continue from its revision.',
    },
    revision_gone: {
      meaning: 'Changes since this revision are no longer stored.',
      cause: 'The last request was more than 30 days ago, or the table was recreated.',
      remedy: 'Export the table again and continue from its revision.',
    },
    table_changed: {
      meaning: 'The table was changed while it was read.',
      cause: 'Other requests changed its columns during each attempt.',
      remedy: 'Send the request again after `Retry-After` seconds.',
    },
    table_busy: {
      meaning: 'The table could not be locked or changed in time.',
      cause: 'A long merge, import or export uses it.',
      remedy: 'Send the request again after `Retry-After` seconds. Nothing was stored.',
    },
    too_many_exports: {
      meaning: 'The instance streams the maximum number of exports.',
      cause: 'You or others export at the same time (`TABLE_MAX_EXPORTS`); a quarter remains for other callers.',
      remedy: 'Send the request again after `Retry-After` seconds, or read pages.',
    },
  },
};
