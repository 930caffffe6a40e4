import type { NextFunction, Request, Response } from 'express';

/** The response of `GET /health/live`. */
export const ALIVE = { status: 'ok' };

const PATH = '/health/live';
const BODY = JSON.stringify(ALIVE);
const HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(BODY) };

/**
 * Middleware: answers probes of liveness before the rest of the pipeline, which they do not need: they have no caller,
 * are not limited, and are not logged. All other requests of that path, such as those of a browser, reach the route in
 * `HealthController`.
 */
export function answerLiveness(request: Request, response: Response, next: NextFunction): void {
  if (isProbe(request)) response.writeHead(200, HEADERS).end(BODY);
  else next();
}

function isProbe({ method, url, headers }: Request): boolean {
  return (
    method === 'GET' &&
    url === PATH &&
    headers.origin === undefined &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined
  );
}
