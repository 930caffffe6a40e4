import { type ErrorCount, MAX_LISTED_ERRORS } from '../../../errors/src/domain-error.js';
import type { HTTP_ERRORS } from '../../../errors/src/http.errors.js';
import type { VALUE_ERRORS } from '../catalog/values.errors.js';
import { formatValue, type InvalidValue } from '../../../tabular/src/stored-value.js';

/** Position of a row in its source. */
export interface RowPosition {
  /** Among the items of the request or the rows of the file, from 0. */
  index: number;
  /** In a file: the line on which the row begins, from 1. */
  line?: number;
  /** The primary-key value, if the row has a valid one. */
  key?: string;
}

/** Defined by the service in `IMPORT_ERRORS`. */
export type FileRowErrorCode = 'cell_count' | 'repeated_header' | 'outside_scope';

/** Defined by the service in `BATCH_ERRORS`. */
export type UndoneRowErrorCode = 'changed_since';

export type RowErrorCode =
  keyof typeof VALUE_ERRORS | typeof HTTP_ERRORS.required.code | FileRowErrorCode | UndoneRowErrorCode;

/** What is wrong with a row, without its position. */
export interface RowErrorContent {
  code: RowErrorCode;
  message: string;
  column?: string;
  /** With `duplicate_in_batch`: position of the other row with the key. */
  otherIndex?: number;
  otherLine?: number;
  /** Of the violated constraint, if rows that violate any are stored. */
  level?: 'error' | 'warning';
}

/** Why a row cannot be stored. */
export type RowError = RowPosition & RowErrorContent;

/** Rows with the same key that an error lists. */
export const MAX_LISTED_DUPLICATES = 10;

/** Errors of each kind that a response lists at least, if there are that many. */
const LISTED_PER_KIND = 20;

/** Kinds of errors that are counted separately: a file may have any number of unknown columns. */
const MAX_KINDS = 1_000;

/** Characters of a name that a message and an error contain. */
const MAX_QUOTED_NAME = 80;
const MAX_NAME = 255;

export function createNotAnObjectError(item: unknown): RowErrorContent {
  const message = `A row is an object of column keys and values; this is ${formatValue(item)}.`;
  return { code: 'type_mismatch', message };
}

export function createCellCountError(message: string): RowErrorContent {
  return { code: 'cell_count', message };
}

/** @param position of the column, from 1 */
export function createUnnamedColumnError(position: number): RowErrorContent {
  const message = `Cell ${position} has a value, but the header has no name for it. Name the column, or remove the value.`;
  return { code: 'cell_count', message };
}

export function createRowTooLargeError(maxBytes: number, bytes: number): RowErrorContent {
  const message = `A row has at most ${maxBytes} bytes; this one has ${bytes}. Shorten its texts.`;
  return { code: 'row_too_large', message };
}

export function createUnknownColumnError(name: string): RowErrorContent {
  return { code: 'unknown_column', message: `The table has no column ${quoteName(name)}.`, column: truncateName(name) };
}

/** The name of an item's field matches several columns. */
export function createAmbiguousColumnError(name: string): RowErrorContent {
  const message = `${quoteName(name)} matches several columns. Use the column key.`;
  return { code: 'ambiguous_column', message, column: truncateName(name) };
}

/** Two fields of an item match the same column. */
export function createColumnSentTwiceError(column: string): RowErrorContent {
  const message = `Two fields of the row match the column "${column}". Send it once.`;
  return { code: 'ambiguous_column', message, column };
}

export function createInvalidValueError(column: string, { code, message }: InvalidValue): RowErrorContent {
  return { code, message, column };
}

export function createMissingKeyError(column: string): RowErrorContent {
  return { code: 'required_key', message: `The primary key "${column}" is missing. Send a value.`, column };
}

export function createEmptyKeyError(column: string): RowErrorContent {
  return { code: 'required_key', message: `"${column}" is the primary key and cannot be empty.`, column };
}

export function createEmptyRequiredColumnError(column: string): RowErrorContent {
  return { code: 'required', message: `"${column}" is required and cannot be empty.`, column };
}

export function createMissingInNewRowError(column: string): RowErrorContent {
  return { code: 'required', message: `"${column}" is required, and the row is new. Send a value.`, column };
}

/** Other rows with the key of a row. */
export interface SameKeyRows {
  /** The first ten. */
  first: readonly RowPosition[];
  total: number;
}

export function createDuplicateKeyError(column: string, { first, total }: SameKeyRows): RowErrorContent {
  const [{ index: otherIndex, line: otherLine } = { index: 0 }] = first;
  const numbers = first.map(({ index, line }) => line ?? index);
  const more = total > numbers.length ? ` and ${total - numbers.length} more` : '';
  const listed =
    more === '' && numbers.length > 1 ? `${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}` : numbers.join(', ');
  const noun =
    otherLine === undefined ? (total === 1 ? 'at index' : 'at the indexes') : total === 1 ? 'in line' : 'in the lines';
  const message = `The ${total === 1 ? 'row' : 'rows'} ${noun} ${listed}${more} ${total === 1 ? 'has' : 'have'} the same key.`;
  const text = { code: 'duplicate_in_batch', message, column } as const;
  return { ...text, otherIndex, otherLine };
}

/** The other rows of a list of rows with the same key. @param total of the list, if it is longer than passed. */
export function findOthers(rows: readonly RowPosition[], index: number, total = rows.length): SameKeyRows {
  return { first: rows.filter((row) => row.index !== index).slice(0, MAX_LISTED_DUPLICATES), total: total - 1 };
}

export function createOutsideScopeError(): RowErrorContent {
  const message =
    'The row is not in the part of the table that the import replaces. Remove it, or import it without this scope.';
  return { code: 'outside_scope', message };
}

/** The row is not in the part of the table that the access policy of the caller permits, before or after the write. */
export function createOutsidePolicyError(): RowErrorContent {
  return { code: 'outside_policy', message: 'The access policy of the caller does not permit this row.' };
}

export function createHierarchyCycleError(column: string, parent: string): RowErrorContent {
  const message = `The parent ${formatValue(parent)} would create a cycle. Choose a row outside this row's subtree.`;
  return { code: 'hierarchy_cycle', message, column };
}

/** The errors of the rows of one table: all are counted, and some are stored for the list. A file may have millions. */
export class RowErrors {
  total = 0;
  /** Rows with at least one error. */
  rows = 0;
  private stored: RowError[] = [];
  private readonly counts = new Map<string, ErrorCount>();

  /** Adds an error. The caller counts its row. */
  add(error: RowError): void {
    this.count(error, 1);
    this.store(error);
  }

  /** Adds errors of one kind of which only the first may be listed. @param rows those that had no error before. */
  addKind(first: readonly RowError[], total: number, rows: number): void {
    if (first[0]) this.count(first[0], total);
    for (const error of first) this.store(error);
    this.rows += rows;
  }

  /** Adds the errors of other rows. */
  addAll(others: RowErrors): void {
    for (const { count, ...kind } of others.counts.values()) this.count(kind, count);
    for (const error of others.stored) this.store(error);
    this.rows += others.rows;
  }

  /** Adds the key to the errors of the row that were added last: it is known only after them. */
  setKey(index: number, key: string): void {
    for (let last = this.stored.length - 1; this.stored[last]?.index === index; last--) this.stored[last]!.key ??= key;
  }

  /** In row order: see `selectErrors`. */
  get first(): RowError[] {
    return selectErrors(this.stored.toSorted((a, b) => a.index - b.index));
  }

  /** The number of errors of each kind. */
  get summary(): ErrorCount[] {
    return [...this.counts.values()];
  }

  private count({ code, column }: { code: string; column?: string }, count: number): void {
    this.total += count;
    const named = this.counts.size < MAX_KINDS || this.counts.has(toKind({ code, column })) ? column : undefined;
    const kind = toKind({ code, column: named });
    const counted = this.counts.get(kind);
    if (counted) counted.count += count;
    else this.counts.set(kind, { code, column: named, count });
  }

  private store(error: RowError): void {
    this.stored.push(error);
    if (this.stored.length >= 4 * MAX_LISTED_ERRORS) this.stored = this.first;
  }
}

/** The sum of several summaries, the most frequent kind first. */
export function mergeSummaries(summaries: readonly (readonly ErrorCount[])[]): ErrorCount[] {
  const merged = new Map<string, ErrorCount>();
  for (const counted of summaries.flat()) {
    const known = merged.get(toKind(counted));
    if (known) known.count += counted.count;
    else merged.set(toKind(counted), { ...counted });
  }
  return [...merged.values()].sort((a, b) => b.count - a.count);
}

/**
 * The errors that a response lists, in the same order: the first 1,000, but at least 20 of each kind, so that a
 * frequent error does not hide the others. With more than 50 kinds the same number of each.
 */
export function selectErrors<Listed extends { code: string; column?: string }>(errors: readonly Listed[]): Listed[] {
  if (errors.length <= MAX_LISTED_ERRORS) return [...errors];
  const kinds = new Map<string, number>();
  for (const error of errors) kinds.set(toKind(error), 0);
  const quota = Math.max(1, Math.min(LISTED_PER_KIND, Math.floor(MAX_LISTED_ERRORS / kinds.size)));
  const isFirstOfKind = errors.map((error) => {
    const kind = toKind(error);
    const count = kinds.get(kind)! + 1;
    kinds.set(kind, count);
    return count <= quota;
  });
  let others = MAX_LISTED_ERRORS - isFirstOfKind.filter(Boolean).length;
  return errors.filter((_, position) => isFirstOfKind[position]! || others-- > 0).slice(0, MAX_LISTED_ERRORS);
}

function toKind({ code, column = '' }: { code: string; column?: string }): string {
  return `${code} ${column}`;
}

function truncateName(name: string): string {
  return name.slice(0, MAX_NAME);
}

function quoteName(name: string): string {
  return `"${name.slice(0, MAX_QUOTED_NAME)}"`;
}
