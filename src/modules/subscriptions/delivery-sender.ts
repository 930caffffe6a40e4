import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as sendHttp } from 'node:http';
import { Agent as HttpsAgent, request as sendHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import type { NameResolver } from './name-resolver.js';
import type { NetworkPolicy } from './network-policy.js';
import { listenOnce, settleByEvents } from '../../platform/listeners.js';

/** Bytes of a response that are read at most, so that its connection can be reused. */
const MAX_READ_BYTES = 64 * 1024;

/** Bytes of a response that are stored. */
const STORED_BYTES = 1024;

/** How long the rest of a response may take after its status, which decides, in milliseconds. */
const BODY_MS = 1_000;

/** Codes of the errors of a connection that the receiver has closed. */
const CLOSED_CODES = ['ECONNRESET', 'EPIPE'];

/** Interim responses (1xx) that a receiver may send before its response. */
const MAX_INTERIM = 10;

/** Idle connections to all receivers of one protocol: each needs a file descriptor of the process. */
const MAX_IDLE_CONNECTIONS = 100;

/** How a receiver answered. */
export interface ReceiverResponse {
  status: number;
  /** The first KiB. */
  body: string;
  /** Seconds that the receiver asks to wait. */
  retryAfterS?: number;
}

/** Sends requests to receivers. Redirects are not followed; connections to checked addresses are reused. */
export class DeliverySender {
  private readonly agents;

  constructor(
    private readonly policy: NetworkPolicy,
    private readonly names: NameResolver,
    private readonly timeoutMs: number,
  ) {
    const options = { keepAlive: true, timeout: timeoutMs, lookup: policy.createLookup(names) };
    const [http, https] = [new HttpAgent(options), new HttpsAgent(options)];
    for (const agent of [http, https]) limitIdleConnections(agent);
    this.agents = { 'http:': http, 'https:': https };
  }

  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
    this.names.close();
  }

  /**
   * @param stopping aborts when the instance stops.
   * @throws Error if no response was received in time, or the receiver has a forbidden address.
   */
  async send(
    url: string,
    headers: Record<string, string>,
    body: string,
    stopping: AbortSignal,
  ): Promise<ReceiverResponse> {
    const target = new URL(url);
    this.policy.requireAllowedHost(target);
    // Not AbortSignal.timeout: as a part of AbortSignal.any, it may be removed from memory before it fires
    // (nodejs/node#57736).
    const limit = new AbortController();
    const abort = (): void => limit.abort();
    let timer = setTimeout(abort, this.timeoutMs);
    const endListening = listenOnce(stopping, 'abort', abort);
    if (stopping.aborted) abort();
    try {
      const response = await this.request(target, headers, body, limit.signal);
      clearTimeout(timer);
      timer = setTimeout(abort, BODY_MS);
      const retryAfterS = parseRetryAfter(response.headers['retry-after']);
      return { status: response.statusCode!, body: await readStart(response), retryAfterS };
    } catch (error) {
      throw limit.signal.aborted ? toAbortError(stopping, this.timeoutMs) : error;
    } finally {
      clearTimeout(timer);
      endListening();
    }
  }

  /**
   * Sends a request, and sends it again if the receiver closes a reused connection before it has responded. The promise
   * always settles when the signal aborts.
   */
  private request(
    target: URL,
    headers: Record<string, string>,
    body: string,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const isHttps = target.protocol === 'https:';
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      agent: this.agents[isHttps ? 'https:' : 'http:'],
      signal,
    };
    return settleByEvents((on, resolve, reject) => {
      const request = isHttps ? sendHttps(target, options) : sendHttp(target, options);
      on(request, 'response', (response: IncomingMessage) => {
        endWithResponse(request, response);
        resolve(response);
      });
      // Node also reports the errors of the connection while the response is read: `readStart` handles those.
      on(request, 'error', (error: NodeJS.ErrnoException) => {
        if (request.reusedSocket && CLOSED_CODES.includes(error.code ?? '') && !signal.aborted)
          resolve(this.request(target, headers, body, signal));
        else reject(error);
      });
      // Status 101. The connection is no longer one of HTTP, so Node does not end the response.
      on(request, 'upgrade', (response: IncomingMessage, socket: Duplex) => {
        socket.destroy();
        resolve(response.destroy());
      });
      let interim = 0;
      on(request, 'information', () => {
        if (++interim > MAX_INTERIM) request.destroy(new Error(`More than ${MAX_INTERIM} interim responses`));
      });
      // A request may close without an error or a response.
      on(request, 'close', () => reject(new Error('The receiver closed the connection without a response')));
      on(signal, 'abort', () => reject(new Error('The attempt ended')));
      request.end(body);
    });
  }
}

/** Ends a request whose receiver has responded before it has read the request: its connection is not reused. */
function endWithResponse(request: ClientRequest, response: IncomingMessage): void {
  listenOnce(response, 'close', () => {
    if (!request.writableFinished) request.destroy();
  });
}

/** `maxFreeSockets` of the agent limits the idle connections to each receiver, not to all. */
function limitIdleConnections(agent: HttpAgent): void {
  // The types lack that the function returns whether the connection remains open.
  const keepAlive = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  agent.keepSocketAlive = (socket) => {
    const idle = Object.values(agent.freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
    return idle < MAX_IDLE_CONNECTIONS && keepAlive(socket);
  };
}

function toAbortError(stopping: AbortSignal, timeoutMs: number): Error {
  return new Error(stopping.aborted ? 'The instance stopped' : `No response within ${timeoutMs / 1_000} s`);
}

/**
 * The first bytes as text that PostgreSQL can store. A body that is too long or ends early is cut: the status decides.
 */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (size < STORED_BYTES) chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_READ_BYTES) break;
    }
  } catch {
    // The body took too long, or the receiver closed the connection.
  }
  return Buffer.concat(chunks).subarray(0, STORED_BYTES).toString().replaceAll('\0', '\ufffd');
}

/** Seconds from `Retry-After`: a number or a date (RFC 9110, section 10.2.3). */
function parseRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}
