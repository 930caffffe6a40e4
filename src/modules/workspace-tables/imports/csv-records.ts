import { MalformedImportError, TooLongLineError } from './imports.errors.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Cells of a record; an empty one is null, in quotes or not. */
export type Cells = (string | null)[];

type TakeRecord = (cells: Cells, line: number) => void;

/**
 * Reads CSV as RFC 4180 has it, block by block of whole lines. Lines with nothing in them are passed over. Why this is
 * not csv-parse, against which its test holds it: docs/adr/0023.
 */
export class CsvRecords {
  /** Pass over lines of blanks alone too? Where records have one cell, that is one. */
  passesOverBlanks = false;
  /** A record that goes on in the next block, and where it began. */
  private begun = '';
  private line = 1;
  private text = '';
  /** Where the record at hand is read. */
  private at = 0;

  constructor(private readonly maxRecordLength: number) {}

  /** @throws {MalformedImportError | TooLongLineError} naming the line on which the record begins. */
  read(text: string, take: TakeRecord): void {
    this.text = this.begun === '' ? text : this.begun + text;
    this.at = 0;
    let start = 0;
    while (start < this.text.length && this.readRecord(take)) start = this.at;
    this.begun = start === 0 ? this.text : this.text.slice(start);
    if (this.begun.length > this.maxRecordLength) {
      throw new TooLongLineError(this.line, this.maxRecordLength, ', or a quote in it is not closed');
    }
  }

  /** The file is over. @throws {MalformedImportError} */
  end(): void {
    if (this.begun !== '')
      throw new MalformedImportError(this.line, 'begins a record with a quote that is not closed.');
  }

  /** @returns whether the record ends in this text. */
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
      if (next === COMMA) continue;
      if (next === RETURN) this.at++;
      break;
    }
    const isBlank = cells.length === 1 && text.charCodeAt(start) !== QUOTE && this.isPassedOver(cells[0]!);
    if (!isBlank) take(cells, this.line);
    this.line += lines;
    return true;
  }

  private isPassedOver(line: string | null): boolean {
    return line === null || (this.passesOverBlanks && line.trim() === '');
  }

  /** Up to what ends it; the place is there afterwards. */
  private readPlain(): string | null {
    const { text, at: from } = this;
    let at = from;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === COMMA || code === NEWLINE || (code === RETURN && isEnd(text, at + 1))) break;
      if (code === QUOTE)
        throw new MalformedImportError(this.line, 'has a quote within a cell that does not begin with one.');
    }
    this.at = at;
    return at === from ? null : text.slice(from, at);
  }

  /** Undefined where it does not end in this text. */
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
      // Two of them are one that is meant.
      cell += text.slice(from, end + 1);
      from = end + 2;
    }
    const next = text.charCodeAt(this.at);
    if (next !== COMMA && !isEnd(text, this.at) && !(next === RETURN && isEnd(text, this.at + 1))) {
      throw new MalformedImportError(this.line, 'has something other than a comma behind the closing quote of a cell.');
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
