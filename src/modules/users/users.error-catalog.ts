import type { ErrorCatalog } from '../../platform/http/error-catalog.js';

/** Includes the codes of workspaces. */
export const USER_ERRORS: ErrorCatalog = {
  title: 'Users and workspaces',
  order: 9,
  guide: 'records',
  codes: {
    slug_taken: {
      meaning: 'Another workspace has the slug.',
      cause: 'Slugs are unique in the service.',
      remedy: 'Choose another slug.',
    },
    own_access: {
      meaning: 'Callers cannot remove their own last access.',
      cause: 'You tried to suspend yourself or to leave your only workspace.',
      remedy: 'Ask another user or the operator.',
    },
  },
};
