import { DomainError } from '../../platform/http/domain-error.js';

/** Another workspace has this slug. */
export class SlugTakenError extends DomainError {
  constructor(slug: string) {
    super('conflict', 'slug_taken', `A workspace with the slug "${slug}" already exists. Choose another slug.`);
  }
}
