import type { ErrorCatalog } from '../../platform/http/error-catalog.js';

/** Includes the codes of workspaces. */
export const USER_ERRORS: ErrorCatalog = {
  title: 'Users and workspaces',
  order: 9,
  guide: 'records',
  codes: {
    email_taken: {
      meaning: 'Another user has the email address.',
      cause: 'Email addresses are unique in the service, regardless of letter case.',
      remedy: 'Change that user, or use another address.',
    },
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
    shared_user: {
      meaning: 'The user is also a member of workspaces that are not yours.',
      cause: 'The status of a user applies to all workspaces.',
      remedy: 'Remove the user from your workspaces, or ask the operator to suspend the user.',
    },
  },
};
