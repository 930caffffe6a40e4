import { MAX_LISTED_ERRORS } from '../../../platform/http/domain-error.js';
import { formatValue, type InvalidValue } from '../catalog/stored-value.js';

/** Position of a row in its source. */
export interface RowPosition {
  /** Among the items of the request or the rows of the file, from 0. */
  index: number;
  /** In a file: the line on which the row begins, from 1. */
  line?: number;
  /** The primary-key value, if the row has a valid one. */
  key?: string;
}

export type RowErrorCode =
  | 'required_key'
  | 'required'
  | 'type_mismatch'
  | 'too_long'
  | 'unknown_column'
  | 'ambiguous_column'
  | 'duplicate_in_batch'
  | 'hierarchy_cycle'
  | 'row_too_large'
  | 'cell_count';

/** What is wrong with a row, without its position. */
export interface RowErrorText {
  code: RowErrorCode;
  message: string;
  column?: string;
  /** With `duplicate_in_batch`: position of the other row with the key. */
  otherIndex?: number;
  otherLine?: number;
}

/** Why a row cannot be stored. */
export type RowError = RowPosition & RowErrorText;

/** Characters of a name that a message and an error contain. */
const MAX_QUOTED_NAME = 80;
const MAX_NAME = 255;

export function notAnObject(item: unknown): RowErrorText {
  const message = `A row is an object of column keys and values; this is ${formatValue(item)}.`;
  return { code: 'type_mismatch', message };
}

export function wrongCellCount(expected: number, actual: number): RowErrorText {
  return { code: 'cell_count', message: `The header has ${cells(expected)}; this row has ${cells(actual)}.` };
}

export function rowTooLarge(maxBytes: number, bytes: number): RowErrorText {
  const message = `A row has at most ${maxBytes} bytes; this one has ${bytes}. Shorten its texts.`;
  return { code: 'row_too_large', message };
}

export function unknownColumn(name: string): RowErrorText {
  return { code: 'unknown_column', message: `The table has no column ${quoteName(name)}.`, column: cut(name) };
}

/** The name of an item's field matches several columns. */
export function ambiguousName(name: string): RowErrorText {
  const message = `${quoteName(name)} matches several columns. Use the column key.`;
  return { code: 'ambiguous_column', message, column: cut(name) };
}

/** Two fields of an item match the same column. */
export function columnSentTwice(column: string): RowErrorText {
  const message = `Two fields of the row match the column "${column}". Send it once.`;
  return { code: 'ambiguous_column', message, column };
}

export function invalidValue(column: string, { code, message }: InvalidValue): RowErrorText {
  return { code, message, column };
}

export function missingKey(column: string): RowErrorText {
  return { code: 'required_key', message: `The primary key "${column}" is missing. Send a value.`, column };
}

export function emptyKey(column: string): RowErrorText {
  return { code: 'required_key', message: `"${column}" is the primary key and cannot be empty.`, column };
}

export function requiredIsNull(column: string): RowErrorText {
  return { code: 'required', message: `"${column}" is required and cannot be null.`, column };
}

export function requiredOfNewRow(column: string): RowErrorText {
  return { code: 'required', message: `"${column}" is required, and the row is new. Send a value.`, column };
}

export function duplicateKey(column: string, other: RowPosition): RowErrorText {
  const { index: otherIndex, line: otherLine } = other;
  const where = otherLine === undefined ? `at index ${otherIndex}` : `in line ${otherLine}`;
  const text = { code: 'duplicate_in_batch', message: `The row ${where} has the same key.`, column } as const;
  return { ...text, otherIndex, ...(otherLine === undefined ? {} : { otherLine }) };
}

export function hierarchyCycle(column: string, parent: string): RowErrorText {
  const message = `The parent ${formatValue(parent)} would create a cycle. Choose a row outside this row's subtree.`;
  return { code: 'hierarchy_cycle', message, column };
}

/** The errors of the rows of one table: all are counted, and the first 1,000 are stored. A file may have millions. */
export class RowErrors {
  total = 0;
  /** Rows with at least one error. */
  rows = 0;
  private stored: RowError[] = [];

  /** Adds an error. The caller counts its row. */
  add(error: RowError): void {
    this.total++;
    this.stored.push(error);
    if (this.stored.length >= 4 * MAX_LISTED_ERRORS) this.stored = this.first;
  }

  /** Adds errors of which only the first may be listed. @param rows those that had no error before. */
  addAll(first: readonly RowError[], total: number, rows: number): void {
    for (const error of first) this.add(error);
    this.total += total - first.length;
    this.rows += rows;
  }

  /** Adds the key to the errors of the row that were added last: it is known only after them. */
  setKey(index: number, key: string): void {
    for (let last = this.stored.length - 1; this.stored[last]?.index === index; last--) this.stored[last]!.key ??= key;
  }

  /** The first 1,000 in row order. */
  get first(): RowError[] {
    return this.stored.toSorted((a, b) => a.index - b.index).slice(0, MAX_LISTED_ERRORS);
  }
}

function cells(count: number): string {
  return count === 1 ? '1 cell' : `${count} cells`;
}

function cut(name: string): string {
  return name.slice(0, MAX_NAME);
}

function quoteName(name: string): string {
  return `"${name.slice(0, MAX_QUOTED_NAME)}"`;
}
