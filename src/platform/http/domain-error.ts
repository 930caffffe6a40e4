/** What went wrong, in the service's own terms. The one place that knows HTTP, the error filter, maps it to a status. */
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

/** Faults that an answer lists; its total counts them all. */
export const MAX_LISTED_ERRORS = 1_000;

/** One fault in what a caller sent, with its place. */
export interface FieldError {
  /** Path of the field in the body or query, such as `assets[0].columns[2].type`. */
  field?: string;
  /** Stable machine code. */
  code: string;
  /** For people: what is wrong, and what is allowed. */
  message: string;
}

export interface ErrorDetails {
  /** All errors found, also those beyond the ones listed. */
  total?: number;
  /** The errors, with their places. */
  errors?: readonly FieldError[];
  /** The limit that was passed, and by how much. */
  limit?: number;
  actual?: number;
}

interface DomainErrorOptions {
  /** For the caller, beside the message. */
  details?: ErrorDetails;
  /** Response headers such as `Retry-After` or `WWW-Authenticate`. */
  headers?: Record<string, string>;
  /** For the log alone; never sent. */
  detail?: string;
  cause?: unknown;
}

/**
 * An error whose message may be read by the caller. `code` is stable and machine-readable; `detail` is for the log.
 * Modules derive their own in `*.errors.ts`.
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

/** An error's details, where it is one field of a body or query that is at fault. */
export function fieldErrorDetails(field: string | undefined, code: string, message: string): DomainErrorOptions {
  return field === undefined ? {} : { details: { total: 1, errors: [{ field, code, message }] } };
}

/** What was asked for is not there, or not the caller's: both answer alike. */
export class NotFoundError extends DomainError {
  /** @param field that names it, where it is no parameter of the path. */
  constructor(what: string, field?: string) {
    const message = `${what} was not found.`;
    super('not_found', 'not_found', message, fieldErrorDetails(field, 'not_found', message));
  }
}

/** The request has the wrong shape. Lists every fault at once. */
export class InvalidRequestError extends DomainError {
  constructor(errors: readonly FieldError[], message = 'The request is not valid.') {
    super('malformed', 'invalid_request', message, {
      details: { total: errors.length, errors: errors.slice(0, MAX_LISTED_ERRORS) },
    });
  }
}

/** A field or parameter that there is not. */
export function unknownField(field: string): FieldError {
  return { field, code: 'unknown_field', message: `${field} is not known here` };
}

/** The service cannot take this now; the same request may succeed after `retryAfterS` seconds. */
export class UnavailableError extends DomainError {
  constructor(code: string, message: string, retryAfterS = 1, cause?: unknown) {
    super('unavailable', code, message, { headers: { 'Retry-After': String(retryAfterS) }, cause });
  }
}

/** The body is of a kind this route does not take. */
export class UnsupportedMediaTypeError extends DomainError {
  constructor(message: string) {
    super('unsupported_media_type', 'unsupported_media_type', message);
  }
}
