import { DomainError, toErrorDetails } from '../../../../packages/errors/src/domain-error.js';
import { createSection, defineErrors } from '../../../../packages/errors/src/error-definition.js';
import type { TableError } from '../../../../packages/tables/src/catalog/tables.errors.js';

export const PROPOSAL_ERRORS = defineErrors(createSection('Proposals', 'approval'), {
  proposal_decided: {
    kind: 'conflict',
    message: 'The proposal was already rejected. Send the load again for a new one.',
    meaning: 'The proposal was approved or rejected, or it has expired.',
    remedy: 'Send the load again for a new proposal.',
  },
  proposal_outdated: {
    kind: 'conflict',
    message:
      '2 rows were changed since the proposal was compared; nothing was stored. Compare it again and review it, or reject it.',
    meaning:
      'Rows that the proposal changes, or columns or options of its tables, were changed since it was compared, or a table was dropped. Nothing was stored.',
    remedy:
      'Compare the proposal again (`POST …/proposals/{id}/compare`) and review it, or reject it. Reject it if a table was dropped.',
  },
  compared_by_other: {
    kind: 'conflict',
    message: 'The proposal was last compared with other access policies than yours. Compare it again to read it.',
    meaning: 'The former values of the proposal are those that a user with other access policies may read.',
    remedy: 'Compare the proposal again, or ask an owner of the workspace for its changes if it was decided.',
  },
  own_proposal: {
    kind: 'forbidden',
    message: 'Another user must approve this proposal: a table has "approval": { "by": "other" }.',
    meaning: 'The option `approval` of a table has `by: other`, so the author of the load cannot approve it.',
    remedy: 'Let another owner of the workspace approve it.',
  },
  columns_not_approved: {
    kind: 'conflict',
    message:
      'The load waits for approval, but creates the table "Pumps" or adds columns to it; nothing was stored. Create them first.',
    meaning:
      'A load that waits for approval creates a table or columns, and the changes of rows exceed the limit of `approval`. Nothing was stored.',
    remedy: 'Add the columns with `PUT …/cw/{entity}/{table}` or an empty bulk request, and send the load again.',
  },
  nothing_to_propose: {
    kind: 'unprocessable',
    message: 'All rows are equal to the stored ones, and no row has a key to delete; nothing was proposed.',
    meaning: 'The rows that an assistant proposes would change nothing.',
    remedy: 'Read the rows, and propose only rows with other values.',
  },
  proposal_too_large: {
    kind: 'too_large',
    message: 'The changes of the load are too large to wait for approval; nothing was stored. Send fewer rows.',
    meaning:
      'The former and the new values of all rows that the load changes exceed the limit in `details.limit`. Nothing was stored.',
    remedy: 'Send the rows in several loads.',
  },
});

/** Errors of loads that need approval. */
export const APPROVAL_ERRORS = [PROPOSAL_ERRORS.columns_not_approved, PROPOSAL_ERRORS.proposal_too_large];

export class ProposalDecidedError extends DomainError {
  constructor(status: 'approved' | 'rejected' | 'expired') {
    const state = status === 'expired' ? 'has expired' : `was already ${status}`;
    super(PROPOSAL_ERRORS.proposal_decided, `The proposal ${state}. Send the load again for a new one.`);
  }
}

export class ProposalOutdatedError extends DomainError {
  /**
   * @param reason what was changed since
   * @param remedy what the caller can do
   */
  constructor(
    reason: string,
    errors: readonly TableError[] = [],
    total = errors.length,
    remedy = 'Compare it again and review it, or reject it.',
  ) {
    const message = `${reason}; nothing was stored. ${remedy}`;
    super(PROPOSAL_ERRORS.proposal_outdated, message, total > 0 ? { details: toErrorDetails(errors, total) } : {});
  }
}
