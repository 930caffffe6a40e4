import { DomainError } from '../http/domain-error.js';

/** What is put away is read, and not changed. */
export class ArchivedError extends DomainError {
  /** @param what as a sentence begins with it: "The tour". */
  constructor(what: string) {
    super('conflict', 'archived', `${what} is archived; restore it first.`);
  }
}
