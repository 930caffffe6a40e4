import type { ErrorCatalog } from '../platform/http/error-catalog.js';

export const RECORD_ERRORS: ErrorCatalog = {
  title: 'Records',
  order: 3,
  guide: 'records',
  codes: {
    archived: {
      meaning: 'The record, or a record that contains it, is archived.',
      cause: 'Archived records can be read, but not changed, and receive no children.',
      remedy: 'Restore the record that the message names, then send the request again.',
    },
    external_id_taken: {
      meaning: 'Another record of the workspace has the `externalId`.',
      cause: 'A PATCH sets an `externalId` that is in use.',
      remedy: 'Use a different `externalId`, or change the other record.',
    },
    parent_immutable: {
      meaning: 'The record with this `externalId` has another parent.',
      cause: 'A POST names another project, tour or workspace than the existing record has.',
      remedy: 'Send the current parent, or use another `externalId`.',
    },
    invalid_items: {
      meaning: 'Items of a bulk request are invalid, and nothing was stored.',
      cause:
        'At least one item is invalid or names a parent that does not exist; `details.errors` has the index of each.',
      remedy: 'Correct the items, or send `onError=continue` to store the valid ones.',
    },
  },
};
