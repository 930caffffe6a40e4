import { DomainError } from '../../platform/http/domain-error.js';
import type { VirtualStagingStatus } from './virtual-staging.entity.js';

/** A renderer has it, or had it: what it was asked for stands. */
export class NotQueuedError extends DomainError {
  constructor(status: VirtualStagingStatus) {
    super('conflict', 'not_queued', `The staging is ${status}; only one that is queued can be changed.`);
  }
}

/** What is over is neither cancelled nor finished once more. */
export class AlreadyFinishedError extends DomainError {
  constructor(status: VirtualStagingStatus) {
    super('conflict', 'already_finished', `The staging is over, with the status ${status}. Nothing was changed.`);
  }
}

/** The renderer does not have the staging, or no longer. */
export class ClaimLostError extends DomainError {
  constructor() {
    super(
      'conflict',
      'claim_lost',
      'The claim does not hold: it was silent for longer than its lease, or the staging is over, was cancelled or archived, ' +
        'or another renderer has it. Nothing was stored; claim the next one.',
    );
  }
}

/** The picture to work on, or what a renderer made, is missing or is not to be had so. */
export class InvalidStagingError extends DomainError {
  constructor(field: string, code: string, message: string, kind: 'malformed' | 'unprocessable' = 'unprocessable') {
    super(kind, code, message, { details: { total: 1, errors: [{ field, code, message }] } });
  }
}
