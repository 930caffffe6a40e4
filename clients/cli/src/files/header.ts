import { UsageError } from '../exit-codes.js';

/**
 * The names of a header, without outer white space. Empty names belong to columns without values.
 *
 * @throws {UsageError} for a name that occurs twice: the values of one of its columns would be lost
 */
export function requireHeader(header: readonly string[], line: number): readonly string[] {
  const names = header.map((name) => name.trim());
  const repeated = names.find((name, position) => name !== '' && names.indexOf(name) !== position);
  if (repeated !== undefined)
    throw new UsageError(
      `Line ${line}: the header has the name "${repeated}" twice. Rename or remove one of the columns. Nothing was stored.`,
    );
  if (names.every((name) => name === ''))
    throw new UsageError(`Line ${line}: the header has no names. Set --header-row to its line. Nothing was stored.`);
  return names;
}
