import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../config/config.js';
import { describeAlarm, isDatabaseLimitExceeded, SQLSTATE, sqlState } from '../database/database.errors.js';
import { unavailableErrorFor } from './unavailable-database.js';
import { DomainError, type ErrorDetails, type ErrorKind } from './domain-error.js';
import { endHandler, runFailureHooks } from './handler-hooks.js';
import { hasAllowedParameters } from './path-parameters.js';
import { listLayers } from './route-filter.js';
import { acceptsProblems, PROBLEM_TYPE, toProblem } from './problem-details.js';
import { isDecodable } from './query-parser.js';

/** The HTTP status of each kind of error. */
export const STATUS: Record<ErrorKind, number> = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  not_acceptable: 406,
  timeout: 408,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  unprocessable: 422,
  too_many_requests: 429,
  unavailable: 503,
};

const ERROR_CODE = 'errorCode';

/** The code of the error that a response reports, for metrics. */
export function errorCode(locals: Record<string, unknown>): string {
  return typeof locals[ERROR_CODE] === 'string' ? locals[ERROR_CODE] : 'none';
}

/** An error as HTTP response. */
export interface Failure {
  status: number;
  error: string;
  message: string;
  details?: ErrorDetails;
  headers?: Record<string, string>;
}

const INTERNAL: Failure = {
  status: 500,
  error: 'internal_error',
  message: 'An internal error occurred. Send the requestId to the operator.',
};

/** An alarm of the same kind is logged once per minute. */
const ALARM_INTERVAL_MS = 60_000;

const NOT_READY: Failure = {
  status: 503,
  error: 'not_ready',
  message: 'This instance is not ready for requests. Retry later.',
  headers: { 'Retry-After': '1' },
};

/** Turns every error into a response of the same shape, without stack traces and SQL. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('ErrorFilter');
  private readonly alarms = new Logger('DatabaseAlarm');
  /** Time of the last alarm by SQLSTATE, on the clock of `performance.now()`. */
  private readonly lastAlarms = new Map<string, number>();
  /** A property, because derived filters have no constructor of their own. */
  @Inject(Config) private readonly config: Config;

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const { failureHooks } = request;
    if (!failureHooks) this.respond(error, request, response);
    else void runFailureHooks(failureHooks, error).then((final) => this.respond(final, request, response));
  }

  private respond(error: unknown, request: Request, response: Response): void {
    endHandler(request);
    const failure = describe(error, request);
    response.locals[ERROR_CODE] = failure.error;
    if (failure.status >= 500) this.raiseAlarm(error);
    if (failure === INTERNAL) this.logger.error(error, { requestId: request.requestId });
    else if (error instanceof DomainError && error.detail) this.logger.debug(`${error.code}: ${error.detail}`);
    if (response.headersSent) {
      // A part of the response is sent. Only cutting the connection reveals the error to the client.
      response.destroy();
      return;
    }
    // Errors are temporary, and without the header caches may store 404 and 405.
    response.set({ 'Cache-Control': 'no-store', ...failure.headers });
    // A deprecated route already has a link to its successor.
    response.append('Link', `<${this.helpOf(failure.error)}>; rel="help"`);
    this.send(failure, request, response);
  }

  /** Logs a condition of the database that requires an operator. */
  private raiseAlarm(error: unknown): void {
    const alarm = describeAlarm(error);
    const now = performance.now();
    if (!alarm || now - (this.lastAlarms.get(alarm.state) ?? -Infinity) < ALARM_INTERVAL_MS) return;
    this.lastAlarms.set(alarm.state, now);
    this.alarms.error(alarm.message);
  }

  private helpOf(code: string): string {
    return `${this.config.http.publicUrl}/guide/errors#${code}`;
  }

  /** Overridden for routes with another error format, such as OAuth 2.0. */
  protected send(failure: Failure, request: Request, response: Response): void {
    const { status, message, error, details } = failure;
    const body = { status, message, timestamp: Date.now(), error, requestId: request.requestId, details };
    response.status(status).vary('Accept');
    if (!acceptsProblems(request)) response.json(body);
    else response.type(PROBLEM_TYPE).send(JSON.stringify(toProblem(body, this.helpOf(error))));
  }
}

const UNSTORABLE_STATES = new Set<string | undefined>([
  SQLSTATE.characterNotInRepertoire,
  SQLSTATE.untranslatableCharacter,
]);

function describe(error: unknown, request: Request): Failure {
  if (error instanceof DomainError) {
    const { code, message, details, headers } = error;
    return { status: STATUS[error.kind], error: code, message, details, headers };
  }
  const unavailable = unavailableErrorFor(error);
  if (unavailable) return describe(unavailable, request);
  if (UNSTORABLE_STATES.has(sqlState(error))) {
    return {
      status: 400,
      error: 'invalid_request',
      message: 'The request contains the character U+0000, which cannot be stored.',
    };
  }
  if (isDatabaseLimitExceeded(error)) {
    const message =
      'The request exceeds a limit of the database; nothing was stored. Send shorter values or fewer conditions.';
    return { status: 400, error: 'database_limit_exceeded', message };
  }
  const status = getStatus(error);
  const malformed = request.path.split('/').find((part) => !isDecodable(part));
  if (status === 400 && malformed !== undefined) return malformedPath(malformed);
  if (status === 404) return unknownRoute(request);
  if (status === 503) return NOT_READY;
  // Client errors of libraries (Nest, body-parser, the router). Their messages are written for callers.
  if (status >= 400 && status < 500) {
    return { status, error: toCode(status), message: (error as Error).message };
  }
  return INTERNAL;
}

/** Replaces the router's message, which names its internal function. */
function malformedPath(part: string): Failure {
  const message = `"${part.slice(0, 100)}" in the path is not percent-encoded UTF-8.`;
  return { status: 400, error: 'invalid_request', message };
}

function toCode(status: number) {
  if (status === 413) return 'too_large';
  return status === 415 ? 'unsupported_media_type' : 'invalid_request';
}

function getStatus(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { status?: unknown } | null)?.status;
  return error instanceof Error && typeof status === 'number' ? status : 500;
}

/** 405 with the allowed methods if the path exists, else 404. */
function unknownRoute(request: Request): Failure {
  const allowed = allowedMethods(request);
  if (allowed.length === 0) {
    return {
      status: 404,
      error: 'not_found',
      message: `There is no ${request.method} ${request.path}. /docs lists all paths.`,
    };
  }
  return {
    status: 405,
    error: 'method_not_allowed',
    message: `${request.path} does not support ${request.method}. Allowed: ${allowed.join(', ')}.`,
    headers: { Allow: allowed.join(', ') },
  };
}

/** The methods of the routes with this path, in the order of the router; empty if there is none. */
function allowedMethods(request: Request): string[] {
  const methods = new Set<string>();
  for (const layer of listLayers(request.app)) {
    const match = layer.route && layer.match(request.path);
    if (!layer.route || !match || !hasAllowedParameters(request.app, match.params)) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods];
}
