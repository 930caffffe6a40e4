import { MalformedImportError, LineTooLongError } from './imports.errors.js';

const QUOTE = 0x22;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Cells of a record. An empty one is null, also with quotes. */
export type Cells = (string | null)[];

/** @param sent the record as it was sent. */
type TakeRecord = (cells: Cells, line: number, sent: () => string) => void;

/**
 * Reads CSV (RFC 4180) in blocks of whole lines. Empty lines are skipped. docs/adr/0023 states why this is not csv-parse;
 * the test compares the results of both.
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

  constructor(
    private readonly maxRecordLength: number,
    delimiter = ',',
  ) {
    this.delimiter = delimiter.charCodeAt(0);
  }

  /** @throws {MalformedImportError | LineTooLongError} naming the line on which the record begins. */
  read(text: string, take: TakeRecord): void {
    this.text = this.incomplete === '' ? text : this.incomplete + text;
    this.at = 0;
    let start = 0;
    while (start < this.text.length && this.readRecord(take)) start = this.at;
    this.incomplete = start === 0 ? this.text : this.text.slice(start);
    if (this.incomplete.length > this.maxRecordLength) {
      throw new LineTooLongError(this.line, this.maxRecordLength, ', or a quote in it is not closed');
    }
  }

  /** Called after the last block. @throws {MalformedImportError} if a record is incomplete. */
  end(): void {
    if (this.incomplete !== '')
      throw new MalformedImportError(this.line, 'begins a record with a quote that is not closed.');
  }

  /** @returns false if the record does not end in this text. */
  private readRecord(take: TakeRecord): boolean {
    const { text } = this;
    const cells: Cells = [];
    const start = this.at;
    let lines = 1;
    for (;;) {
      if (text.charCodeAt(this.at) === QUOTE) {
        const from = this.at;
        const cell = this.readQuoted();
        if (cell === undefined) return false;
        lines += newlinesIn(text, from, this.at);
        cells.push(cell);
      } else {
        cells.push(this.readPlain());
      }
      const next = text.charCodeAt(this.at);
      this.at++;
      if (next === this.delimiter) continue;
      if (next === RETURN) this.at++;
      break;
    }
    const isSkipped = cells.length === 1 && text.charCodeAt(start) !== QUOTE && this.isBlank(cells[0]!);
    const end = this.at;
    if (!isSkipped) take(cells, this.line, () => text.slice(start, end).replace(/\r?\n$/, ''));
    this.line += lines;
    return true;
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
      if (code === delimiter || code === NEWLINE || (code === RETURN && isEnd(text, at + 1))) break;
      if (code === QUOTE)
        throw new MalformedImportError(
          this.line,
          'has a quote within a cell that does not begin with one. Quote the whole cell.',
        );
    }
    this.at = at;
    return at === from ? null : text.slice(from, at);
  }

  /** The same for a cell in quotes. @returns undefined if it does not end in this text. */
  private readQuoted(): string | null | undefined {
    const { text } = this;
    let from = this.at + 1;
    let cell = '';
    for (;;) {
      const end = text.indexOf('"', from);
      if (end < 0) return undefined;
      if (text.charCodeAt(end + 1) !== QUOTE) {
        cell += text.slice(from, end);
        this.at = end + 1;
        break;
      }
      // A doubled quote is one quote of the value.
      cell += text.slice(from, end + 1);
      from = end + 2;
    }
    const next = text.charCodeAt(this.at);
    if (next !== this.delimiter && !isEnd(text, this.at) && !(next === RETURN && isEnd(text, this.at + 1))) {
      throw new MalformedImportError(
        this.line,
        'has something other than a delimiter after the closing quote of a cell.',
      );
    }
    return cell === '' ? null : cell;
  }
}

/** Does a record end here? */
function isEnd(text: string, at: number): boolean {
  return at >= text.length || text.charCodeAt(at) === NEWLINE;
}

function newlinesIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
