import { isHeaderRecord, REPEATED_HEADER } from '../../../../packages/tabular/src/csv-records.js';
import { FileError } from '../exit-codes.js';
import type { ReportedError } from '../failure.js';

/**
 * The names of a header, without outer white space. Empty names belong to columns without values.
 *
 * A name may occur several times: only a mapping that reads it is not certain (`requireDistinctColumns`).
 *
 * @throws {UsageError} if there are no names
 */
export function requireHeader(header: readonly string[], line: number): readonly string[] {
  const names = header.map((name) => name.trim());
  if (names.every((name) => name === ''))
    throw new FileError(`Line ${line}: the header has no names. Set --header-row to its line.`);
  return names;
}

/** The problem of a row that is equal to the header. */
export function findRepeatedHeader(names: readonly string[], cells: readonly unknown[]): ReportedError | undefined {
  return isHeaderRecord(cells, names) ? { code: 'repeated_header', message: REPEATED_HEADER } : undefined;
}
