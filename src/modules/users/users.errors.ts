import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';

export const USER_ERRORS = defineErrors(createSection('Users', 'records'), {
  own_access: {
    kind: 'conflict',
    message:
      'You cannot suspend yourself, and you can leave only one of several workspaces, named by workspaceId. Ask another user or the operator.',
    meaning: 'Callers cannot suspend themselves or leave their only workspace.',
    remedy: 'Ask another user or the operator.',
  },
  last_owner: {
    kind: 'conflict',
    message: 'The user is the last owner of the workspace. Make another member an owner first.',
    meaning:
      'The request would remove or suspend the last owner of the workspace, or give the last owner another role.',
    remedy: 'Make another member an owner first.',
  },
});

/** Two items of a bulk request describe the same user of a workspace, so the result would depend on their order. */
export class DuplicateEmailError extends DomainError {
  constructor(email: string) {
    const message = `Another item has the same email address "${email}". Send each user once.`;
    super(HTTP_ERRORS.duplicate, message, { field: 'email' });
  }
}

/** Without an owner, only the operator could manage the members of the workspace. */
export class LastOwnerError extends DomainError {
  /** @param workspace named in the message for the operator. */
  constructor(workspace?: string) {
    const message = `The user is the last owner of the workspace "${workspace}". Make another member an owner first: user create --email EMAIL --workspace ${workspace} --role owner`;
    super(USER_ERRORS.last_owner, workspace === undefined ? undefined : message);
  }
}
