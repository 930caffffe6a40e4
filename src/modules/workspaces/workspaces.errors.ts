import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';

export const WORKSPACE_ERRORS = defineErrors(createSection('Workspaces', 'records'), {
  slug_taken: {
    kind: 'conflict',
    message: 'A workspace with the slug "plant-1" already exists. Choose another slug.',
    meaning: 'Another workspace of the service has the slug.',
    remedy: 'Choose another slug.',
  },
  workspace_not_deleted: {
    kind: 'conflict',
    message: 'The workspace is not deleted, or its removal has begun. It cannot be restored.',
    meaning: 'An operator restores a workspace that is not deleted, or whose time to be restored has ended.',
    remedy: 'Compare the list of workspaces. Import an export of a removed workspace.',
  },
});

/** Another workspace has this slug. */
export class SlugTakenError extends DomainError {
  constructor(slug: string) {
    super(WORKSPACE_ERRORS.slug_taken, `A workspace with the slug "${slug}" already exists. Choose another slug.`);
  }
}
