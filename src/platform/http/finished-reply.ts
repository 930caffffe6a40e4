import type { Request, Response } from 'express';
import { isNotModified } from './conditional-requests.js';
import { Reply } from './envelope.js';
import { containsJsonText, stringifyJson } from '../../../packages/sql/src/json-text.js';

/** The body of a response as it is sent: the text of a JSON document, or nothing. */
export class FinishedReply {
  constructor(readonly body: string | undefined) {}
}

/**
 * Wraps the result of an `@Enveloped` handler, links the next page and sets 304 if the caller has the result. Any other
 * result remains as it is.
 *
 * @param publicUrl of the service, for links.
 */
export function finishReply(result: unknown, response: Response, publicUrl: string): unknown {
  const request = response.req;
  const message = request.envelopeMessage;
  if (result instanceof FinishedReply) return result;
  if (message === undefined && !(result instanceof Reply)) {
    ignoreAnyTag(request);
    return result;
  }
  const reply: Reply<unknown> = result instanceof Reply ? result : new Reply(result);
  setHead(response, reply);
  linkNextPage(response, reply, publicUrl);
  if (isNotModified(request, response.get('ETag'))) {
    response.status(304);
    return new FinishedReply(undefined);
  }
  if (reply.options.raw) {
    ignoreAnyTag(request);
    return reply.data;
  }
  const body = request.isBare ? toObject(reply) : toEnvelope(reply, message ?? 'OK', response.statusCode);
  return new FinishedReply(containsJsonText(reply.data) ? stringifyJson(body) : JSON.stringify(body));
}

/**
 * The maximum length of the header `Link`, in characters: proxies reserve as little as 4 kB for all headers of a
 * response, and clients 16 kB.
 */
const MAX_LINK_LENGTH = 1_000;

/**
 * Pages read by GET link to the next page, unless the link is too long: `nextCursor` is in the body. A query in a body
 * has no URL to link to.
 */
function linkNextPage(response: Response, { data }: Reply<unknown>, publicUrl: string): void {
  const { method, originalUrl } = response.req;
  const { nextCursor } = (data ?? {}) as { nextCursor?: unknown };
  if (method !== 'GET' || typeof nextCursor !== 'string') return;
  const url = new URL(publicUrl + originalUrl);
  url.searchParams.set('cursor', nextCursor);
  const link = `<${url.href}>; rel="next"`;
  if (link.length <= MAX_LINK_LENGTH) response.append('Link', link);
}

/** Express answers 304 to `*`, also if the response has no ETag. */
function ignoreAnyTag({ headers }: Request): void {
  if (headers['if-none-match'] === '*') delete headers['if-none-match'];
}

function setHead(response: Response, { options }: Reply<unknown>): void {
  if (options.status) response.status(options.status);
  for (const name in options.headers) {
    // A deprecated route already has a link to its successor.
    if (name === 'Link') response.append(name, options.headers[name]);
    else response.set(name, options.headers[name]);
  }
}

/** Every success contains an object (specification, section 1). */
function toObject({ data }: Reply<unknown>): object {
  return data ?? {};
}

function toEnvelope(reply: Reply<unknown>, message: string, status: number): object {
  return { status, message: reply.options.message ?? message, timestamp: Date.now(), data: toObject(reply) };
}
