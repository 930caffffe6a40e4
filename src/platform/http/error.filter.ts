import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../config/config.js';
import { describeAlarm, isDatabaseLimitExceeded } from '../database/database.errors.js';
import { SQLSTATE, sqlState } from '../../../packages/sql/src/sql-state.js';
import { unavailableErrorFor } from './unavailable-database.js';
import {
  type Disk,
  DomainError,
  type ErrorDetails,
  StorageFullError,
} from '../../../packages/errors/src/domain-error.js';
import { STATUS } from '../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { endHandler, runFailureHooks } from './handler-hooks.js';
import { routePattern } from './middleware.js';
import { hasAllowedParameters } from './path-parameters.js';
import { redactSecrets } from '../../../packages/json/src/redact-secrets.js';
import { areDocumentsPublic } from './served-ports.js';
import { acceptsProblems, PROBLEM_TYPE, toProblem } from './problem-details.js';
import { isDecodable } from './query-parser.js';

const ERROR_CODE = 'errorCode';
const REASON = 'reason';
const FULL_DISK = 'fullDisk';

/** Characters of a reason in the log. It may quote what a caller or another server sent. */
const MAX_REASON_LENGTH = 500;

/** The code of the error that a response reports, for metrics. */
export function errorCode(locals: Record<string, unknown>): string {
  return typeof locals[ERROR_CODE] === 'string' ? locals[ERROR_CODE] : 'none';
}

/** What the response does not state of its error, for the log. */
export function errorReason(locals: Record<string, unknown>): string | undefined {
  return locals[REASON] as string | undefined;
}

/** The disk that is full, if a response reports `storage_full`, for metrics. */
export function fullDisk(locals: Record<string, unknown>): { disk?: Disk } {
  const disk = locals[FULL_DISK] as Disk | undefined;
  return disk === undefined ? {} : { disk };
}

/** An error as HTTP response. */
export interface Failure {
  status: number;
  error: string;
  message: string;
  details?: ErrorDetails;
  headers?: Record<string, string>;
  /** The disk that is full; never sent. */
  disk?: Disk;
}

/** Sends an error in the form of a protocol. */
export type SendFailure = (failure: Failure, request: Request, response: Response) => void;

/** An alarm of the same kind is logged once per minute. */
const ALARM_INTERVAL_MS = 60_000;

/** Turns every error into a response of the same shape, without stack traces and SQL. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('ErrorFilter');
  private readonly alarms = new Logger('DatabaseAlarm');
  private readonly diskAlarms = new Logger('DiskAlarm');
  /** Time of the last alarm by SQLSTATE or disk, on the clock of `performance.now()`. */
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
    const failure = describe(error, request, areDocumentsPublic(this.config.http));
    response.locals[ERROR_CODE] = failure.error;
    response.locals[FULL_DISK] = failure.disk;
    if (failure.status >= 500) this.raiseAlarm(error, failure.disk);
    if (failure.status === STATUS.internal) this.logger.error(error, { requestId: request.requestId });
    else if (!(error instanceof DomainError))
      // A library may quote the path or the body.
      this.logger.debug(`${failure.error}: ${redactSecrets((error as Error | null)?.message)}`);
    else if (error.detail) response.locals[REASON] = redactSecrets(error.detail).slice(0, MAX_REASON_LENGTH);
    if (response.headersSent) {
      // A part of the response is sent. Only cutting the connection reveals the error to the client.
      response.destroy();
      return;
    }
    // Errors are temporary, and without the header caches may store 404 and 405.
    response.set({ 'Cache-Control': 'no-store', ...failure.headers });
    // A deprecated route already has a link to its successor.
    if (areDocumentsPublic(this.config.http))
      response.append('Link', `<${this.getHelpUrl(failure.error)}>; rel="help"`);
    const isUnknownPath = failure.status === STATUS.not_found && routePattern(request) === undefined;
    const send = (isUnknownPath ? request.sendUnknownPath : undefined) ?? request.sendFailure;
    if (send) send(failure, request, response);
    else this.send(failure, request, response);
  }

  /** Logs a condition of the database or of DATA_DIR that requires an operator. */
  private raiseAlarm(error: unknown, disk: Disk | undefined): void {
    const isFiles = disk === 'DATA_DIR';
    const alarm = isFiles ? { state: disk, message: 'The disk of DATA_DIR is full' } : describeAlarm(error);
    const now = performance.now();
    if (!alarm || now - (this.lastAlarms.get(alarm.state) ?? -Infinity) < ALARM_INTERVAL_MS) return;
    this.lastAlarms.set(alarm.state, now);
    (isFiles ? this.diskAlarms : this.alarms).error(alarm.message);
  }

  private getHelpUrl(code: string): string {
    return `${this.config.http.publicUrl}/guide/errors#${code}`;
  }

  /** Overridden for routes with another error format, such as OAuth 2.0. */
  protected send(failure: Failure, request: Request, response: Response): void {
    const { status, message, error, details } = failure;
    const body = { status, message, timestamp: Date.now(), error, requestId: request.requestId, details };
    response.status(status).vary('Accept');
    if (!acceptsProblems(request)) response.json(body);
    else response.type(PROBLEM_TYPE).send(JSON.stringify(toProblem(body, this.getHelpUrl(error))));
  }
}

const UNSTORABLE_STATES = new Set<string | undefined>([
  SQLSTATE.characterNotInRepertoire,
  SQLSTATE.untranslatableCharacter,
]);

function describe(error: unknown, request: Request, hasDocuments: boolean): Failure {
  if (error instanceof DomainError) return toFailure(error);
  const unavailable = unavailableErrorFor(error);
  if (unavailable) return toFailure(unavailable);
  if (UNSTORABLE_STATES.has(sqlState(error))) {
    const message = 'The request contains the character U+0000, which cannot be stored.';
    return toFailure(new DomainError(HTTP_ERRORS.invalid_request, message));
  }
  if (isDatabaseLimitExceeded(error)) return toFailure(new DomainError(HTTP_ERRORS.database_limit_exceeded));
  const status = getStatus(error);
  const malformed = request.path.split('/').find((part) => !isDecodable(part));
  if (status === 400 && malformed !== undefined) return toFailure(createPathError(malformed));
  if (status === 404) return toFailure(createRouteError(request, hasDocuments));
  if (status === 503) return toFailure(new DomainError(HTTP_ERRORS.not_ready));
  // Client errors of libraries (Nest, the router), whose messages name their own parts.
  if (status >= 400 && status < 500) return { ...toFailure(new DomainError(HTTP_ERRORS.invalid_request)), status };
  return toFailure(new DomainError(HTTP_ERRORS.internal_error));
}

function toFailure(error: DomainError): Failure {
  const { kind, code, message, details, headers } = error;
  const disk = error instanceof StorageFullError ? error.disk : undefined;
  return { status: STATUS[kind], error: code, message, details, headers, disk };
}

/** Replaces the router's message, which names its internal function. */
function createPathError(part: string): DomainError {
  const message = `"${part.slice(0, 100)}" in the path is not percent-encoded UTF-8.`;
  return new DomainError(HTTP_ERRORS.invalid_request, message);
}

function getStatus(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { status?: unknown } | null)?.status;
  return error instanceof Error && typeof status === 'number' ? status : 500;
}

/** 405 with the allowed methods if the path exists, else 404. */
function createRouteError(request: Request, hasDocuments: boolean): DomainError {
  const { method, path } = request;
  const allowed = allowedMethods(request);
  const remedy = hasDocuments ? ' /docs lists all paths.' : '';
  if (allowed.length === 0) return new DomainError(HTTP_ERRORS.not_found, `There is no ${method} ${path}.${remedy}`);
  const Allow = allowed.join(', ');
  const message = `${path} does not support ${method}. Allowed: ${Allow}.`;
  return new DomainError(HTTP_ERRORS.method_not_allowed, message, { headers: { Allow } });
}

/** The parts of a layer of Express's router that are used here. */
interface RouterLayer {
  /** Absent for middleware. */
  route?: { methods: Record<string, boolean> };
  match(path: string): false | { params: Record<string, unknown> };
}

/** The methods of the routes with this path, in the order of the router; empty if there is none. */
function allowedMethods(request: Request): string[] {
  const methods = new Set<string>();
  const { stack } = request.app.router as unknown as { stack: RouterLayer[] };
  for (const layer of stack) {
    const match = layer.route && layer.match(request.path);
    if (!layer.route || !match || !hasAllowedParameters(request.app, match.params)) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods];
}
