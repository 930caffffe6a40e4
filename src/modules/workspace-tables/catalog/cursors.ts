import { decodeCursor, InvalidCursorError } from '../../../platform/http/cursor.js';
import { isStorable } from '../../../platform/http/validation/text.decorators.js';

/** The cursor of a list that is ordered by a name. @throws {InvalidCursorError} */
export function decodeName(identity: unknown, cursor: string): string {
  const [name] = decodeCursor(identity, cursor, 1);
  if (typeof name !== 'string' || !isStorable(name)) throw new InvalidCursorError();
  return name;
}

/** The cursor of a list that is ordered by an integer and a row key. @throws {InvalidCursorError} */
export function decodeNumberAndKey(identity: unknown, cursor: string): { number: number; key: string } {
  const [number, key] = decodeCursor(identity, cursor, 2);
  if (!Number.isSafeInteger(number) || typeof key !== 'string' || !isStorable(key)) throw new InvalidCursorError();
  return { number: number as number, key };
}
