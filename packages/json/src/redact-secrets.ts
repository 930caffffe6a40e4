/** A secret or token of the service, also if truncated. */
const SECRET = /\b(ws[sk]_|eyJ)[\w.-]+/g;

/** Masks secrets in a text of the caller, such as a path, before it is logged or sent in a message. */
export function redactSecrets(text = ''): string {
  return text.replace(SECRET, '$1…');
}
