import { DomainError, type FieldError, fieldErrorDetails, MAX_LISTED_ERRORS } from '../platform/http/domain-error.js';

/** Archived records can be read, but not changed. */
export class ArchivedError extends DomainError {
  /**
   * @param label subject of the message: "The tour".
   * @param field names the archived record in the request, if it is the parent of the record to write.
   */
  constructor(label: string, field?: string) {
    const message = `${label} is archived; restore it first.`;
    super('conflict', 'archived', message, fieldErrorDetails(field, 'archived', message));
  }
}

/** The record with the external ID has another value of a field that cannot change, such as its parent. */
export class ParentImmutableError extends DomainError {
  constructor(label: string, externalId: string, field: string) {
    super(
      'conflict',
      'parent_immutable',
      `${label} with the externalId "${externalId}" has another ${field}. The ${field} cannot be changed; use another externalId.`,
    );
  }
}

/** Another record of the workspace has the external ID. */
export class ExternalIdTakenError extends DomainError {
  /** @param label subject of a message: "The tour". */
  constructor(label: string, externalId: string) {
    const kind = label.replace(/^The /, '');
    const message = `Another ${kind} of the workspace has the externalId "${externalId}". Use a different externalId.`;
    super('conflict', 'external_id_taken', message, fieldErrorDetails('externalId', 'external_id_taken', message));
  }
}

/** Items of a bulk request are invalid, and nothing was stored. */
export class InvalidItemsError extends DomainError {
  constructor(errors: readonly FieldError[]) {
    super(
      'unprocessable',
      'invalid_items',
      'Items of the request are invalid; nothing was stored. Correct those in details.errors, or send onError=continue.',
      {
        details: { total: errors.length, errors: errors.slice(0, MAX_LISTED_ERRORS) },
      },
    );
  }
}
