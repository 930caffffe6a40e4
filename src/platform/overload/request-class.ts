import type { IncomingMessage } from 'node:http';

/** Health checks and metrics: monitoring needs them during overload. `MetricsRegistry` limits the cost of metrics. */
const PROBES = /^\/(?:health\/|metrics\/?$)/i;

/** An import or comparison of a file may take hours; their own limits apply (`ImportSlots`). */
const IMPORT = /\/(?:import|compare)$/i;

/**
 * Bodies of credentials are small, also chunked ones. Anonymous callers send them, who must not delay batches of rows.
 */
const CREDENTIALS = /^\/v\d\/api\/oauth2\//i;

/** Routes without credentials whose bodies may be large. */
const ANONYMOUS = /^\/v\d\/public\//i;

/** The beginning of a target in the absolute form. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** Bytes of a body from which a request is large. A record or a row is smaller, a batch of rows is larger. */
const LARGE_BYTES = 32 * 1024;

/**
 * How long a large request may take before the instance counts as congested, in milliseconds, and in addition per byte.
 */
const LARGE_MS = 800;
const LARGE_MS_PER_BYTE = 1 / 2_048;

/** Is the request subject to the limit of concurrent requests? Pages cannot read why a preflight was rejected. */
export function isGated(request: IncomingMessage): boolean {
  const { method, headers } = request;
  if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined) return false;
  const path = pathOf(request);
  return !PROBES.test(path) && !(method === 'POST' && IMPORT.test(path));
}

/** The path by which Express finds the route. The gate precedes Express, so the request has no `path` yet. */
function pathOf({ url = '' }: IncomingMessage): string {
  return url.replace(ORIGIN, '').split('?', 1)[0]!;
}

/** Bytes that the request announces; 0 if it is chunked. */
export function bodyBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

/** A chunked body may have any length. */
export function isLarge(request: IncomingMessage): boolean {
  if (CREDENTIALS.test(pathOf(request))) return false;
  return bodyBytes(request) > LARGE_BYTES || request.headers['transfer-encoding'] !== undefined;
}

export function isAnonymous(request: IncomingMessage): boolean {
  return ANONYMOUS.test(pathOf(request));
}

/** How long a large request may take in an instance that is not congested, in milliseconds. */
export function targetMs(request: IncomingMessage): number {
  return LARGE_MS + bodyBytes(request) * LARGE_MS_PER_BYTE;
}
