import { randomInt } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { closeAfterUnreadBody, limitUnreadBody } from '../body/body-timeouts.js';
import type { Config } from '../config/config.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { newRequestId, setTraceId, validRequestId } from '../http/middleware.js';
import { areDocumentsPublic } from '../http/served-ports.js';
import { hasBody } from '../body/request-body-reader.js';
import { bodyBytes } from './request-class.js';

/** Longest `Retry-After`, in seconds. */
const MAX_RETRY_AFTER_S = 3;

/** A larger body is not read to its end: the connection closes. */
const MAX_DISCARDED_BYTES = 1024 * 1024;

const { code: CODE, message: MESSAGE } = HTTP_ERRORS.overloaded;

/** The response 503 `overloaded`, as the error filter would send it. */
export class Rejection {
  private readonly corsOrigins: ReadonlySet<string>;
  private readonly headers: Readonly<Record<string, string>>;

  constructor({ http }: Config) {
    this.corsOrigins = new Set(http.corsOrigins);
    this.headers = areDocumentsPublic(http) ? { Link: `<${http.publicUrl}/guide/errors#${CODE}>; rel="help"` } : {};
  }

  send(request: IncomingMessage, response: ServerResponse): void {
    const requestId = validRequestId(request) ?? newRequestId();
    const error = { status: 503, message: MESSAGE, timestamp: Date.now(), error: CODE, requestId };
    const body = JSON.stringify(error);
    if (hasBody(request)) this.discardBody(request, response);
    const { origin } = request.headers;
    if (origin !== undefined && this.corsOrigins.has(origin)) {
      response.setHeader('Access-Control-Allow-Origin', origin);
      response.setHeader('Access-Control-Expose-Headers', 'X-Request-Id,X-Trace-Id,Retry-After,Link');
      response.setHeader('Vary', 'Origin');
    }
    setTraceId(response);
    response.writeHead(503, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      // Random, so that the rejected callers do not all return at the same moment.
      'Retry-After': randomInt(1, MAX_RETRY_AFTER_S + 1),
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      ...this.headers,
    });
    response.end(body);
  }

  /** Node reads and discards the rest of a body, so that the connection can be used again. */
  private discardBody(request: IncomingMessage, response: ServerResponse): void {
    if (request.headers['content-length'] === undefined || bodyBytes(request) > MAX_DISCARDED_BYTES)
      closeAfterUnreadBody(request, response);
    else limitUnreadBody(request, response);
  }
}
