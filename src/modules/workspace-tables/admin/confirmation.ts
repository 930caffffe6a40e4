import { InvalidRequestError } from '../../../../packages/errors/src/domain-error.js';

/**
 * Requires that the caller names what a request removes. A path that a client, a proxy or a script has altered does not
 * contain the parameter, so such a request removes nothing (ADR 0086).
 *
 * @param confirm the parameter `confirm` of the request.
 * @param name that the caller must send.
 * @param isNamed does the text name the subject?
 * @throws {InvalidRequestError} `confirmation_required` in the field `confirm`
 */
export function requireConfirmation(
  confirm: string | undefined,
  name: string,
  isNamed: (text: string) => boolean,
): void {
  if (confirm !== undefined && isNamed(confirm)) return;
  const sent = confirm === undefined ? 'The parameter confirm is missing.' : `confirm is "${confirm.slice(0, 100)}".`;
  const message = `${sent} Nothing was changed. To confirm, send confirm=${encodeURIComponent(name)}.`;
  throw new InvalidRequestError([{ field: 'confirm', code: 'confirmation_required', message }], message);
}
