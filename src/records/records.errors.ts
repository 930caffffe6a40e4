import { DomainError, fieldErrorDetails } from '../platform/http/domain-error.js';

/** What is put away is read, and not changed. */
export class ArchivedError extends DomainError {
  /**
   * @param what as a sentence begins with it: "The tour".
   * @param field that names it, where another record is to be filed against it.
   */
  constructor(what: string, field?: string) {
    const message = `${what} is archived; restore it first.`;
    super('conflict', 'archived', message, fieldErrorDetails(field, 'archived', message));
  }
}

/** The external id is that of a record which stands elsewhere, and stays there. */
export class ParentImmutableError extends DomainError {
  constructor(what: string, externalId: string, field: string) {
    super(
      'conflict',
      'parent_immutable',
      `${what} "${externalId}" is there already, with another ${field}, which stays.`,
    );
  }
}

/** Another record of the workspace has the external id. */
export class ExternalIdTakenError extends DomainError {
  /** @param what as a sentence begins with it: "The tour". */
  constructor(what: string, externalId: string) {
    const kind = what.replace(/^The /, '');
    const message = `Another ${kind} of the workspace has the externalId "${externalId}" already.`;
    super('conflict', 'external_id_taken', message, fieldErrorDetails('externalId', 'external_id_taken', message));
  }
}
