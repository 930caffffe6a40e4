import { DomainError } from '../../platform/http/domain-error.js';
import type { VirtualStagingStatus } from './virtual-staging.entity.js';

/** A renderer has claimed the virtual staging, so that its input can no longer change. */
export class NotQueuedError extends DomainError {
  constructor(status: VirtualStagingStatus) {
    super(
      'conflict',
      'not_queued',
      `The virtual staging has the status "${status}". Only a queued virtual staging can be changed.`,
    );
  }
}

/** The status is final. */
export class AlreadyFinishedError extends DomainError {
  constructor(status: VirtualStagingStatus) {
    super(
      'conflict',
      'already_finished',
      `The virtual staging already has the final status "${status}". Nothing was changed; claim the next one.`,
    );
  }
}

/** The renderer has no valid lease on the virtual staging. */
export class ClaimLostError extends DomainError {
  constructor() {
    super(
      'conflict',
      'claim_lost',
      'The claim is not valid: its lease expired, or the virtual staging was finished, cancelled, archived or claimed by ' +
        'another renderer. Nothing was stored; claim the next one.',
    );
  }
}

/** The source image or a variation is missing or not acceptable. */
export class InvalidStagingError extends DomainError {
  constructor(field: string, code: string, message: string, kind: 'malformed' | 'unprocessable' = 'unprocessable') {
    super(kind, code, message, { details: { total: 1, errors: [{ field, code, message }] } });
  }
}
