import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';

/** Response headers that web pages of other origins may read. A test compares them with the OpenAPI document. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Link',
  'Location',
  'ETag',
  'X-Trace-Id',
  'Deprecation',
  'Sunset',
  'Idempotent-Replayed',
  'WWW-Authenticate',
  'Content-Disposition',
  'Content-Range',
  'Accept-Ranges',
  'Allow',
];

/** Seconds for which browsers remember the answer to a preflight request; Chromium limits it to this. */
const MAX_AGE_S = 7_200;

/** @param origins of the web pages that may call the service. */
export function corsOptions(origins: readonly string[]): CorsOptions {
  return { origin: [...origins], exposedHeaders: EXPOSED_HEADERS, maxAge: MAX_AGE_S };
}
