import { DomainError, UnavailableError } from '../../platform/http/domain-error.js';

const MESSAGES = {
  changed: 'The address was not made by this service, or was changed; take it from the record again.',
  expired: 'The address has expired; take it from the record again.',
};

/** The address does not open the file. Says nothing of whether there is one. */
export class InvalidSignatureError extends DomainError {
  constructor(why: keyof typeof MESSAGES) {
    super('forbidden', why === 'expired' ? 'url_expired' : 'invalid_signature', MESSAGES[why]);
  }
}

/** The bytes were swept before anything claimed them: the request took longer than they are kept. */
export class UploadExpiredError extends UnavailableError {
  constructor(cause: unknown) {
    super('upload_expired', 'The request took longer than its files are kept without it; send it again.', 1, cause);
  }
}
