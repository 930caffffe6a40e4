import type { CatalogTable } from '../catalog/catalog.repository.js';
import { DomainError } from '../../../platform/http/domain-error.js';
import { type TableError, toErrorDetails } from '../workspace-tables.errors.js';
import type { InvalidReason, UndoConflict } from './undo-plan.repository.js';

/** Rows of a batch were changed since, or their previous values are not allowed now. Nothing was done. */
export class BatchConflictError extends DomainError {
  constructor(conflicts: readonly TableError[], total: number) {
    const message = `${total} ${total === 1 ? 'row was' : 'rows were'} changed since the batch, or cannot have the previous values; nothing was undone. Send onConflict=skip to leave them as they are.`;
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

/** The error of a row that an undo does not restore. */
export function toConflict({ entity, name }: CatalogTable, { key, reason }: UndoConflict): TableError {
  const row = { type: entity, table: name, key };
  if (!reason) return { ...row, code: 'changed_since', message: `The row "${key}" was changed since the batch.` };
  const column = reason.column.key;
  const [code, problem] = describeReason(reason);
  return { ...row, column, code, message: `The previous value of the row "${key}" in "${column}" ${problem}.` };
}

function describeReason({ column, rule }: InvalidReason): [code: string, problem: string] {
  switch (rule) {
    case 'required':
      return ['required', 'is empty, but the column is required now'];
    case 'choices':
      return ['type_mismatch', 'is not one of the present choices'];
    case 'length':
      return ['too_long', 'has too many characters for a column with an index'];
    case 'cycle':
      return ['hierarchy_cycle', `would create a cycle: a row below it is now above it by "${column.key}"`];
  }
}
