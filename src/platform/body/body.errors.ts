import { DomainError, fieldErrorDetails, InvalidRequestError } from '../http/domain-error.js';

/** A file of a request as its sender knows it. */
export interface FileReference {
  /** Such as `files[3]`. */
  field: string;
  /** Safe to display. */
  filename: string;
}

export class TooManyFilesError extends DomainError {
  constructor(limit: number, actual: number) {
    const message = `The request has ${actual} files; the limit is ${limit}. Send the others in another request.`;
    const errors = [{ field: 'files', code: 'too_many_files', message }];
    super('malformed', 'too_many_files', message, { details: { total: 1, errors, limit, actual } });
  }
}

export class EmptyFileError extends DomainError {
  constructor({ field, filename }: FileReference) {
    const message = `The file "${filename}" is empty. Send a file with content, or omit it.`;
    super('malformed', 'empty_file', message, fieldErrorDetails(field, 'empty_file', message));
  }
}

export class FileTooLargeError extends DomainError {
  /** @param actual bytes of the file if known. */
  constructor({ field, filename }: FileReference, limit: number, actual?: number) {
    const size = actual === undefined ? '' : ` has ${actual} bytes and`;
    const message = `The file "${filename}"${size} exceeds the limit of ${limit} bytes per file. Send a smaller file.`;
    const errors = [{ field, code: 'file_too_large', message }];
    super('too_large', 'file_too_large', message, { details: { total: 1, errors, limit, actual } });
  }
}

export class UnsupportedFileTypeError extends DomainError {
  /** @param detected the type of the content. @param accepted the accepted types; both for people. */
  constructor({ field, filename }: FileReference, detected: string, accepted: string) {
    const message = `The content of the file "${filename}" is ${detected}, which is not accepted. Accepted: ${accepted}.`;
    const details = fieldErrorDetails(field, 'unsupported_file_type', message);
    super('unsupported_media_type', 'unsupported_file_type', message, details);
  }
}

/** A form that cannot be parsed, or whose fields are invalid. */
export class MalformedFormError extends InvalidRequestError {
  constructor(message: string, field = '') {
    super([{ field: field.slice(0, 100), code: 'malformed_form', message }], message);
  }
}

export class FormTooLargeError extends DomainError {
  /** @param what subject and verb, such as `All fields together exceed`. @param actual bytes if known. */
  constructor(what: string, limit: number, actual?: number) {
    super('too_large', 'too_large', `${what} the limit of ${limit} bytes. Send less in one request.`, {
      details: { limit, actual },
    });
  }
}

export class BodyTooLargeError extends DomainError {
  /** @param actual bytes of the body if known. @param advice a sentence that states what to do instead. */
  constructor(limit: number, actual?: number, advice = 'Send less in one request.') {
    const size = actual === undefined ? '' : ` has ${actual} bytes and`;
    const message = `The body${size} exceeds the limit of ${limit} bytes of this route. ${advice}`;
    super('too_large', 'too_large', message, { details: { limit, actual } });
  }
}

/** The sender disconnected or stopped before the end of the body. */
export class IncompleteBodyError extends DomainError {
  constructor() {
    super('malformed', 'incomplete_body', 'The body ended before it was complete. Send the request again.');
  }
}
