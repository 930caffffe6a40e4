import type { IncomingMessage } from 'node:http';

/** The API. Health checks, metrics, keys and documents are always served. */
const API = /^\/(?:odata\/)?v\d/i;

/** An import or comparison of a file may take hours; their own limits apply (`ImportSlots`). */
const IMPORT = /\/(?:import|compare)(?:$|\?)/;

/**
 * Bodies of credentials are small, also chunked ones. Anonymous callers send them, who must not delay batches of rows.
 */
const CREDENTIALS = /^\/v\d\/api\/oauth2\//i;

/** Routes without credentials whose bodies may be large. */
const ANONYMOUS = /^\/v\d\/public\//i;

/** Bytes of a body from which a request is large. A record or a row is smaller, a batch of rows is larger. */
const LARGE_BYTES = 32 * 1024;

/**
 * How long a large request may take before the instance counts as congested, in milliseconds, and in addition per byte.
 */
const LARGE_MS = 800;
const LARGE_MS_PER_BYTE = 1 / 2_048;

/** Is the request subject to the limit of concurrent requests? */
export function isGated({ method, url = '' }: IncomingMessage): boolean {
  return API.test(url) && method !== 'OPTIONS' && !IMPORT.test(url);
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Bytes that the request announces; 0 if it is chunked. */
export function bodyBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

/** A chunked body may have any length. */
export function isLarge(request: IncomingMessage): boolean {
  if (CREDENTIALS.test(request.url ?? '')) return false;
  return bodyBytes(request) > LARGE_BYTES || request.headers['transfer-encoding'] !== undefined;
}

export function isAnonymous({ url = '' }: IncomingMessage): boolean {
  return ANONYMOUS.test(url);
}

/** How long a large request may take in an instance that is not congested, in milliseconds. */
export function targetMs(request: IncomingMessage): number {
  return LARGE_MS + bodyBytes(request) * LARGE_MS_PER_BYTE;
}
