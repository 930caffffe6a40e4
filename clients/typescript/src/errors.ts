import type { ErrorCode } from './error-codes.js';
import type { RowError } from './models.js';

/** The body of an error response. */
interface ErrorBody {
  message?: string;
  error?: ErrorCode;
  requestId?: string;
  details?: ErrorDetails;
}

export interface ErrorDetails {
  /** The number of all errors; `errors` has the first ones. */
  total?: number;
  errors?: RowError[];
  summary?: { code: string; column?: string | null; count: number }[];
  [name: string]: unknown;
}

/** The service returned an error. Subclasses exist for the kinds that programs handle differently. */
export class AtriumError extends Error {
  override readonly name: string = 'AtriumError';
  readonly status: number;
  readonly code: ErrorCode;
  /** The ID of the request in the log of the service. */
  readonly requestId: string | undefined;
  readonly details: ErrorDetails;
  /** Seconds to wait before another attempt, if the service sent `Retry-After`. */
  readonly retryAfter: number | undefined;
  readonly headers: Headers;

  constructor(
    response: Pick<Response, 'status' | 'statusText' | 'headers'>,
    /** The body of the response, as it was received. */
    readonly body: string,
  ) {
    const parsed = parseErrorBody(body);
    super(parsed.message ?? (body.slice(0, 200) || response.statusText || `Status ${response.status}`));
    this.status = response.status;
    this.headers = response.headers;
    this.code = parsed.error ?? 'unknown';
    this.requestId = parsed.requestId ?? response.headers.get('x-request-id') ?? undefined;
    this.details = parsed.details ?? {};
    this.retryAfter = parseRetryAfter(response.headers.get('retry-after'));
  }
}

/** 401: the credentials or the session are not valid. */
export class AuthenticationError extends AtriumError {
  override readonly name = 'AuthenticationError';
}

/** 403: the caller is not allowed to do this. */
export class PermissionError extends AtriumError {
  override readonly name = 'PermissionError';
}

/** 404: the record, table or row does not exist, or belongs to another workspace. */
export class NotFoundError extends AtriumError {
  override readonly name = 'NotFoundError';
}

/** 409: the request conflicts with stored data. */
export class ConflictError extends AtriumError {
  override readonly name = 'ConflictError';
}

/** 412: the record or row has another version than `If-Match`. */
export class VersionMismatchError extends AtriumError {
  override readonly name = 'VersionMismatchError';
}

/** 422: rows or their columns are not valid. Nothing of the request was stored. */
export class InvalidRowsError extends AtriumError {
  override readonly name = 'InvalidRowsError';
  /** The first errors; `details.total` counts all of them. `index` counts the rows of the call from 0. */
  get rows(): RowError[] {
    return this.details.errors ?? [];
  }
}

/** 429: too many requests. `retryAfter` is the time in seconds until the next one is accepted. */
export class RateLimitedError extends AtriumError {
  override readonly name = 'RateLimitedError';
}

/** 503: the service cannot process the request at present. Nothing was stored. */
export class UnavailableError extends AtriumError {
  override readonly name = 'UnavailableError';
}

/**
 * No response was received: nothing listens at the address, the connection broke, or the time limit was reached. Or a
 * stream ended before its end.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(
    readonly address: string,
    options: { cause: unknown },
    received: 'nothing' | 'incomplete' = 'nothing',
  ) {
    const cause = describeCause(options.cause);
    super(
      received === 'nothing'
        ? `No response from ${address} (${cause}).`
        : `The response of ${address} is not complete (${cause}). Repeat the request.`,
      options,
    );
  }
}

/** Is it unknown whether the service has processed the request? Gateways send 502 and 504 instead of its response. */
export function isLost(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof AtriumError && [502, 504].includes(error.status));
}

/** The service redirects to another address. The request, its credentials and its body were not sent there. */
export class RedirectError extends Error {
  override readonly name = 'RedirectError';

  /** @param location absent in browsers, which do not report it. */
  constructor(
    readonly address: string,
    readonly location?: string,
  ) {
    super(
      `${address} redirects to ${location ?? 'another address'}. Credentials are sent only to the base URL; change it if the service has moved.`,
    );
  }
}

const BY_STATUS: Record<number, typeof AtriumError> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: VersionMismatchError,
  429: RateLimitedError,
  503: UnavailableError,
};
const ROW_CODES = new Set<ErrorCode>(['invalid_rows', 'invalid_columns', 'invalid_header', 'column_type_conflict']);

/** The error of a response that is not a success. */
export function toError(response: Response, text: string): AtriumError {
  const error = new AtriumError(response, text);
  const Kind = ROW_CODES.has(error.code) ? InvalidRowsError : BY_STATUS[response.status];
  return Kind ? new Kind(response, text) : error;
}

/** The body may be the text of a proxy. */
function parseErrorBody(text: string): ErrorBody {
  try {
    const body = JSON.parse(text) as ErrorBody | null;
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

/** `Retry-After` is a number of seconds or an HTTP date (RFC 9110, section 10.2.3). */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** The message of `fetch` is always "fetch failed"; its cause contains the reason. */
function describeCause(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  const { code, message } = cause as { code?: unknown; message?: string };
  return typeof code === 'string' ? code : (message ?? String(cause));
}
