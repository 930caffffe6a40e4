import { AtriumError, ConnectionError, isLost, NotFoundError, RedirectError, toError } from './errors.js';
import { sleep } from './sleep.js';
import { getSourceError } from './byte-stream.js';

/** Bodies that can be sent again, and streams, which cannot. */
export type Body = string | Uint8Array<ArrayBuffer> | Blob | FormData | ReadableStream<Uint8Array>;

export interface Call {
  method: string;
  headers?: Headers | Record<string, string>;
  /** A function returns the body of each attempt. */
  body?: Body | (() => Promise<Body>) | undefined;
  signal?: AbortSignal | undefined;
  /** Returns the response as soon as its headers are received; by default its body is read first. */
  stream?: boolean;
  /** Replaces the generated key of a POST. */
  idempotencyKey?: string | undefined;
  /** A file, whose transfer and import may take longer than any fixed time. */
  isFile?: boolean;
  /** Begins a session. After each 502 and 504 one of the ten sessions of a user may remain unused. */
  isSignIn?: boolean;
}

export interface TransportOptions {
  baseUrl: string;
  /** Attempts of a request that the service rejects with 429 or 503, or that receives no response. 8 by default. */
  maxAttempts?: number;
  /** The longest `Retry-After` in seconds that is waited for; a longer one ends the call. 60 by default. */
  maxRetryAfter?: number;
  /** Limit for one attempt in milliseconds, until the headers for streams. 120,000 by default. */
  timeoutMs?: number;
  /** Ends all requests and the pauses between their attempts. */
  signal?: AbortSignal;
  fetch?: typeof fetch;
  /** Receives each attempt that is repeated. */
  onRetry?: (error: Error, attempt: number, delayMs: number) => void;
}

/** Adds credentials to requests. */
export interface Authorization {
  headers(): Promise<Record<string, string>>;
  /** Replaces the credentials that the service rejected. Absent if they cannot be replaced. */
  renew?(rejected: Record<string, string>): Promise<void>;
  /** Ends the session. Absent if there is none. */
  signOut?(): Promise<void>;
}

/**
 * Without these two, fetch of Node clones the request for redirects, and the clone collects the whole stream in memory
 * (`httpNetworkOrCacheFetch` of undici).
 */
const STREAMED = { duplex: 'half', redirect: 'error', window: null } as const;
/** Redirects of one request within the origin of the service. */
const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
/**
 * A client may send the body of a POST again only after these statuses; after the others it sends a GET (RFC 9110,
 * section 15.4).
 */
const REPEATING_REDIRECTS = [307, 308];
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8_000;
/** Restarts of the service take seconds: 0.25 + 0.5 + 1 + 2 + 4 + 8 + 8 seconds with 8 attempts. */
const MAX_ATTEMPTS = 8;
/** POST requests for which the service ignores `Idempotency-Key`, and which have an effect. */
const WITHOUT_KEY =
  /\/workspaces\/[^/]+\/(?:subscriptions|api-keys)(?:[/?]|$)|\/api\/oauth2\/|\/scim\/v2\/|\/mcp(?:\?|$)/;
/** Of sign-ins after lost responses, with longer pauses. */
const MAX_LOST_SIGN_INS = 2;
const SIGN_IN_DELAY_MS = 2_000;
const MAX_LEASE_MS = 180_000;

/** Sends requests, with retries that cannot store anything twice. */
export class Transport {
  readonly baseUrl: string;
  // The options of the client contain its credentials.
  readonly #options: TransportOptions;
  readonly #fetch: typeof fetch;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.baseUrl = options.baseUrl.replace(/\/+$/, '');
    // Browsers reject calls of fetch() with another receiver than the global object.
    this.#fetch = options.fetch ?? ((...request) => fetch(...request));
  }

  /**
   * @param path a path with its query, or a URL with the origin of `baseUrl`
   * @param authorization absent for requests without credentials
   * @throws {AtriumError | ConnectionError | RedirectError} and the reason of the signal, if it is aborted
   */
  async send(path: string, call: Call, authorization?: Authorization): Promise<Response> {
    return this.sendUntil({ ...call, signal: this.combine(call.signal) }, this.toUrl(path), authorization);
  }

  private combine(signal: AbortSignal | undefined): AbortSignal | undefined {
    const { signal: ofClient } = this.#options;
    return ofClient && signal && ofClient !== signal ? AbortSignal.any([ofClient, signal]) : (signal ?? ofClient);
  }

  private async sendUntil(call: Call, url: string, authorization?: Authorization): Promise<Response> {
    const headers = new Headers(call.headers);
    if (call.method === 'POST' && !WITHOUT_KEY.test(url) && !headers.has('idempotency-key'))
      headers.set('idempotency-key', call.idempotencyKey ?? crypto.randomUUID());
    const startedAt = Date.now();
    let isRenewed = false;
    let lost = 0;
    for (let attempt = 1; ; attempt++) {
      const credentials = (await authorization?.headers()) ?? {};
      for (const [name, value] of Object.entries(credentials)) headers.set(name, value);
      try {
        return await this.attempt(url, call, headers);
      } catch (error) {
        if (isExpired(error) && authorization?.renew && !isRenewed && isRepeatable(call.body)) {
          isRenewed = true;
          await authorization.renew(credentials);
          continue;
        }
        if (lost > 0 && call.method === 'DELETE' && error instanceof NotFoundError)
          error.message += ' An earlier attempt, whose response was lost, may have deleted it.';
        const isSignIn = call.isSignIn === true && error instanceof AtriumError && lost < MAX_LOST_SIGN_INS;
        const mayRepeat = !isLost(error) || isSignIn || hasNoEffectTwice(call.method, url, headers);
        const delayMs = mayRepeat ? this.computeDelay(error, attempt, Date.now() - startedAt, call) : undefined;
        if (delayMs === undefined) throw error;
        if (isLost(error)) lost++;
        this.#options.onRetry?.(error as Error, attempt, delayMs);
        await sleep(delayMs, call.signal);
      }
    }
  }

  /** @throws {Error} if the request, with its credentials, would reach another origin. */
  private toUrl(path: string): string {
    if (path.startsWith('/')) return this.baseUrl + path;
    if (URL.canParse(path) && new URL(path).origin === new URL(this.baseUrl).origin) return path;
    throw new Error(`"${path}" must begin with "/", or be a URL of ${this.baseUrl}.`);
  }

  /**
   * Follows redirects only within the origin of the service: `fetch` would send API keys, client secrets and bodies to
   * other origins.
   *
   * @throws {RedirectError}
   */
  private async fetchInOrigin(url: string, init: RequestInit): Promise<Response> {
    let address = url;
    for (let count = 0; ; count++) {
      const response = await this.#fetch(address, { ...init, redirect: 'manual' });
      // A browser does not report the target of a redirect.
      if (response.type === 'opaqueredirect') throw new RedirectError(this.baseUrl);
      const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null;
      if (location === null) return response;
      await response.body?.cancel();
      const target = new URL(location, address);
      const isRead = init.method === 'GET' || init.method === 'HEAD';
      const mayRepeat = isRead || REPEATING_REDIRECTS.includes(response.status);
      if (!mayRepeat || count === MAX_REDIRECTS || target.origin !== new URL(url).origin)
        throw new RedirectError(this.baseUrl, target.href);
      address = target.href;
    }
  }

  private async attempt(url: string, call: Call, headers: Headers): Promise<Response> {
    const limit = new AbortController();
    const timeoutMs = this.#options.timeoutMs ?? 120_000;
    const timer =
      isRepeatable(call.body) && !call.isFile
        ? setTimeout(() => {
            limit.abort(new Error(`no response within ${timeoutMs / 1000} s`));
          }, timeoutMs)
        : undefined;
    const body = typeof call.body === 'function' ? await call.body() : call.body;
    try {
      const signal = call.signal ? AbortSignal.any([call.signal, limit.signal]) : limit.signal;
      const init = { method: call.method, headers, body: body ?? null, signal };
      const response = await (body instanceof ReadableStream
        ? this.#fetch(url, { ...init, ...STREAMED })
        : this.fetchInOrigin(url, init));
      if (!response.ok && response.status !== 304) throw toError(response, await readText(response, signal));
      return call.stream ? this.toStreamed(response, call.signal) : await readBody(response, signal);
    } catch (error) {
      if (error instanceof AtriumError || error instanceof RedirectError || call.signal?.aborted) throw error;
      const sourceError = getSourceError(body);
      if (sourceError) throw sourceError;
      throw new ConnectionError(this.baseUrl, { cause: limit.signal.aborted ? limit.signal.reason : error });
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * A response whose body fails with a `ConnectionError` if the connection breaks. A signal ends it, for the reason of
   * `readText`.
   */
  private toStreamed(response: Response, signal: AbortSignal | undefined): Response {
    if (!response.body) return response;
    const toFailure = (cause: unknown) =>
      signal?.aborted ? cause : new ConnectionError(this.baseUrl, { cause }, 'incomplete');
    const body: ReadableStream<Uint8Array> = signal
      ? response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal })
      : response.body;
    const reader = body.getReader();
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(toFailure(error));
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
    return new Response(stream, { status: response.status, headers: response.headers });
  }

  /** @returns undefined if another attempt would not help */
  private computeDelay(error: unknown, attempt: number, elapsedMs: number, call: Call): number | undefined {
    if (!isRepeatable(call.body)) return undefined;
    // The file was received: the caller can await its import without sending it again.
    if (isInFlight(error) && typeof call.body === 'function') return undefined;
    // Its first attempt may run, or its instance was terminated and the lease expires.
    const isLastAttempt = isInFlight(error)
      ? elapsedMs > MAX_LEASE_MS
      : attempt >= (this.#options.maxAttempts ?? MAX_ATTEMPTS);
    if (isLastAttempt) return undefined;
    const firstMs = call.isSignIn && isLost(error) ? SIGN_IN_DELAY_MS : FIRST_DELAY_MS;
    const backOffMs = Math.min(MAX_DELAY_MS, firstMs * 2 ** (attempt - 1));
    // A random share, so that clients that were rejected together do not return together.
    const jitterMs = backOffMs * Math.random() * 0.5;
    if (error instanceof AtriumError) {
      const isTemporary = [429, 502, 503, 504].includes(error.status) || isInFlight(error);
      const { retryAfter } = error;
      if (!isTemporary || (retryAfter ?? 0) > (this.#options.maxRetryAfter ?? 60)) return undefined;
      return (retryAfter === undefined ? backOffMs : retryAfter * 1000) + jitterMs;
    }
    return error instanceof ConnectionError ? backOffMs + jitterMs : undefined;
  }
}

/** May a request be sent again although the service may have processed it? */
function hasNoEffectTwice(method: string, url: string, headers: Headers): boolean {
  if (method === 'POST') return headers.has('idempotency-key') && !WITHOUT_KEY.test(url);
  // A repeated request with a condition would be rejected because of its first attempt.
  if (method === 'PUT' || method === 'DELETE') return !headers.has('if-match') && !headers.has('if-none-match');
  return method === 'GET' || method === 'HEAD';
}

function isRepeatable(body: Call['body']): boolean {
  return !(body instanceof ReadableStream);
}

function isInFlight(error: unknown): boolean {
  return error instanceof AtriumError && error.code === 'idempotency_key_in_flight';
}

function isExpired(error: unknown): boolean {
  return error instanceof AtriumError && error.status === 401;
}

/** Reads the body within the attempt, so that a connection that breaks meanwhile counts as a lost response. */
async function readBody(response: Response, signal: AbortSignal): Promise<Response> {
  const body = [204, 304].includes(response.status) ? null : await readText(response, signal);
  return new Response(body, { status: response.status, headers: response.headers });
}

/**
 * The text of the body. If a signal is aborted when the body is received but not read completely, fetch of Node 20
 * neither ends nor rejects it (nodejs/undici#4089).
 */
function readText(response: Response, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    void response
      .text()
      .then(resolve, reject)
      .finally(() => {
        signal.removeEventListener('abort', abort);
      });
  });
}
