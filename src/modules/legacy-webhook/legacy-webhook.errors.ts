import { DomainError, toErrorDetails } from '../../../packages/errors/src/domain-error.js';
import type { LegacyRecordErrorDto } from './dto/legacy-record-error.dto.js';
import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';

export const LEGACY_ERRORS = defineErrors(createSection('Legacy webhook', 'migrating-from-the-webhook'), {
  invalid_records: {
    kind: 'unprocessable',
    message: 'There is 1 error in the records; nothing was stored. Correct those in details.errors.',
    details: {
      total: 1,
      errors: [
        { field: 'GEWEI', code: 'type_mismatch', message: '"x" is not a number.', array: 'equipment', index: 0 },
      ],
    },
    meaning:
      'At least one record is invalid, and nothing was stored; `details.errors` has the array and index of each.',
    remedy: 'Correct the records, or send `onError=continue` to store the valid ones.',
  },
  incompatible_table: {
    kind: 'unprocessable',
    message:
      'The columns of a table do not match the records of the webhook. Nothing was stored; details.errors contains what to change.',
    meaning: 'A table with the name that the webhook uses has another primary key or columns of other types.',
    remedy: 'Rename or drop the table, or send bulk requests instead of the webhook.',
  },
  ambiguous_field: {
    meaning: 'A record contains a field in several letter cases, for example `tplnr` and `TPLNR`.',
    remedy: 'Send each field once.',
  },
});

/** Records that cannot be stored. Nothing was stored. */
export class InvalidRecordsError extends DomainError {
  constructor(errors: readonly LegacyRecordErrorDto[], total: number) {
    const count = total === 1 ? 'There is 1 error' : `There are ${total} errors`;
    const message = `${count} in the records; nothing was stored. Correct those in details.errors.`;
    super(LEGACY_ERRORS.invalid_records, message, { details: toErrorDetails(errors, total) });
  }
}
