import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';

export const WORKSPACE_ERRORS = defineErrors(createSection('Workspaces', 'records'), {
  slug_taken: {
    kind: 'conflict',
    message: 'A workspace with the slug "plant-1" already exists. Choose another slug.',
    meaning: 'Another workspace of the service has the slug.',
    remedy: 'Choose another slug.',
  },
});

/** Another workspace has this slug. */
export class SlugTakenError extends DomainError {
  constructor(slug: string) {
    super(WORKSPACE_ERRORS.slug_taken, `A workspace with the slug "${slug}" already exists. Choose another slug.`);
  }
}
