import { DomainError } from '../../platform/http/domain-error.js';

/** Another user has this email address. */
export class EmailTakenError extends DomainError {
  constructor(email: string) {
    super(
      'conflict',
      'email_taken',
      `A user with the email address "${email}" already exists. Change that user, or use another address.`,
    );
  }
}

/** Two items of a bulk request describe the same user of a workspace, so the result would depend on their order. */
export class DuplicateEmailError extends DomainError {
  constructor(email: string) {
    const message = `An earlier item has the same email address "${email}". Send each user once.`;
    const errors = [{ field: 'email', code: 'duplicate', message }];
    super('unprocessable', 'duplicate', message, { details: { errors } });
  }
}

const ACCESS_MESSAGES = {
  /** Callers cannot lock themselves out by mistake. */
  own_access:
    'You cannot suspend yourself, and you can leave only one of several workspaces, named by workspaceId. Ask another user or the operator.',
  /** The status of a user applies to every workspace, so only a caller who is a member of all of them may change it. */
  shared_user:
    'The user is a member of workspaces that are not yours, so only the operator can change the status. You can remove the user from your workspaces.',
};

/** The caller may not take this access from this user. */
export class UserAccessError extends DomainError {
  constructor(code: keyof typeof ACCESS_MESSAGES) {
    super('conflict', code, ACCESS_MESSAGES[code]);
  }
}
