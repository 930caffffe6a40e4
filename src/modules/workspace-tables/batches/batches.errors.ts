import { DomainError } from '../../../platform/http/domain-error.js';
import { type TableError, toErrorDetails } from '../workspace-tables.errors.js';

/** Rows of a batch were changed since. Nothing was done. */
export class BatchConflictError extends DomainError {
  constructor(conflicts: readonly TableError[], total: number) {
    const message = `${total} ${total === 1 ? 'row was' : 'rows were'} changed since the batch; nothing was undone. Send onConflict=skip to leave them as they are.`;
    super('conflict', 'batch_conflict', message, { details: { ...toErrorDetails(conflicts, total) } });
  }
}

export class AlreadyUndoneError extends DomainError {
  constructor(undoneBy: string) {
    const message = `The batch was already undone by the batch ${undoneBy}. Undo that batch to restore its changes.`;
    super('conflict', 'already_undone', message);
  }
}

/** The previous values were removed, or a table was dropped. */
export class NotUndoableError extends DomainError {
  constructor(reason: string) {
    super('conflict', 'not_undoable', `The batch cannot be undone: ${reason} Nothing was changed.`);
  }
}
