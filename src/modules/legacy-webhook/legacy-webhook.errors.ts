import { DomainError, MAX_LISTED_ERRORS } from '../../platform/http/domain-error.js';
import type { LegacyRecordErrorDto } from './dto/legacy-record-error.dto.js';

/** Records that cannot be stored. Nothing was stored. */
export class InvalidRecordsError extends DomainError {
  constructor(errors: readonly LegacyRecordErrorDto[], total: number) {
    const count = total === 1 ? 'There is 1 error' : `There are ${total} errors`;
    super(
      'unprocessable',
      'invalid_records',
      `${count} in the records; nothing was stored. Correct those in details.errors.`,
      {
        details: { total, errors: errors.slice(0, MAX_LISTED_ERRORS) },
      },
    );
  }
}

/** A table with the name that the webhook uses has another primary key or other column types. Nothing was stored. */
export class IncompatibleTableError extends DomainError {
  constructor(errors: readonly LegacyRecordErrorDto[]) {
    const message =
      'The columns of a table do not match the records of the webhook. Nothing was stored; details.errors contains what to change.';
    super('unprocessable', 'incompatible_table', message, { details: { total: errors.length, errors } });
  }
}
