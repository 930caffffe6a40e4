import { AccessDeniedError, DomainError } from '../../../../packages/errors/src/domain-error.js';
import type { UndoneRowErrorCode } from '../../../../packages/tables/src/sources/row-errors.js';
import { createSection, defineErrors } from '../../../../packages/errors/src/error-definition.js';

export const BATCH_ERRORS = defineErrors(createSection('Batches', 'importing'), {
  batch_conflict: {
    kind: 'conflict',
    message:
      '2 rows were changed since the batch, or cannot have the previous values; nothing was undone. Send onConflict=skip to leave them as they are.',
    meaning:
      'Rows were changed since the batch, or their previous values violate a rule of a column or would create a cycle. Nothing was undone.',
    remedy: 'Undo the later batches first, change the rule, or send `onConflict=skip`.',
  },
  changed_since: {
    meaning: 'Another batch or a write of a single row changed this row since the batch.',
    remedy: 'Compare the row with its source.',
  },
  already_undone: {
    kind: 'conflict',
    message:
      'The batch was already undone by the batch 0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a. Undo that batch to restore its changes.',
    meaning: 'Another request has undone the batch.',
    remedy: 'Undo the batch in the message to restore its changes.',
  },
  not_undoable: {
    kind: 'conflict',
    message: 'The batch cannot be undone: a table of it was dropped. Nothing was changed.',
    meaning:
      'The batch is older than the history of one of its tables (`historyDays`), or one of its tables was dropped.',
    remedy: 'Import the former state of the rows.',
  },
  batch_outside_policy: {
    kind: 'forbidden',
    message:
      'The batch changed tables, rows or columns that the access policy of the caller does not permit to change; nothing was undone. Ask an owner of the workspace.',
    meaning:
      'An undo restores a whole batch, and rows of it are outside of the part that the access policy of the caller permits, or were before or after the batch.',
    remedy: 'Ask an owner of the workspace, or restore the permitted rows by `restore`.',
  },
}) satisfies Record<UndoneRowErrorCode, object>;

/** The batch, or its undo, changes what the access policies of the caller do not permit. */
export class BatchOutsidePolicyError extends AccessDeniedError {
  constructor() {
    super(BATCH_ERRORS.batch_outside_policy);
  }
}

/** The previous values were removed, or a table was dropped. */
export class NotUndoableError extends DomainError {
  constructor(reason: string) {
    super(BATCH_ERRORS.not_undoable, `The batch cannot be undone: ${reason} Nothing was changed.`);
  }
}
