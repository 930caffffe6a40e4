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

/** As `decodeNumberAndKey`, for a list that is read as of a moment. @throws {InvalidCursorError} */
export function decodeMomentAndKey(identity: unknown, cursor: string): { moment: number; number: number; key: string } {
  const [moment, number, key] = decodeCursor(identity, cursor, 3);
  const isValid = [moment, number].every((each) => Number.isSafeInteger(each) && (each as number) >= 0);
  if (!isValid || typeof key !== 'string' || !isStorable(key)) throw new InvalidCursorError();
  return { moment: moment as number, number: number as number, key };
}
