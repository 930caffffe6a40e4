import { UsageError } from './exit-codes.js';

/** What a command lists with an ID and a name. */
interface Named {
  id: string;
  name: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The ID of what a person names by its ID or its name, in any letter case.
 *
 * @param kind for messages, for example `access policy`
 * @param list reads all entries; a UUID needs none
 * @throws {UsageError} if several entries have the name, or none
 */
export async function findId(kind: string, text: string, list: () => Promise<readonly Named[]>): Promise<string> {
  if (UUID.test(text)) return text;
  const found = (await list()).filter(({ name }) => name.toLowerCase() === text.toLowerCase());
  const [id, ...others] = new Set(found.map((entry) => entry.id));
  if (id === undefined) throw new UsageError(`There is no ${kind} with the name or ID "${text}".`);
  if (others.length === 0) return id;
  const ids = [id, ...others].map((each) => `\n  ${each}`).join('');
  throw new UsageError(`Several have the name "${text}". Write the ID of the ${kind}:${ids}`);
}

/**
 * Splits `NAME=VALUE`, whose value may be empty.
 *
 * @param kind of the text, for messages
 * @throws {UsageError}
 */
export function splitAssignment(text: string, kind: string, example: string): [name: string, value: string] {
  const separator = text.indexOf('=');
  if (separator < 1) throw new UsageError(`"${text}" is not a ${kind}. Write for example ${example}.`);
  return [text.slice(0, separator), text.slice(separator + 1)];
}
