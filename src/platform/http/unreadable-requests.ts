import { type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { endAndDrain } from './connections.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import type { Failure } from './error.filter.js';
import { newRequestId, validRequestId } from './middleware.js';
import { listen, listenOnce } from '../listeners.js';

interface Answer {
  status: string;
  error: string;
  message: string;
}

/** The body and the additional headers of an error in the form of a protocol. */
export interface ErrorForm {
  body: object;
  headers: Record<string, string>;
}

/** @returns undefined for the form of the service */
export type FindErrorForm = (path: string, failure: Failure, requestId: string) => ErrorForm | undefined;

/** The answers by the code of Node's error. */
const ANSWERS: ReadonlyMap<string, Answer> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    {
      status: '431 Request Header Fields Too Large',
      error: HTTP_ERRORS.too_large.code,
      message: `The request line and the headers exceed ${maxHeaderSize} bytes. Send long values in the body.`,
    },
  ],
  [
    'HPE_CHUNK_EXTENSIONS_OVERFLOW',
    {
      status: '413 Payload Too Large',
      error: HTTP_ERRORS.too_large.code,
      message: 'The chunk extensions of the body are too long. Send the body without them.',
    },
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    {
      status: '408 Request Timeout',
      error: HTTP_ERRORS.request_timeout.code,
      message: 'The headers were not received in time. Send the request again on a new connection.',
    },
  ],
]);

const MALFORMED: Answer = {
  status: '400 Bad Request',
  error: HTTP_ERRORS.invalid_request.code,
  message: 'The request is not valid HTTP/1.1. Let an HTTP library write it.',
};

const TUNNEL: Answer = {
  status: '405 Method Not Allowed',
  error: HTTP_ERRORS.method_not_allowed.code,
  message: 'The service is not a proxy and does not support CONNECT.',
};

const UNREADABLE_TARGET: Answer = {
  status: '400 Bad Request',
  error: HTTP_ERRORS.invalid_request.code,
  message: 'The target is not a URL of HTTP, or has a fragment. Send a path that begins with "/", and "%23" for "#".',
};

const EXPECTATION_FAILED: Answer = {
  status: '417 Expectation Failed',
  error: HTTP_ERRORS.invalid_request.code,
  message: 'The header Expect may only be "100-continue". Omit it.',
};

/** An error of Node's parser. */
interface ParserError extends NodeJS.ErrnoException {
  /** What was received last: the start of the request, unless the request arrived in several parts. */
  rawPacket?: Buffer;
}

/** Characters of the start of a request in which its path is looked for. */
const MAX_START = 1_000;

/** The part of a connection that Node does not declare: the response that is being written. */
interface Connection extends Socket {
  _httpMessage?: ServerResponse | null;
}

/**
 * Answers requests that Node's parser rejects, before there is a request that the application could answer: 400, 408,
 * 413 or 431 with the usual error body; and 417 and CONNECT, which Node answers without one. Node would close the
 * connection at once, and callers that are still sending would see a reset connection instead of the response. What
 * they send within 5 seconds is discarded; after 408 the connection closes at once.
 *
 * @param findForm the form of the error if the start of the request is known: that of a too long one
 */
export function answerUnreadableRequests(server: Server, findForm: FindErrorForm): void {
  const logger = new Logger('UnreadableRequests');
  const answered = new WeakSet<Connection>();
  const answer = (error: ParserError, socket: Connection): void => {
    const response = socket._httpMessage;
    const { code = '', rawPacket } = error;
    const isUnreadable = code.startsWith('HPE_');
    // Requests that were received before are executed, and their responses are sent first.
    if (isUnreadable && response?.req.complete) {
      listenOnce(response, 'close', () => answer(error, socket));
      return;
    }
    if (!socket.writable || response?.headersSent) {
      socket.destroy(error);
      return;
    }
    const requestId = newRequestId();
    const found = ANSWERS.get(code) ?? MALFORMED;
    const { error: errorName, status } = found;
    const fields = { status: Number.parseInt(status, 10), error: errorName, address: socket.remoteAddress };
    logger.log('A request could not be read', { requestId, reason: code, ...fields });
    const [, path = ''] = /^[A-Z]+ (\/\S*)/.exec(rawPacket?.toString('latin1', 0, MAX_START) ?? '') ?? [];
    socket.write(toText(found, requestId, findForm(path, { ...found, status: fields.status }, requestId)));
    // After a timeout the parser would accept the rest of the request, and it would be executed. A handler that waits
    // for the rest of its body fails when the connection closes.
    if (!isUnreadable || response) socket.destroy(error);
    else endAndDrain(socket);
  };
  listen(server, 'clientError', (error: ParserError, socket: Connection) => {
    // The parser reports an error again for everything that follows.
    if (answered.has(socket)) return;
    answered.add(socket);
    answer(error, socket);
  });
  listen(server, 'checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const requestId = validRequestId(request) ?? newRequestId();
    const form = findForm(request.url ?? '', { ...EXPECTATION_FAILED, status: 417 }, requestId);
    respond(EXPECTATION_FAILED, response, requestId, form);
  });
  listen(server, 'connect', (request: IncomingMessage, socket: Socket) => {
    socket.write(toText(TUNNEL, validRequestId(request) ?? newRequestId()));
    endAndDrain(socket);
  });
}

/** Answers a request whose target is not valid (`readTarget`). */
export function answerUnreadableTarget(request: IncomingMessage, response: ServerResponse): void {
  respond(UNREADABLE_TARGET, response, validRequestId(request) ?? newRequestId());
}

function respond(answer: Answer, response: ServerResponse, requestId: string, form?: ErrorForm): void {
  const { code, headers, body } = toResponse(answer, requestId, form);
  response.writeHead(code, headers).end(body);
}

/** The whole response. */
function toText(answer: Answer, requestId: string, form?: ErrorForm): string {
  const { headers, body } = toResponse(answer, requestId, form);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${answer.status}`, ...lines, '', body].join('\r\n');
}

function toResponse({ status, error, message }: Answer, requestId: string, form?: ErrorForm) {
  const code = Number.parseInt(status, 10);
  const body = JSON.stringify(form?.body ?? { status: code, message, timestamp: Date.now(), error, requestId });
  const headers = {
    ...form?.headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { code, headers, body };
}
