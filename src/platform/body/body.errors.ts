import { DomainError, InvalidRequestError } from '../../../packages/errors/src/domain-error.js';
import { ALL_REQUESTS, defineErrors } from '../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';

export const BODY_ERRORS = defineErrors(ALL_REQUESTS, {
  malformed_form: {
    meaning: 'A part of the form has the wrong name, boundary or size, or the form exceeds the limit of its fields.',
    remedy: 'Let an HTTP library write the form, and send files in `files`.',
  },
  incomplete_body: {
    kind: 'malformed',
    message: 'The body ended before it was complete. Send the request again.',
    meaning: 'The sender disconnected or sent fewer bytes than `Content-Length`.',
    remedy: 'Send the request again.',
  },
  invalid_base64: {
    meaning: 'The content of a file in JSON is not base64: the text contains other characters, or a data URL prefix.',
    remedy: 'Encode the bytes as base64, or send the file in a form.',
  },
  empty_file: {
    kind: 'malformed',
    message: 'The file "valve.jpg" is empty. Send a file with content, or omit it.',
    meaning: 'A file has no content, or was not written completely before the upload.',
    remedy: 'Send a file with content, or omit it.',
  },
  file_too_large: {
    kind: 'too_large',
    message: 'The file "valve.jpg" exceeds the limit of 26214400 bytes per file. Send a smaller file.',
    meaning: 'A file exceeds the limit per file; `details` contains the limit.',
    remedy: 'Send a smaller file.',
  },
  too_many_files: {
    kind: 'malformed',
    message: 'The request has 11 files; the limit is 10. Send the others in another request.',
    meaning:
      'The request contains too many files (at most ten, and for a virtual staging exactly one), or the note would have more than 100.',
    remedy: 'Send the other files in another request, or with a message of the note.',
  },
  unsupported_file_type: {
    kind: 'unsupported_media_type',
    message: 'The content of the file "valve.svg" is SVG, which is not accepted. Accepted: images.',
    meaning:
      'The content of a file is not accepted. The bytes decide, not the name: SVG, HTML, archives and unknown formats are rejected.',
    remedy: 'Send an image, audio, video or PDF file.',
  },
});

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
    super(BODY_ERRORS.too_many_files, message, { field: 'files', details: { limit, actual } });
  }
}

export class EmptyFileError extends DomainError {
  constructor({ field, filename }: FileReference) {
    const message = `The file "${filename}" is empty. Send a file with content, or omit it.`;
    super(BODY_ERRORS.empty_file, message, { field });
  }
}

export class FileTooLargeError extends DomainError {
  constructor({ field, filename }: FileReference, limit: number) {
    const message = `The file "${filename}" exceeds the limit of ${limit} bytes per file. Send a smaller file.`;
    super(BODY_ERRORS.file_too_large, message, { field, details: { limit } });
  }
}

export class UnsupportedFileTypeError extends DomainError {
  /** @param detected the type of the content. @param accepted the accepted types; both for people. */
  constructor({ field, filename }: FileReference, detected: string, accepted: string) {
    const message = `The content of the file "${filename}" is ${detected}, which is not accepted. Accepted: ${accepted}.`;
    super(BODY_ERRORS.unsupported_file_type, message, { field });
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
    super(HTTP_ERRORS.too_large, `${what} the limit of ${limit} bytes. Send less in one request.`, {
      details: { limit, actual },
    });
  }
}

export class BodyTooLargeError extends DomainError {
  /** @param actual bytes of the body if known. @param advice a sentence that states what to do instead. */
  constructor(limit: number, actual?: number, advice = 'Send less in one request.') {
    const size = actual === undefined ? '' : ` has ${actual} bytes and`;
    const message = `The body${size} exceeds the limit of ${limit} bytes of this route. ${advice}`;
    super(HTTP_ERRORS.too_large, message, { details: { limit, actual } });
  }
}

/** The sender disconnected or stopped before the end of the body. */
export class IncompleteBodyError extends DomainError {
  constructor() {
    super(BODY_ERRORS.incomplete_body);
  }
}
