import {
  type Cells,
  CsvError,
  CsvRecords,
  isBlankRecord,
  RecordFitter,
} from '../../../../packages/tabular/src/csv-records.js';
import { UsageError } from '../exit-codes.js';
import { MAX_RECORD_LENGTH } from './delimiter.js';
import { findRepeatedHeader, requireHeader } from './header.js';
import { ERROR_COLUMNS, type SourceRow } from './source-row.js';
import type { TextBlock } from './text-blocks.js';

interface CsvLayout {
  delimiter: string;
  quote: string;
  /** The line of the header, from 1. */
  headerRow: number;
}

/**
 * The rows of a CSV file, in blocks.
 *
 * @throws {UsageError} with the line of what is not CSV
 */
export async function* readCsv(
  blocks: AsyncIterable<TextBlock>,
  { delimiter, quote, headerRow }: CsvLayout,
  takeHeader: (header: readonly string[], line: number, isRejectedFile: boolean) => void,
): AsyncGenerator<SourceRow[], void> {
  const records = new CsvRecords(MAX_RECORD_LENGTH, { delimiter, quote }, headerRow);
  records.skipsBlankLines = true;
  let names: readonly string[] | undefined;
  let fitter!: RecordFitter;
  /** Columns before those of the file. */
  let ignored = 0;
  for await (const { text } of blocks) {
    const rows: SourceRow[] = [];
    toUsageError(() => {
      records.read(text, (record, line) => {
        if (!names && isBlankRecord(record)) return;
        if (!names) {
          const header = record.map((name) => name?.trim() ?? '');
          ignored = ERROR_COLUMNS.every((name, position) => header[position] === name) ? ERROR_COLUMNS.length : 0;
          names = requireHeader(header.slice(ignored), line);
          // The first one of rejected rows is any row of its file.
          fitter = new RecordFitter(names.length, ignored > 0);
          records.skipsBlankLines = header.length > 1;
          takeHeader(names, line, ignored > 0);
          return;
        }
        const cells = record.slice(ignored);
        if (names.length > 1 && isBlankRecord(cells)) return;
        rows.push(toRow(names, cells, fitter, { line, ignored }));
      });
    });
    if (rows.length > 0) yield rows;
  }
  toUsageError(() => {
    records.end();
  });
  if (!names) throw emptyFile(headerRow);
}

/** Of rejected rows, which people have changed. */
const CORRECTION = ' Give the row a cell for each column. A text that contains the delimiter needs quotes around it.';

/** @param position `ignored`: cells of rejected rows before those of the file; people see and count them, too */
function toRow(
  names: readonly string[],
  record: Cells,
  fitter: RecordFitter,
  { line, ignored }: { line: number; ignored: number },
): SourceRow {
  const cells = fitter.fit(record);
  const reject = (message: string): SourceRow => {
    return { line, names, cells: record, problem: { code: 'cell_count', message } };
  };
  if (!cells) {
    const counts = fitter.describe(record, ignored);
    return reject(ignored > 0 ? `${counts}${CORRECTION}` : counts);
  }
  const unnamed = names.findIndex((name, position) => name === '' && cells[position] !== null);
  return unnamed < 0
    ? { line, names, cells, problem: findRepeatedHeader(names, cells) }
    : reject(`Cell ${ignored + unnamed + 1} has a value, but the header has no name for it.`);
}

export function emptyFile(line: number): UsageError {
  return new UsageError(
    `Line ${line} must be the header that names the columns, but the file has no more lines. Nothing was stored.`,
  );
}

function toUsageError(read: () => void): void {
  try {
    read();
  } catch (error) {
    throw error instanceof CsvError ? new UsageError(`${error.message} Nothing was stored.`) : error;
  }
}
