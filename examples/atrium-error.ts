import type { ErrorBody, ErrorDetail } from './contract.js';

/** The service returned an error. */
export class AtriumError extends Error {
  private constructor(
    message: string,
    readonly status: number,
    /** Stable machine code, for example `invalid_rows`. */
    readonly code: string,
    /** The ID of this request in the log of the service. */
    readonly requestId: string | undefined,
    readonly errors: ErrorDetail[],
    readonly totalErrors: number,
    /** Seconds to wait before the next try, if the service sent `Retry-After`. */
    readonly retryAfter: number | undefined,
  ) {
    super(message);
  }

  /** Reads the error format of the service. The text of another format, for example from a proxy, becomes the message. */
  static from(response: Response, text: string): AtriumError {
    const body = parseErrorBody(text);
    return new AtriumError(
      body?.message ?? (text.slice(0, 200) || response.statusText),
      response.status,
      body?.error ?? 'unknown',
      body?.requestId ?? response.headers.get('x-request-id') ?? undefined,
      body?.details?.errors ?? [],
      body?.details?.total ?? body?.details?.errors?.length ?? 0,
      retryAfterSeconds(response.headers.get('retry-after')),
    );
  }
}

/** No response: nothing listens on `address`, or the connection broke. */
export class UnreachableError extends Error {
  constructor(
    readonly address: string,
    options: { cause: unknown },
  ) {
    super(`No response from ${address} (${describeCause(options.cause)}).`, options);
  }
}

function parseErrorBody(text: string): Partial<ErrorBody> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` is a number of seconds or an HTTP date (RFC 9110, section 10.2.3). */
function retryAfterSeconds(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** The message of `fetch` is always "fetch failed"; its cause contains the reason. */
function describeCause(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  const { code, message } = cause as { code?: string; message?: string };
  return code ?? message ?? String(cause);
}
