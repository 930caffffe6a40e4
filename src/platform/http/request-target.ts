import type { IncomingMessage } from 'node:http';

/** `http://example.com/path?query`: the scheme, the authority without user name, and the rest. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?@]+)((?:[/?].*)?)$/i;

/**
 * Rewrites a target in the absolute form, which clients send to proxies, to the origin form, and replaces the header
 * `Host` by its authority (RFC 9112, section 3.2.2). Everything that reads the path sees one form.
 *
 * @returns false if the target is neither a path nor an absolute URL of HTTP, or contains `#`, which Node accepts:
 *   Express ignores the parameters after it
 */
export function readTarget(request: IncomingMessage): boolean {
  const { url = '', headers } = request;
  if (url.includes('#')) return false;
  if (url.startsWith('/') || url === '*') return true;
  const [, authority = '', target = ''] = ABSOLUTE_FORM.exec(url) ?? [];
  if (!URL.canParse(`http://${authority}`)) return false;
  request.url = target.startsWith('/') ? target : `/${target}`;
  // HTTP/1.1 requires the header with every form.
  if (headers.host !== undefined) headers.host = authority;
  return true;
}
