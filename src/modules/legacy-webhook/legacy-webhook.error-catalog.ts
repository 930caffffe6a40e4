import type { ErrorCatalog } from '../../platform/http/error-catalog.js';

export const LEGACY_ERRORS: ErrorCatalog = {
  title: 'Legacy webhook',
  order: 12,
  guide: 'migrating-from-the-webhook',
  codes: {
    invalid_records: {
      meaning: 'Records cannot be stored, and nothing was stored.',
      cause: 'At least one record is invalid; `details.errors` has the array and index of each.',
      remedy: 'Correct the records, or send `onError=continue` to store the valid ones.',
    },
    incompatible_table: {
      meaning: 'A table with the name that the webhook uses has other columns.',
      cause: 'A bulk request created the table with another primary key or other types.',
      remedy: 'Rename or drop the table, or send bulk requests instead of the webhook.',
    },
    ambiguous_field: {
      meaning: 'A record contains a field in several letter cases.',
      cause: 'For example `tplnr` and `TPLNR`.',
      remedy: 'Send each field once.',
    },
  },
};
