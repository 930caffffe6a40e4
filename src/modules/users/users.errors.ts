import { DomainError } from '../../platform/http/domain-error.js';

/** Two items of a bulk request describe the same user of a workspace, so the result would depend on their order. */
export class DuplicateEmailError extends DomainError {
  constructor(email: string) {
    const message = `An earlier item has the same email address "${email}". Send each user once.`;
    const errors = [{ field: 'email', code: 'duplicate', message }];
    super('unprocessable', 'duplicate', message, { details: { errors } });
  }
}

/** Callers cannot lock themselves out by mistake. */
export class OwnAccessError extends DomainError {
  constructor() {
    super(
      'conflict',
      'own_access',
      'You cannot suspend yourself, and you can leave only one of several workspaces, named by workspaceId. Ask another user or the operator.',
    );
  }
}
