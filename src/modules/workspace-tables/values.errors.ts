import { createSection, defineErrors } from '../../platform/http/error-definition.js';

export const VALUE_ERRORS = defineErrors(createSection('Values of rows', 'tables'), {
  type_mismatch: {
    meaning: 'A value does not have the type of its column.',
    cause: 'For example text in a number column, or an ambiguous date. A row is not an object.',
    remedy: 'Send a value of the type in the message.',
  },
  too_long: {
    meaning: 'A value is too long.',
    cause: 'A key, an indexed text, or a text in a column with `maxLength` exceeds the limit in the message.',
    remedy: 'Shorten the value, or change the option of the column.',
  },
  too_short: {
    meaning: 'A text is shorter than the column allows.',
    cause: 'It has fewer characters than `minLength` of the column.',
    remedy: 'Send a longer text, or null.',
  },
  below_minimum: {
    meaning: 'A number is less than the column allows.',
    cause: 'It is below `minimum` of the column.',
    remedy: 'Correct the number; the unit may be another one.',
  },
  above_maximum: {
    meaning: 'A number is greater than the column allows.',
    cause: 'It is above `maximum` of the column.',
    remedy: 'Correct the number; the unit may be another one.',
  },
  pattern_mismatch: {
    meaning: 'A text does not have the form that the column requires.',
    cause: 'It does not match `pattern` of the column.',
    remedy: 'Send a text that matches the pattern in the message.',
  },
  too_early: {
    meaning: 'A date is earlier than the column allows.',
    cause: 'It is before `earliest` of the column.',
    remedy: 'Correct the date.',
  },
  too_late: {
    meaning: 'A date is later than the column allows.',
    cause: 'It is after `latest` of the column.',
    remedy: 'Correct the date.',
  },
  not_unique: {
    meaning: 'Another row has the same value in a column with `unique`.',
    cause: 'The value occurs twice in the request, or a stored row has it.',
    remedy: 'Correct one of the rows; the message has the key of the other one.',
  },
  target_missing: {
    meaning: 'A reference in a column with `mustExist` names a row that does not exist.',
    cause: 'The row was not sent yet, was deleted, or its key is misspelled.',
    remedy: 'Send the row that is named first, or in the same request.',
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
  outside_policy: {
    meaning: 'The access policy of the caller does not permit to write the row.',
    cause:
      'The row, as it was or as it would be, does not match the filter of the policy, or is not below its location.',
    remedy: 'Send only rows that the policy permits, or ask an owner of the workspace.',
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
});

export const COLUMN_ERRORS = defineErrors(createSection('Columns', 'tables'), {
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
});
