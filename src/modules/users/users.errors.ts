import { DomainError } from '../../platform/http/domain-error.js';

/** Another user has this email. */
export class EmailTakenError extends DomainError {
  constructor(email: string) {
    super('conflict', 'email_taken', `There is a user with the email ${email} already.`);
  }
}

/** Of two items about one user, it would be chance which one holds. */
export class EmailTwiceError extends DomainError {
  constructor(email: string) {
    const message = `${email} stands in an item before this one`;
    const errors = [{ field: 'email', code: 'duplicate', message }];
    super('unprocessable', 'duplicate', message, { details: { errors } });
  }
}

/** An API key speaks for one workspace, and not for its user. */
export class SignInNeededError extends DomainError {
  constructor() {
    super('forbidden', 'sign_in_needed', 'An API key is bound to one workspace; sign in to answer invitations.');
  }
}

/** Nobody shuts himself out by mistake. */
export class OwnAccessError extends DomainError {
  constructor() {
    super(
      'conflict',
      'own_access',
      'You cannot suspend yourself, nor remove yourself but from one workspace of several, named by workspaceId; another user or the operator can.',
    );
  }
}

/** What holds in every workspace of a user is decided by whoever has all of them. */
export class SharedUserError extends DomainError {
  constructor() {
    super(
      'conflict',
      'shared_user',
      'The user is a member of workspaces that are not yours: the operator alone can suspend or activate such a user. You can remove the user from your own workspaces.',
    );
  }
}
