import type { ErrorDefinition, ErrorKind } from './error-definition.js';
import { HTTP_ERRORS } from './http.errors.js';

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
  /** The field of the request that is wrong, if it is one: the details list the error. */
  field?: string;
  /** For the caller, in addition to the message. */
  details?: ErrorDetails;
  /** Response headers such as `WWW-Authenticate`. */
  headers?: Record<string, string>;
  /** The header `Retry-After`; 1 second for `unavailable`. */
  retryAfterS?: number;
  /** The reason, for the line of the request in the log; never sent. Without secrets and personal data. */
  detail?: string;
  cause?: unknown;
}

/**
 * An error whose message is sent to the caller. The definition has its stable code; `detail` is only logged. Modules
 * define their errors in `*.errors.ts`, and derive a class if callers distinguish the error, or if it is thrown more
 * than once and its message has parameters.
 */
export class DomainError extends Error {
  readonly kind: ErrorKind;
  readonly code: string;
  /** What the caller does next, as docs/reference/errors.md states it. */
  readonly remedy: string;
  readonly details?: ErrorDetails;
  readonly headers: Record<string, string>;
  readonly detail?: string;

  constructor(definition: ErrorDefinition, message = definition.message, options: DomainErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = new.target.name;
    const { kind, code, remedy } = definition;
    const { field, details, headers, retryAfterS = kind === 'unavailable' ? 1 : undefined } = options;
    this.kind = kind;
    this.code = code;
    this.remedy = remedy;
    this.details = field === undefined ? details : { ...toErrorDetails([{ field, code, message }]), ...details };
    this.headers = retryAfterS === undefined ? { ...headers } : { ...headers, 'Retry-After': String(retryAfterS) };
    this.detail = options.detail;
  }
}

/** Details with the first of the errors. @param total all errors, including those that are not passed. */
export function toErrorDetails(errors: readonly FieldError[], total = errors.length): ErrorDetails {
  return { total, errors: errors.slice(0, MAX_LISTED_ERRORS) };
}

/** The resource does not exist or belongs to another workspace; the response is the same. */
export class NotFoundError extends DomainError {
  /**
   * @param what subject of the message, such as `The table`.
   * @param field that names it if the path does not.
   * @param advice a sentence that states what to do.
   */
  constructor(what: string, field?: string, advice = 'Check the ID.') {
    super(HTTP_ERRORS.not_found, `${what} was not found. ${advice}`, { field });
  }
}

/** The request has the wrong shape. Lists all errors. */
export class InvalidRequestError extends DomainError {
  /** @param total all errors, including those that are not passed. */
  constructor(errors: readonly FieldError[], message?: string, total?: number) {
    super(HTTP_ERRORS.invalid_request, message, { details: toErrorDetails(errors, total) });
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
export class UnavailableError extends DomainError {}

/** A disk of the service: that of PostgreSQL, or the one with files and temporary files. */
export type Disk = 'PostgreSQL' | 'DATA_DIR';

export class StorageFullError extends UnavailableError {
  constructor(
    readonly disk: Disk,
    message: string | undefined,
    options: Pick<DomainErrorOptions, 'retryAfterS' | 'cause'>,
  ) {
    super(HTTP_ERRORS.storage_full, message, options);
  }
}

/** The route does not accept the media type, charset or encoding of the body. */
export class UnsupportedMediaTypeError extends DomainError {
  constructor(message: string) {
    super(HTTP_ERRORS.unsupported_media_type, message);
  }
}

/** Valid credentials do not permit the request. The audit log contains these rejections. */
export abstract class AccessDeniedError extends DomainError {
  /** The workspace of the request, if only its record determines it. */
  workspaceId?: string;

  /** What was denied. The audit log contains one rejection per minute of a caller for it. */
  get denied(): string {
    return this.message;
  }
}
