/** What begins like a secret or a token of the service; of a secret, also where a text breaks off within it. */
const SECRET = /\b(ws[sk]_|eyJ)[\w.-]+/g;

/** A text of the caller's, such as a path, for logs and messages: secrets that were put in the wrong place are masked. */
export function redactSecrets(text = ''): string {
  return text.replace(SECRET, '$1…');
}
