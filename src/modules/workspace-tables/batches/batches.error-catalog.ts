import type { ErrorCatalog } from '../../../platform/http/error-catalog.js';

export const BATCH_ERRORS: ErrorCatalog = {
  title: 'Batches',
  order: 6,
  guide: 'importing',
  codes: {
    batch_conflict: {
      meaning: 'Rows were changed since the batch or cannot have the previous values, and nothing was undone.',
      cause:
        'Another batch or a write of a single row changed them, or the previous values violate a rule of a column or would create a cycle.',
      remedy: 'Undo the later batches first, change the rule, or send `onConflict=skip`.',
    },
    changed_since: {
      meaning: 'This row was changed since the batch.',
      cause: 'Another batch or a write of a single row.',
      remedy: 'Compare the row with its source.',
    },
    already_undone: {
      meaning: 'The batch was undone before.',
      cause: 'Another request has undone it.',
      remedy: 'Undo the batch in the message to restore its changes.',
    },
    not_undoable: {
      meaning: 'The batch cannot be undone.',
      cause: 'It is older than `BATCH_UNDO_DAYS` or beyond `BATCH_UNDO_MAX_BYTES`, or one of its tables was dropped.',
      remedy: 'Import the former state of the rows.',
    },
  },
};
