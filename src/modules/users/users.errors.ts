import { DomainError } from '../../platform/http/domain-error.js';

/** Another user has this email. */
export class EmailTakenError extends DomainError {
  constructor(email: string) {
    super('conflict', 'email_taken', `There is a user with the email ${email} already.`);
  }
}
