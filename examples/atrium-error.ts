import type { ErrorBody, Fault } from './contract.js';

/** The service answered, and the answer is a failure. */
export class AtriumError extends Error {
  private constructor(
    message: string,
    readonly status: number,
    /** Stable machine code, for example `invalid_rows`. */
    readonly code: string,
    /** Names this request in the service's log. */
    readonly requestId: string | undefined,
    readonly errors: Fault[],
    readonly totalFaults: number,
    /** Seconds to wait before the next try, where the service asks for that. */
    readonly retryAfter: number | undefined,
  ) {
    super(message);
  }

  /** Reads the one error shape; whatever else stands between (a proxy, say) may answer in another, which is kept too. */
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

/** No answer came: nothing listens there, or the connection broke. `address` is where it was looked for. */
export class UnreachableError extends Error {
  constructor(
    readonly address: string,
    options: { cause: unknown },
  ) {
    super(`No answer from ${address} (${reasonOf(options.cause)}).`, options);
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

/** `fetch` only says "fetch failed"; the reason is in the cause of its error. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  const { code, message } = cause as { code?: string; message?: string };
  return code ?? message ?? String(cause);
}
