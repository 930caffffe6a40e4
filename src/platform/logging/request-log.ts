import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { callerAddress } from '../http/client-address.js';
import { errorCode, errorReason } from '../http/error.filter.js';
import { routePattern } from '../http/middleware.js';
import { redactSecrets } from '../../../packages/json/src/redact-secrets.js';
import { currentTraceId } from '../telemetry/spans.js';
import { listenOnce } from '../listeners.js';

/** Monitoring requests these paths every few seconds; they are not logged. */
const UNLOGGED_PATHS = /^\/(health|metrics)\b/;

/** The fields of a request, by which a line of the log can be found. A readable line has only its text and `reason`. */
export const REQUEST_FIELDS = [
  'requestId',
  'req',
  'route',
  'status',
  'error',
  'isAborted',
  'userId',
  'clientId',
  'sessionId',
  'apiKeyId',
  'workspaceId',
  'address',
  'responseTime',
] as const;

/**
 * Middleware: logs one line per request when its response is complete or its connection is closed, without headers,
 * query and body, which may contain secrets. Written with pino directly: pino-http creates two loggers per request,
 * also for lines that are not logged.
 */
export function logRequests(logger: Logger): RequestHandler {
  return (request, response, next) => {
    if (!UNLOGGED_PATHS.test(request.url)) {
      const startedAt = performance.now();
      const traceId = currentTraceId();
      // A closed connection has no address.
      const address = callerAddress(request);
      listenOnce(response, 'close', () => {
        // 501 is the answer to a request that the service does not support, not a failure of the service.
        const level = response.statusCode >= 500 && response.statusCode !== 501 ? 'error' : 'info';
        if (!logger.isLevelEnabled(level)) return;
        const responseTime = Math.round(performance.now() - startedAt);
        const fields = { traceId, ...requestFields(request, response), address, responseTime };
        logger[level](fields, requestText(request, response, responseTime));
      });
    }
    next();
  };
}

/** Absent fields are undefined: pino omits them. */
function requestFields(request: Request, response: Response) {
  const { method, requestId, identity } = request;
  const error = errorCode(response.locals);
  return {
    requestId,
    req: { method, path: redactPath(request.originalUrl) },
    route: routePattern(request),
    // Node's default is 200, also if the connection is closed before a response.
    status: response.headersSent ? response.statusCode : undefined,
    error: error === 'none' ? undefined : error,
    reason: errorReason(response.locals),
    isAborted: response.writableFinished ? undefined : true,
    userId: identity?.userId,
    clientId: identity?.clientId,
    sessionId: identity?.sessionId,
    apiKeyId: identity?.apiKeyId,
    workspaceId: workspaceOf(request),
  };
}

/** The workspace that the path names, or else the caller's only one. */
function workspaceOf({ params, identity }: Request): string | undefined {
  const named = params['workspaceId'];
  if (typeof named === 'string') return redactSecrets(named);
  return identity?.memberships.length === 1 ? identity.memberships[0]!.workspaceId : undefined;
}

function requestText({ method, originalUrl }: Request, response: Response, responseTime: number): string {
  const end = response.writableFinished ? '' : ', connection closed before the end of the response';
  return `${method} ${redactPath(originalUrl)} ${response.statusCode} ${responseTime} ms${end}`;
}

/** The path without the query, with secrets that a caller sent in it redacted. */
function redactPath(url = ''): string {
  return redactSecrets(url.split('?')[0]);
}
