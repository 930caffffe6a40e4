import { CsvError, CsvRecords, isBlankRecord } from '../../../../packages/tabular/src/csv-records.js';
import { FileError } from '../exit-codes.js';
import type { TextBlock } from './text-blocks.js';

const DELIMITERS = [';', ',', '\t', '|'];
/** A control character that texts do not contain, for files of one column. */
const NO_DELIMITER = '\u001f';

/** Characters of a record, as the service limits it. */
export const MAX_RECORD_LENGTH = 1024 * 1024;

interface DetectedDelimiter {
  delimiter: string;
  evidence: string;
}

export function describeDelimiter(delimiter: string): string {
  if (delimiter === NO_DELIMITER) return 'none';
  return delimiter === '\t' ? 'tab' : delimiter;
}

/** The cells of the records of a file for one delimiter. */
class Candidate {
  /** Cells of the header. */
  columns = 0;
  /** Do all records have the cells of the header, and the same number of empty ones after the last column? */
  isConsistent = true;
  /** Cells of all records after the header, if they have the same number; 0 before the first one. */
  width = 0;
  hasEqualRows = true;
  private readonly records: CsvRecords;

  constructor(
    readonly delimiter: string,
    quote: string,
    headerRow: number,
  ) {
    this.records = new CsvRecords(MAX_RECORD_LENGTH, { delimiter, quote }, headerRow);
    this.records.skipsBlankLines = true;
  }

  read(text: string): void {
    try {
      this.records.read(text, (cells) => {
        if (isBlankRecord(cells)) return;
        if (this.columns === 0) this.columns = cells.length;
        else {
          this.hasEqualRows &&= this.width === 0 || this.width === cells.length;
          const couldFit = cells.length >= this.columns && isBlankRecord(cells.slice(this.columns));
          this.isConsistent &&= this.hasEqualRows && couldFit;
          this.width = cells.length;
        }
      });
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      this.isConsistent = this.hasEqualRows = false;
    }
  }
}

/**
 * Detects what separates the cells. A character that is the only one of the usual ones in the header is certain; of
 * several characters, one for which all records have the cells of the header.
 *
 * @throws {UsageError} if several characters, or none, may separate the cells
 */
export async function detectDelimiter(
  blocks: AsyncIterable<TextBlock>,
  { quote, headerRow }: { quote: string; headerRow: number },
): Promise<DetectedDelimiter> {
  const possible = DELIMITERS.filter((delimiter) => delimiter !== quote);
  const all = possible.map((delimiter) => new Candidate(delimiter, quote, headerRow));
  let candidates: Candidate[] = all;
  for await (const { text } of blocks) {
    for (const candidate of candidates) candidate.read(text);
    const inHeader = all.filter(({ columns }) => columns > 1);
    if (inHeader.length === 1) return { delimiter: inHeader[0]!.delimiter, evidence: 'the header' };
    candidates = (inHeader.length > 1 ? inHeader : all).filter((each) => each.isConsistent || each.hasEqualRows);
    if (candidates.length === 0) break;
  }
  const inHeader = all.filter(({ columns }) => columns > 1);
  if (inHeader.length > 1) {
    const consistent = inHeader.filter(({ isConsistent }) => isConsistent);
    if (consistent.length === 1) return { delimiter: consistent[0]!.delimiter, evidence: 'the cells of all rows' };
    const named = inHeader.map(({ delimiter }) => `"${describeDelimiter(delimiter)}"`).join(' and ');
    throw new FileError(`Cells may be separated by ${named}. Set --delimiter.`);
  }
  const inRows = all.find(({ hasEqualRows, width }) => hasEqualRows && width > 1);
  if (inRows)
    throw new FileError(
      `The header has one cell, but all rows have ${inRows.width} cells separated by "${describeDelimiter(inRows.delimiter)}". ` +
        'Set --header-row to the line of the header, or --delimiter.',
    );
  return { delimiter: NO_DELIMITER, evidence: 'the file has one column' };
}
