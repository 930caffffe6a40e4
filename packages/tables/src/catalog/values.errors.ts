import { createSection, defineErrors } from '../../../errors/src/error-definition.js';
import type { ConstraintCode } from './column-types.js';

export const VALUE_ERRORS = defineErrors(createSection('Values of rows', 'tables'), {
  type_mismatch: {
    meaning:
      'A value does not have the type of its column, for example text in a number column, or an ambiguous date. Or a row is not an object.',
    remedy: 'Send a value of the type in the message.',
  },
  too_long: {
    meaning: 'A key, an indexed text, or a text in a column with `maxLength` exceeds the limit in the message.',
    remedy: 'Shorten the value, or change the option of the column.',
  },
  too_short: {
    meaning: 'A text has fewer characters than `minLength` of the column.',
    remedy: 'Send a longer text, or null.',
  },
  below_minimum: {
    meaning: 'A number is below `minimum` of the column.',
    remedy: 'Correct the number; the unit may be another one.',
  },
  above_maximum: {
    meaning: 'A number is above `maximum` of the column.',
    remedy: 'Correct the number; the unit may be another one.',
  },
  pattern_mismatch: {
    meaning: 'A text does not match `pattern` of the column.',
    remedy: 'Send a text that matches the pattern in the message.',
  },
  too_early: {
    meaning: 'A date is before `earliest` of the column.',
    remedy: 'Correct the date.',
  },
  too_late: {
    meaning: 'A date is after `latest` of the column.',
    remedy: 'Correct the date.',
  },
  not_unique: {
    meaning: 'A value of a column with `unique` occurs twice in the request, or a stored row has it.',
    remedy: 'Correct one of the rows; the message has the key of the other one.',
  },
  target_missing: {
    meaning:
      'A reference in a column with `mustExist` names a row that was not sent yet, was deleted, or whose key is misspelled.',
    remedy: 'Send the row that is named first, or in the same request.',
  },
  unknown_column: {
    meaning:
      'The table does not have this column: the name is misspelled, or the column was not sent in `columns` yet.',
    remedy: 'Use the key or the name of an existing column, or add the column with a bulk request.',
  },
  ambiguous_column: {
    meaning: 'Two columns have the same name, or a row contains the key and the name of a column.',
    remedy: 'Use the key of the column, once.',
  },
  required_key: {
    meaning: 'A row has no primary key: the field is missing or empty, or a CSV header omits it.',
    remedy: 'Send the primary key in each row.',
  },
  duplicate_in_batch: {
    meaning:
      'Two rows of the request have the same key. All rows with the key are rejected, so the order never decides.',
    remedy: 'Send each key once.',
  },
  outside_policy: {
    meaning:
      "The row, as it was or as it would be, does not match the filter of the caller's access policy, or is not below its location.",
    remedy: 'Send only rows that the policy permits, or ask an owner of the workspace.',
  },
  hierarchy_cycle: {
    meaning: 'The `hierarchyParent` value names the row itself or a row of its subtree.',
    remedy: 'Choose a parent outside the subtree.',
  },
  row_too_large: {
    meaning: 'The texts of a row are too long in total.',
    remedy: 'Shorten the texts.',
  },
}) satisfies Record<ConstraintCode, object>;

export const COLUMN_ERRORS = defineErrors(createSection('Columns', 'tables'), {
  columns_required: {
    meaning:
      'The table does not exist, and the request has no `columns`: it is the first batch of the table, or the name is misspelled.',
    remedy: 'Send `columns` with the first batch.',
  },
  confirmation_required: {
    meaning:
      '`confirm` is missing or names something else, and nothing was changed. A client may have altered the path: it resolves `items/..` to the table.',
    remedy: 'Send `confirm` with the name of the table, or with the key of the column.',
  },
  invalid_column_key: {
    meaning: 'The key of a column contains other characters than a-z, 0-9 and _, is too long, reserved, or used twice.',
    remedy: 'Send a `key` of 1 to 63 of these characters.',
  },
  invalid_option: {
    meaning: 'An option of a column is not valid for its type, for example `choices` at a number column.',
    remedy: 'Send the options that the type has.',
  },
  invalid_primary_key: {
    meaning:
      'No or several columns are marked as the primary key, the column is not text, or it would be changed or dropped.',
    remedy: 'Mark one text column. To replace the key of a table, create another table.',
  },
  too_many_columns: {
    meaning:
      'The table would have more columns than the limit in the message. Dropped columns count towards the limit of a lifetime.',
    remedy: 'Send fewer columns, or move the rows to a new table.',
  },
  too_many_indexes: {
    meaning: 'The table would exceed the limit of indexed columns or of composite indexes.',
    remedy: 'Drop an index that is not needed first.',
  },
});
