import { InvalidClientError } from './auth.errors.js';
import type { ClientCredentials } from './clients.service.js';
import { isWellFormedSecret } from './secret.js';

/**
 * The client credentials of a token request: the Basic header where there is one, else the body's (specification,
 * section 4.1). A malformed Basic header is refused and never falls back to the body.
 *
 * @returns undefined where none were sent. @throws {InvalidClientError}
 */
export function clientCredentialsOf(
  authorization: string | undefined,
  body: { client_id?: string; client_secret?: string },
): ClientCredentials | undefined {
  if (authorization && /^basic(\s|$)/i.test(authorization))
    return decodeBasic(authorization.slice('basic'.length).trim());
  if (body.client_id === undefined && body.client_secret === undefined) return undefined;
  return { clientId: body.client_id ?? '', clientSecret: body.client_secret ?? '' };
}

/**
 * The client id a request names, of whatever type it is there, and only where it can be one: made-up ids must not be
 * counted one by one, and a secret that was pasted in its place must get into no log.
 */
export function claimedClientId(authorization: string | undefined, named: unknown): string | undefined {
  try {
    const body = { client_id: typeof named === 'string' ? named : '' };
    const clientId = clientCredentialsOf(authorization, body)?.clientId ?? '';
    return isWellFormedSecret('wsc_', clientId) ? clientId : undefined;
  } catch {
    return undefined;
  }
}

/** RFC 6749, section 2.3.1: both halves are form-encoded before they are joined by a colon. */
function decodeBasic(encoded: string): ClientCredentials {
  const text = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) ? Buffer.from(encoded, 'base64').toString() : '';
  const colon = text.indexOf(':');
  if (colon < 0) throw new InvalidClientError('malformed Basic header');
  return { clientId: formDecode(text.slice(0, colon)), clientSecret: formDecode(text.slice(colon + 1)) };
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new InvalidClientError('malformed Basic header');
  }
}
