import { unguardFormula } from './csv-text.js';
import { countLineEnds } from './lines.js';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const NO_QUOTE = -1;
/** Files in a row have it in the middle. */
const BYTE_ORDER_MARK = 0xfeff;
/** A line with its end. */
const LINE = /[^\r\n]*(?:\r\n|\r|\n|$)/y;

/** Cells of a record. An empty cell without quotes is null, one with quotes is an empty text. */
export type Cells = (string | null)[];

/** @param sent the record as it was sent. */
type TakeRecord = (cells: Cells, line: number, sent: () => string) => void;

export interface CsvFormat {
  /** Between cells: one character. */
  delimiter: string;
  /** Around cells: one character, or an empty text if no character quotes cells. */
  quote: string;
}

/** A text that is not CSV. */
export class CsvError extends Error {
  /**
   * @param line on which the record begins, from 1
   * @param problem continues `Line 7 …`
   * @param limit of a record that is too long, in characters
   */
  constructor(
    readonly line: number,
    readonly problem: string,
    readonly limit?: number,
  ) {
    super(`Line ${line} ${problem}`);
  }
}

/**
 * Reads CSV (RFC 4180) in blocks of whole lines, whose ends are LF, CR or CRLF. Empty lines are skipped. A quote is
 * text in a cell that does not begin with a quote: `5" pipe`. A byte order mark before a record is skipped, and
 * blanks before a quote.
 * docs/adr/0108 states why this is not csv-parse; the test compares both.
 */
export class CsvRecords {
  /** Skip lines of only blanks too? If records have one cell, such a line is a record. */
  skipsBlankLines = false;
  /** The start of a record that continues in the next block. */
  private incomplete = '';
  /** Line on which the current record begins. */
  private line = 1;
  private text = '';
  /** Position of the next character in `text`. */
  private at = 0;

  private readonly delimiter: number;
  private readonly quote: number;

  /** @param firstLine of the records. The lines before it are skipped. */
  constructor(
    private readonly maxRecordLength: number,
    { delimiter = ',', quote = '"' }: Partial<CsvFormat> = {},
    private readonly firstLine = 1,
  ) {
    this.delimiter = delimiter.charCodeAt(0);
    this.quote = quote === '' ? NO_QUOTE : quote.charCodeAt(0);
  }

  /** @throws {CsvError} */
  read(text: string, take: TakeRecord): void {
    this.text = this.incomplete === '' ? text : this.incomplete + text;
    this.at = 0;
    this.skipLines();
    let start = this.at;
    while (start < this.text.length && this.readRecord(take)) start = this.at;
    this.incomplete = start === 0 ? this.text : this.text.slice(start);
    if (this.incomplete.length > this.maxRecordLength) {
      const limit = this.maxRecordLength;
      throw new CsvError(
        this.line,
        `begins a row of more than ${limit} characters, or a quote in it is not closed.`,
        limit,
      );
    }
  }

  /** Called after the last block. @throws {CsvError} if a record is incomplete. */
  end(): void {
    if (this.incomplete !== '') throw new CsvError(this.line, 'begins a record with a quote that is not closed.');
  }

  /** Moves to the first line of the records. */
  private skipLines(): void {
    for (; this.line < this.firstLine && this.at < this.text.length; this.line++) {
      LINE.lastIndex = this.at;
      LINE.exec(this.text);
      this.at = LINE.lastIndex;
    }
  }

  /** @returns false if the record does not end in this text. */
  private readRecord(take: TakeRecord): boolean {
    const { text } = this;
    const cells: Cells = [];
    if (text.charCodeAt(this.at) === BYTE_ORDER_MARK) this.at++;
    const start = this.at;
    let lines = 1;
    this.skipBlanksBeforeQuote();
    const isQuoted = text.charCodeAt(this.at) === this.quote;
    for (;;) {
      this.skipBlanksBeforeQuote();
      if (text.charCodeAt(this.at) === this.quote) {
        const from = this.at;
        const cell = this.readQuoted();
        if (cell === undefined) return false;
        lines += countLineEnds(text, from, this.at);
        cells.push(cell);
      } else {
        cells.push(this.readPlain());
      }
      const next = text.charCodeAt(this.at);
      this.at++;
      if (next === this.delimiter) continue;
      if (next === RETURN && text.charCodeAt(this.at) === NEWLINE) this.at++;
      break;
    }
    const isSkipped = cells.length === 1 && !isQuoted && this.isBlank(cells[0]!);
    const end = this.at;
    if (!isSkipped) take(cells, this.line, () => text.slice(start, end).replace(/\r?\n$|\r$/, ''));
    this.line += lines;
    return true;
  }

  /** As in `"1001", "Feed pump"`. Other cells include their blanks. */
  private skipBlanksBeforeQuote(): void {
    const { text, delimiter, quote } = this;
    let at = this.at;
    while (isBlankCode(text.charCodeAt(at)) && text.charCodeAt(at) !== delimiter) at++;
    if (at > this.at && text.charCodeAt(at) === quote) this.at = at;
  }

  private isBlank(line: string | null): boolean {
    return line === null || (this.skipsBlankLines && line.trim() === '');
  }

  /** Moves to the character that ends the cell. */
  private readPlain(): string | null {
    const { text, at: from, delimiter } = this;
    let at = from;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === delimiter || code === NEWLINE || code === RETURN) break;
    }
    this.at = at;
    return at === from ? null : unguardFormula(text.slice(from, at));
  }

  /** Moves to the character that ends a cell in quotes. @returns undefined if the cell does not end in this text. */
  private readQuoted(): string | undefined {
    const { text, quote } = this;
    const mark = String.fromCharCode(quote);
    let from = this.at + 1;
    let cell = '';
    for (;;) {
      const end = text.indexOf(mark, from);
      if (end < 0) return undefined;
      if (text.charCodeAt(end + 1) !== quote) {
        cell += text.slice(from, end);
        this.at = end + 1;
        break;
      }
      // A doubled quote is one quote of the value.
      cell += text.slice(from, end + 1);
      from = end + 2;
    }
    const next = text.charCodeAt(this.at);
    const isEnd = this.at >= text.length || next === this.delimiter || next === NEWLINE || next === RETURN;
    if (!isEnd)
      throw new CsvError(
        this.line,
        'begins a record in which text follows the closing quote of a cell. Double the quotes within a cell.',
      );
    return unguardFormula(cell);
  }
}

function isBlankCode(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** What is wrong with a record that is equal to the header. */
export const REPEATED_HEADER =
  'The row is equal to the header, as between two files in a row. Remove the row, or import each file by itself.';

/** Has a record the names of the header? Between two files in a row is the header of the second one. */
export function isHeaderRecord(cells: readonly unknown[], names: readonly string[]): boolean {
  return cells.length === names.length && cells.every((cell, at) => toName(cell) === names[at]);
}

function toName(cell: unknown): unknown {
  return typeof cell === 'string' ? cell.trim() : (cell ?? '');
}

/** Has no cell of the record a value? */
export function isBlankRecord(cells: Cells): boolean {
  return cells.every((cell) => cell === null);
}

/** Of a record: how many cells it has. */
interface CellCount {
  cells: number;
  line: number;
}

/**
 * Fits the records of a file to its header. Each has as many cells as the header. A record that ends with a delimiter
 * has an empty cell after the last column. If all records end so, they fit. If only some do, or if some have more empty
 * cells, a delimiter in a text without quotes may have moved their cells, and they do not fit. If the first record ends
 * so, and it is uncertain whether it or another one is wrong, no record fits.
 */
export class RecordFitter {
  private first?: CellCount;
  /** A record that has another number of cells than the first one. */
  private other?: CellCount;
  /** Cells of the records that fit; 0 if it is uncertain. */
  private width: number;

  private readonly columns: number;
  /** Columns without the last ones that have no name. */
  private readonly named: number;
  /** Cells of all records if these have fewer cells than the header, but one for each name; otherwise 0. */
  private shortWidth?: number;

  /** @param names of the columns in the header. */
  constructor(names: readonly string[]) {
    this.columns = names.length;
    this.named = names.findLastIndex((name) => name !== '') + 1;
    this.width = this.columns;
  }

  /** What is wrong with the header if no record has its cells, but all have one for each name; after the survey. */
  get headerProblem(): string | undefined {
    if (!this.shortWidth) return undefined;
    return (
      `The header ends with a delimiter and has ${formatCells(this.columns)}; all rows have ${formatCells(this.shortWidth)}. ` +
      'Remove the delimiter at the end of the header.'
    );
  }

  /**
   * Counts the cells of a record. Called for the records in their order, before the first one is fitted.
   *
   * @returns true if further records do not matter: most files have such a record first.
   */
  survey(cells: Cells, line: number): boolean {
    if (isBlankRecord(cells)) return false;
    const isShort = cells.length >= this.named && cells.length < this.columns;
    this.shortWidth = isShort && (this.shortWidth ?? cells.length) === cells.length ? cells.length : 0;
    if (!this.couldFit(cells)) return false;
    const count = { cells: cells.length, line };
    const isFirst = !this.first;
    this.first ??= count;
    // A record that ends with a value does not end with a delimiter.
    if (cells.length === this.columns && (isFirst || cells.at(-1) !== null)) {
      this.width = this.columns;
      this.other = count;
      return true;
    }
    if (cells.length !== this.first.cells) this.other ??= count;
    if (cells.length === this.columns) this.width = 0;
    else if (isFirst || cells.length < this.width) this.width = cells.length;
    return false;
  }

  /** @returns the cells of the columns; undefined if the record does not fit. */
  fit(cells: Cells): Cells | undefined {
    return cells.length === this.width && this.couldFit(cells) ? cells.slice(0, this.columns) : undefined;
  }

  /** The error of a record that does not fit. @param ignored cells before those of the file, which are counted, too. */
  describe(cells: Cells, ignored = 0): string {
    const number = formatCells(ignored + cells.length);
    const other = [this.other, this.first].find((count) => count && count.cells !== cells.length);
    if (!other || !this.couldFit(cells))
      return `The header has ${formatCells(ignored + this.columns)}; this row has ${number}.`;
    return (
      `This row has ${number}; line ${other.line} has ${formatCells(ignored + other.cells)}. ` +
      'Quote a text that contains the delimiter, or end all rows with one.'
    );
  }

  private couldFit(cells: Cells): boolean {
    const { columns } = this;
    return cells.length === columns || (cells.length > columns && isBlankRecord(cells.slice(columns)));
  }
}

function formatCells(count: number): string {
  return `${count} ${count === 1 ? 'cell' : 'cells'}`;
}
