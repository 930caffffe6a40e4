import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as sendHttp } from 'node:http';
import { Agent as HttpsAgent, request as sendHttps } from 'node:https';
import { NetworkPolicy } from './network-policy.js';

/** Bytes of a response that are read at most, and bytes that are stored. */
const MAX_READ_BYTES = 64 * 1024;
const STORED_BYTES = 1024;

/** Codes of errors of a connection that the receiver has closed. */
const CLOSED = ['ECONNRESET', 'EPIPE'];

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
    private readonly timeoutMs: number,
  ) {
    const options = { keepAlive: true, maxFreeSockets: 100, timeout: timeoutMs, lookup: policy.lookup };
    this.agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };
  }

  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  /** @throws Error if no response was received in time, or the receiver has a forbidden address. */
  async send(
    url: string,
    headers: Record<string, string>,
    body: string,
    stopping: AbortSignal,
  ): Promise<ReceiverResponse> {
    const target = new URL(url);
    this.policy.requireAllowedHost(target);
    // Not AbortSignal.timeout: as a part of AbortSignal.any, it may be removed from memory before it fires (nodejs/node#57736).
    const limit = new AbortController();
    const abort = (): void => limit.abort();
    const timer = setTimeout(abort, this.timeoutMs);
    stopping.addEventListener('abort', abort);
    if (stopping.aborted) abort();
    try {
      const response = await this.request(target, headers, body, limit.signal);
      const retryAfterS = parseRetryAfter(response.headers['retry-after']);
      return { status: response.statusCode!, body: await readStart(response), retryAfterS };
    } catch (error) {
      throw limit.signal.aborted ? toTimeout(stopping, this.timeoutMs) : error;
    } finally {
      clearTimeout(timer);
      stopping.removeEventListener('abort', abort);
    }
  }

  /** A reused connection may be closed by the receiver while the request is sent. Then it is sent again with another one. */
  private request(
    target: URL,
    headers: Record<string, string>,
    body: string,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const isHttps = target.protocol === 'https:';
    return new Promise((resolve, reject) => {
      const options = {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        agent: this.agents[isHttps ? 'https:' : 'http:'],
        signal,
      };
      const request: ClientRequest = isHttps ? sendHttps(target, options, resolve) : sendHttp(target, options, resolve);
      request.once('error', (error: NodeJS.ErrnoException) => {
        if (request.reusedSocket && CLOSED.includes(error.code ?? '') && !signal.aborted)
          resolve(this.request(target, headers, body, signal));
        else reject(error);
      });
      request.end(body);
    });
  }
}

function toTimeout(stopping: AbortSignal, timeoutMs: number): Error {
  return new Error(stopping.aborted ? 'The instance stopped' : `No response within ${timeoutMs / 1_000} s`);
}

/** The first bytes as text that PostgreSQL can store. A body that is too long or ends early is cut: the status decides. */
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
    // The request timed out, or the receiver closed the connection.
  }
  return Buffer.concat(chunks).subarray(0, STORED_BYTES).toString().replaceAll('\0', '\ufffd');
}

/** Seconds from `Retry-After`: a number or a date (RFC 9110, section 10.2.3). */
function parseRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}
