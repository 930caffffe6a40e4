/** The kind of an error. Only the error filter maps it to an HTTP status. */
export type ErrorKind =
  | 'malformed'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'not_acceptable'
  | 'timeout'
  | 'conflict'
  | 'gone'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'unprocessable'
  | 'too_many_requests'
  | 'unavailable';

/** Errors that a response lists; its `total` counts all. */
export const MAX_LISTED_ERRORS = 1_000;

/** One error of a request. */
export interface FieldError {
  /** Path of the field, such as `assets[0].columns[2].type`. */
  field?: string;
  /** Stable machine-readable code. */
  code: string;
  /** What is wrong and what is allowed, for people. */
  message: string;
}

/** The number of errors of one kind: with the same code and, in rows of a table, the same column. */
export interface ErrorCount {
  code: string;
  column?: string;
  count: number;
}

export interface ErrorDetails {
  /** All errors, including those that are not listed. */
  total?: number;
  errors?: readonly FieldError[];
  /** The number of errors of each kind, for requests with many rows. */
  summary?: readonly ErrorCount[];
  /** The limit that was exceeded. */
  limit?: number;
  /** The value that exceeded it. */
  actual?: number;
}

interface DomainErrorOptions {
  /** For the caller, in addition to the message. */
  details?: ErrorDetails;
  /** Response headers such as `Retry-After` or `WWW-Authenticate`. */
  headers?: Record<string, string>;
  /** Only for the log; never sent. */
  detail?: string;
  cause?: unknown;
}

/**
 * An error whose message is sent to the caller. `code` is stable and machine-readable; `detail` is only logged. Modules
 * derive their own in `*.errors.ts`.
 */
export class DomainError extends Error {
  readonly details?: ErrorDetails;
  readonly headers: Record<string, string>;
  readonly detail?: string;

  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    message: string,
    options: DomainErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.name = new.target.name;
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.detail = options.detail;
  }
}

/** The options of an error in one field; none if the field is undefined. */
export function fieldErrorDetails(field: string | undefined, code: string, message: string): DomainErrorOptions {
  return field === undefined ? {} : { details: { total: 1, errors: [{ field, code, message }] } };
}

/** The resource does not exist or belongs to another workspace; the response is the same. */
export class NotFoundError extends DomainError {
  /**
   * @param what subject of the message, such as `The table`.
   * @param field that names it if the path does not.
   * @param advice a sentence that states what to do.
   */
  constructor(what: string, field?: string, advice = 'Check the ID.') {
    const message = `${what} was not found. ${advice}`;
    super('not_found', 'not_found', message, fieldErrorDetails(field, 'not_found', message));
  }
}

/** The request has the wrong shape. Lists all errors. */
export class InvalidRequestError extends DomainError {
  constructor(errors: readonly FieldError[], message = 'The request is not valid.') {
    super('malformed', 'invalid_request', message, {
      details: { total: errors.length, errors: errors.slice(0, MAX_LISTED_ERRORS) },
    });
  }
}

/** The error for a field or parameter that does not exist. */
export function unknownField(field: string): FieldError {
  return {
    field: field.slice(0, 100),
    code: 'unknown_field',
    message: `"${field.slice(0, 100)}" is not a known field. Omit it.`,
  };
}

/** Temporary failure: the same request may succeed after `retryAfterS` seconds. */
export class UnavailableError extends DomainError {
  constructor(code: string, message: string, retryAfterS = 1, cause?: unknown) {
    super('unavailable', code, message, { headers: { 'Retry-After': String(retryAfterS) }, cause });
  }
}

/** The route does not accept the media type, charset or encoding of the body. */
export class UnsupportedMediaTypeError extends DomainError {
  constructor(message: string) {
    super('unsupported_media_type', 'unsupported_media_type', message);
  }
}
