/** A secret or token of the service, also if truncated. It may follow an encoded character of a URL. */
const SECRET = /(?:\b|(?<=%[\dA-Fa-f]{2}))(ws[sk]_|eyJ)[\w.-]+/g;

/** A character of a secret as URLs may contain it. */
const ENCODED = /%(2[DE]|3\d|[46][1-9A-F]|5[\dAF]|[57]0|7[1-9A])/gi;

/** Masks secrets in a text of the caller, such as a path, before it is logged or sent in a message. */
export function redactSecrets(text = ''): string {
  const decoded = text.replace(ENCODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const redacted = decoded.replace(SECRET, '$1…');
  return redacted === decoded ? text : redacted;
}
