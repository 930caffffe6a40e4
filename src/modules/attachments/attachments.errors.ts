import { DomainError, UnavailableError } from '../../platform/http/domain-error.js';

const MESSAGES = {
  invalid_signature: 'The signature of the URL is invalid. Use the URL in the record.',
  url_expired: 'The URL has expired. Get the record again for a new one.',
};

/** The signed URL is invalid or expired. The message is the same whether or not the file exists. */
export class InvalidSignatureError extends DomainError {
  constructor(code: keyof typeof MESSAGES) {
    super('forbidden', code, MESSAGES[code]);
  }
}

/** The cleanup job removed the uploaded blobs before the request attached them: the request took too long. */
export class UploadExpiredError extends UnavailableError {
  constructor(cause: unknown) {
    super('upload_expired', 'The uploaded files expired. Send the request again.', 1, cause);
  }
}
