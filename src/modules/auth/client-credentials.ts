import { InvalidClientError } from './auth.errors.js';
import type { ClientCredentials } from './client-authenticator.js';
import { isWellFormedSecret } from './secrets.js';

/**
 * The client credentials of a request: those of the Basic header if it is sent, otherwise those of the body
 * (specification, section 4.1). A malformed Basic header is rejected; there is no fallback to the body.
 *
 * @returns undefined if the request has no credentials.
 * @throws {InvalidClientError}
 */
export function readClientCredentials(
  authorization: string | undefined,
  body: { client_id?: string | null; client_secret?: string | null },
): ClientCredentials | undefined {
  if (authorization && /^basic(\s|$)/i.test(authorization))
    return decodeBasic(authorization.slice('basic'.length).trim());
  const { client_id: clientId, client_secret: clientSecret } = body;
  // Null and an empty text are absent.
  if (!clientId && !clientSecret) return undefined;
  return { clientId: clientId ?? '', clientSecret: clientSecret ?? '' };
}

/**
 * The client ID of a request that is not validated yet; undefined unless it is well-formed. Otherwise made-up IDs would
 * create rate-limit buckets, and a secret sent as ID would be logged.
 */
export function readClientId(authorization: string | undefined, bodyClientId: unknown): string | undefined {
  try {
    const body = { client_id: typeof bodyClientId === 'string' ? bodyClientId : '' };
    const clientId = readClientCredentials(authorization, body)?.clientId ?? '';
    return isWellFormedSecret('wsc_', clientId) ? clientId : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The password of Basic credentials (RFC 7617), empty if they are malformed. Undefined if the request has none.
 */
export function readBasicPassword(authorization = ''): string | undefined {
  if (!/^basic(\s|$)/i.test(authorization)) return undefined;
  const text = Buffer.from(authorization.slice('basic'.length).trim(), 'base64').toString();
  return text.includes(':') ? text.slice(text.indexOf(':') + 1) : '';
}

/** RFC 6749, section 2.3.1: both parts are form-encoded before they are joined by a colon. */
function decodeBasic(encoded: string): ClientCredentials {
  const text = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) ? Buffer.from(encoded, 'base64').toString() : '';
  const colon = text.indexOf(':');
  if (colon < 0) throw new InvalidClientError('malformed Basic header');
  return { clientId: decodeForm(text.slice(0, colon)), clientSecret: decodeForm(text.slice(colon + 1)) };
}

function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new InvalidClientError('malformed Basic header');
  }
}
