import {
  type Cells,
  CsvError,
  CsvRecords,
  isBlankRecord,
  RecordFitter,
} from '../../../../packages/tabular/src/csv-records.js';
import { FileError, UsageError } from '../exit-codes.js';
import { MAX_RECORD_LENGTH } from './delimiter.js';
import { findRepeatedHeader, requireHeader } from './header.js';
import { ERROR_COLUMNS, type SourceRow, toOrigin } from './source-row.js';
import type { TextBlock } from './text-blocks.js';

interface CsvLayout {
  delimiter: string;
  quote: string;
  /** The line of the header, from 1. */
  headerRow: number;
}

/** The header of a CSV file. */
interface Header {
  names: readonly string[];
  line: number;
  /** Columns before those of the file: of rejected rows, which have their errors in them. */
  ignored: number;
}

/**
 * Finds out which rows of a CSV file fit its header: rows may have empty cells after the last column, if all have them.
 * Most files have a row without them at the start, and are not read to their end.
 *
 * @throws {UsageError} with the line of what is not CSV, or of a header with more cells than all rows
 */
export async function surveyCsv(blocks: AsyncIterable<TextBlock>, layout: CsvLayout): Promise<RecordFitter> {
  let fitter = new RecordFitter([]);
  let headerLine = 0;
  const takeHeader = ({ names, line }: Header): void => {
    fitter = new RecordFitter(names);
    headerLine = line;
  };
  for await (const records of readRecords(blocks, layout, takeHeader))
    // Rejected rows are only some of the rows of their file.
    if (records.some(({ header, cells, line }) => header.ignored > 0 || fitter.survey(cells, line))) return fitter;
  const problem = fitter.headerProblem;
  if (problem !== undefined) throw new FileError(`Line ${headerLine}: ${problem}`);
  return fitter;
}

/**
 * The rows of a CSV file, in blocks.
 *
 * @throws {UsageError} with the line of what is not CSV
 */
export async function* readCsv(
  blocks: AsyncIterable<TextBlock>,
  layout: CsvLayout,
  fitter: RecordFitter,
  takeHeader: (header: readonly string[], line: number, isRejectedFile: boolean) => void,
): AsyncGenerator<SourceRow[], void> {
  const takeNames = ({ names, line, ignored }: Header): void => takeHeader(names, line, ignored > 0);
  for await (const records of readRecords(blocks, layout, takeNames))
    yield records.map(({ header, cells, line, origin }) => ({ ...toRow(header, cells, fitter, line), origin }));
}

interface CsvRow extends Pick<SourceRow, 'line' | 'origin'> {
  header: Header;
  cells: Cells;
}

/** The records after the header, in blocks. */
async function* readRecords(
  blocks: AsyncIterable<TextBlock>,
  { delimiter, quote, headerRow }: CsvLayout,
  takeHeader: (header: Header) => void,
): AsyncGenerator<CsvRow[], void> {
  const reader = new CsvRecords(MAX_RECORD_LENGTH, { delimiter, quote }, headerRow);
  reader.skipsBlankLines = true;
  let header: Header | undefined;
  for await (const { text } of blocks) {
    const records: CsvRow[] = [];
    toUsageError(() => {
      reader.read(text, (record, line) => {
        if (!header) {
          if (isBlankRecord(record)) return;
          header = toHeader(record, line);
          reader.skipsBlankLines = record.length > 1;
          takeHeader(header);
          return;
        }
        const cells = record.slice(header.ignored);
        const origin = header.ignored > 0 ? toOrigin(record[0]) : undefined;
        if (header.names.length === 1 || !isBlankRecord(cells)) records.push({ header, cells, line, origin });
      });
    });
    if (records.length > 0) yield records;
  }
  toUsageError(() => {
    reader.end();
  });
  if (!header) throw emptyFile(headerRow);
}

function toHeader(record: Cells, line: number): Header {
  const names = record.map((name) => name?.trim() ?? '');
  const ignored = ERROR_COLUMNS.every((name, position) => names[position] === name) ? ERROR_COLUMNS.length : 0;
  return { names: requireHeader(names.slice(ignored), line), line, ignored };
}

/** Of rejected rows, which people have changed. */
const CORRECTION = ' Give the row a cell for each column. A text that contains the delimiter needs quotes around it.';

function toRow({ names, ignored }: Header, record: Cells, fitter: RecordFitter, line: number): SourceRow {
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
  return new FileError(`Line ${line} must be the header that names the columns, but the file has no more lines.`);
}

function toUsageError(read: () => void): void {
  try {
    read();
  } catch (error) {
    throw error instanceof CsvError ? new FileError(error.message) : error;
  }
}
