import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { currentTraceId } from '../telemetry/spans.js';
import { callerAddress } from './client-address.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { redactSecrets } from '../../../packages/json/src/redact-secrets.js';

/** A request ID that a caller may send: printable and short, so that it cannot forge a log line. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** Sets `X-Request-Id`: the ID that the caller sent if it is valid, else a new one. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  request.requestId = validRequestId(request) ?? newRequestId();
  response.setHeader('X-Request-Id', request.requestId);
  setTraceId(response);
  next();
}

/** Sets `X-Trace-Id` if the request is traced: `X-Request-Id` differs from it if the caller sent one. */
export function setTraceId(response: ServerResponse): void {
  const traceId = currentTraceId();
  if (traceId) response.setHeader('X-Trace-Id', traceId);
}

/** An ID for a request without one: that of its trace, by which operators find it, or a random one. */
export function newRequestId(): string {
  return currentTraceId() ?? randomUUID();
}

/** The ID that the caller sent, if it is valid. */
export function validRequestId({ headers }: IncomingMessage): string | undefined {
  const sent = headers['x-request-id'];
  const isValid = typeof sent === 'string' && REQUEST_ID.test(sent) && redactSecrets(sent) === sent;
  return isValid ? sent : undefined;
}

const currentRequest = new AsyncLocalStorage<Request | undefined>();

/** Makes the request available to everything that runs on its behalf, so that services need not pass it on. */
export function requestContext(request: Request, _response: Response, next: NextFunction): void {
  currentRequest.run(request, next);
}

/** For whom the current work is. */
export interface Origin {
  userId?: string;
  /** Also of a request whose access is not granted. */
  caller?: Request['identity'];
  address?: string;
  userAgent?: string;
  /** Never one that the caller sent. */
  requestId: string;
  /** The ID that the caller sent, which is that of the response and of the log. */
  sentRequestId?: string;
  /** The tool that an assistant calls. */
  tool?: string;
}

/** Undefined outside of a request, for example in the operator CLI. */
export function currentOrigin(): Origin | undefined {
  const request = currentRequest.getStore();
  if (!request) return undefined;
  const { principal, identity: caller, headers, tool } = request;
  const sentRequestId = validRequestId(request);
  const requestId = sentRequestId === undefined ? request.requestId : (request.ownRequestId ??= newRequestId());
  const address = callerAddress(request);
  const userAgent = headers['user-agent'] && redactSecrets(headers['user-agent']);
  return { userId: principal?.userId, caller, address, userAgent, requestId, sentRequestId, tool };
}

/**
 * The request that the current work is for; undefined outside of a request. Work that a request starts and does not
 * wait for belongs to it, too.
 */
export function findCurrentRequest(): Request | undefined {
  return currentRequest.getStore();
}

/** The context of the start of the process: without a request, its access policies, its transaction and its trace. */
const inContextOfProcess = AsyncLocalStorage.snapshot();

/** Runs work that is not for the current request, even if the request has started it. */
export function runOutsideRequest<T>(work: () => T): T {
  return inContextOfProcess(work);
}

/**
 * Waits for what is not work of the instance, such as an event. Until then the current request does not count as
 * concurrent (`OverloadGate`).
 */
export async function pauseRequest<T>(wait: Promise<T>): Promise<T> {
  const request = currentRequest.getStore();
  if (!request) return wait;
  request.setWaiting?.(true);
  try {
    return await wait;
  } finally {
    request.setWaiting?.(false);
  }
}

const API = /^\/(?:odata\/|scim\/)?v\d+\//i;

/** Is the request for the API, and not for health checks, metrics or documentation? */
export function isApi({ path }: Request): boolean {
  return API.test(path);
}

/** The pattern of the route of a request, such as `/v1/api/projects/:id`; undefined if no route matches its path. */
export function routePattern(request: Request): string | undefined {
  return (request.route as { path?: string } | undefined)?.path;
}

/** A segment `.` or `..`, as it is or percent-encoded. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?=\/|$)/i;

/**
 * Rejects paths with `.` or `..` as a segment. Clients and proxies resolve such a segment, in its encoded form, too, so
 * a route would receive it from some callers only, and other callers would reach another route.
 */
export function rejectDotSegments(request: Request, _response: Response, next: NextFunction): void {
  const { method, path, originalUrl } = request;
  if (!DOT_SEGMENT.test(path)) {
    next();
    return;
  }
  // A protocol may have removed a slash at the end of the path.
  const [sent] = originalUrl.split('?', 1);
  const message =
    `There is no ${method} ${sent}. A path cannot contain "." or "..", which clients resolve. ` +
    'Name a row by item?key=, and a table by its ID.';
  next(new DomainError(HTTP_ERRORS.not_found, message));
}

/** Rejects HTTP/1.1 without `Host` as Node would, but with the usual error body, and any request with more than one. */
export function requireHost(request: Request, _response: Response, next: NextFunction): void {
  const { host } = request.headers;
  // Node joins the values of repeated headers by a comma and a space.
  const isValid = host === undefined ? request.httpVersion !== '1.1' : !host.includes(', ');
  const message = 'HTTP/1.1 requires one header Host. Let an HTTP library write the request.';
  next(isValid ? undefined : new DomainError(HTTP_ERRORS.invalid_request, message));
}

/** Responses of the API are private to their caller: no cache stores them unless the handler sets another policy. */
export function noStore(request: Request, response: Response, next: NextFunction): void {
  if (isApi(request)) response.setHeader('Cache-Control', 'no-store');
  next();
}
