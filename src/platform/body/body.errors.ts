import { DomainError, InvalidRequestError } from '../http/domain-error.js';

/** A file among those of a request, as its sender knows it. */
export interface FileReference {
  /** Such as `files[3]`. */
  field: string;
  /** Safe to show. */
  filename: string;
}

export class TooManyFilesError extends DomainError {
  constructor(limit: number, actual: number) {
    const message = `At most ${limit} files are taken at once; send the others with another request.`;
    const errors = [{ field: 'files', code: 'too_many_files', message }];
    super('malformed', 'too_many_files', message, { details: { total: 1, errors, limit, actual } });
  }
}

export class EmptyFileError extends DomainError {
  constructor({ field, filename }: FileReference) {
    const message = `The file "${filename}" is empty.`;
    super('malformed', 'empty_file', message, {
      details: { total: 1, errors: [{ field, code: 'empty_file', message }] },
    });
  }
}

export class FileTooLargeError extends DomainError {
  /** @param actual bytes of the file, where all of them are known. */
  constructor({ field, filename }: FileReference, limit: number, actual?: number) {
    const size = actual === undefined ? 'is larger' : `has ${actual} bytes`;
    const message = `The file "${filename}" ${size}; a file has at most ${limit} bytes.`;
    const errors = [{ field, code: 'file_too_large', message }];
    super('too_large', 'file_too_large', message, { details: { total: 1, errors, limit, actual } });
  }
}

export class UnsupportedFileTypeError extends DomainError {
  constructor({ field, filename }: FileReference, detected: string, taken: string) {
    const message = `The file "${filename}" is ${detected} by its content; taken are ${taken}.`;
    const errors = [{ field, code: 'unsupported_file_type', message }];
    super('unsupported_media_type', 'unsupported_file_type', message, { details: { total: 1, errors } });
  }
}

/** A form that cannot be read. */
export class MalformedFormError extends InvalidRequestError {
  constructor(message: string, field = '') {
    super([{ field: field.slice(0, 100), code: 'malformed_form', message }], message);
  }
}

/** More fields of text than a body may have. */
export class FormTooLargeError extends DomainError {
  constructor(what: string, limit: number, actual?: number) {
    super('too_large', 'too_large', `${what} at most ${limit} bytes.`, { details: { limit, actual } });
  }
}

/** A body that is longer than its route takes. */
export class BodyTooLargeError extends DomainError {
  /** @param actual bytes of the body if known. @param advice what to do instead; a sentence. */
  constructor(limit: number, actual?: number, advice?: string) {
    const size = actual === undefined ? '' : ` has ${actual} bytes and`;
    const message = `The body${size} exceeds the limit of ${limit} bytes of this route.`;
    super('too_large', 'too_large', advice ? `${message} ${advice}` : message, { details: { limit, actual } });
  }
}

/** Whoever sent it is gone, or stopped in the middle. */
export class IncompleteBodyError extends DomainError {
  constructor() {
    super('malformed', 'incomplete_body', 'The body ended before it was complete.');
  }
}
