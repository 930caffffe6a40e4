import { DomainError } from '../../packages/errors/src/domain-error.js';
import { createSection, defineErrors } from '../../packages/errors/src/error-definition.js';

export const RECORD_ERRORS = defineErrors(createSection('Records', 'records'), {
  archived: {
    kind: 'conflict',
    message: 'The record is archived; restore it first.',
    meaning:
      'The record, or a record that contains it, is archived. Archived records can be read, but not changed, and receive no children.',
    remedy: 'Restore the record that the message names, then send the request again.',
  },
  external_id_taken: {
    kind: 'conflict',
    message: 'Another record of the workspace has the externalId "A-17". Use a different externalId.',
    meaning: 'A PATCH sets an `externalId` that another record of the workspace has.',
    remedy: 'Use a different `externalId`, or change the other record.',
  },
  parent_immutable: {
    kind: 'conflict',
    message:
      'The tour with the externalId "A-17" has another projectId. The projectId cannot be changed; use another externalId.',
    meaning: 'A POST names another project, tour or workspace than the existing record with this `externalId` has.',
    remedy: 'Send the current parent, or use another `externalId`.',
  },
  invalid_items: {
    kind: 'unprocessable',
    message:
      'Items of the request are invalid; nothing was stored. Correct those in details.errors, or send onError=continue.',
    meaning:
      'At least one item of a bulk request is invalid or names a parent that does not exist, and nothing was stored; `details.errors` has the index of each.',
    remedy: 'Correct the items, or send `onError=continue` to store the valid ones.',
  },
  already_finished: {
    kind: 'conflict',
    message: 'The virtual staging already has the final status "succeeded". Nothing was changed; claim the next one.',
    meaning:
      'The virtual staging or the import succeeded, failed or was cancelled before, or a renderer repeated its last call.',
    remedy: 'Read its status. A renderer claims the next one.',
  },
});

/** Archived records can be read, but not changed. */
export class ArchivedError extends DomainError {
  /**
   * @param label subject of the message: "The tour".
   * @param field names the archived record in the request, if it is the parent of the record to write.
   */
  constructor(label: string, field?: string) {
    const message = `${label} is archived; restore it first.`;
    super(RECORD_ERRORS.archived, message, { field });
  }
}

/** The record with the external ID has another value of a field that cannot change, such as its parent. */
export class ParentImmutableError extends DomainError {
  constructor(label: string, externalId: string, field: string) {
    const message = `${label} with the externalId "${externalId}" has another ${field}. The ${field} cannot be changed; use another externalId.`;
    super(RECORD_ERRORS.parent_immutable, message, { field });
  }
}

/** Another record of the workspace has the external ID. */
export class ExternalIdTakenError extends DomainError {
  /** @param label subject of a message: "The tour". */
  constructor(label: string, externalId: string) {
    const kind = label.replace(/^The /, '');
    const message = `Another ${kind} of the workspace has the externalId "${externalId}". Use a different externalId.`;
    super(RECORD_ERRORS.external_id_taken, message, { field: 'externalId' });
  }
}
