import { ColumnFinder } from '../../../tabular/src/column-finder.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getCoercion, type Coercion, coerceKey } from '../../../tabular/src/coercions.js';
import { normalizeName } from '../../../tabular/src/normalization.js';
import { getPrimaryKey } from '../catalog/physical-table.js';
import { InvalidValue, type StoredValue } from '../../../tabular/src/stored-value.js';
import {
  createAmbiguousColumnError,
  createColumnSentTwiceError,
  createEmptyKeyError,
  createInvalidValueError,
  createMissingKeyError,
  createNotAnObjectError,
  createEmptyRequiredColumnError,
  type RowError,
  type RowErrorContent,
  RowErrors,
  createRowTooLargeError,
  createUnknownColumnError,
} from './row-errors.js';

/** Which of several rows with the same key is stored; with `error` none of them. */
export type OnDuplicate = 'error' | 'first' | 'last';

/** How rows are read, if not by the rules of bulk requests. */
export interface RowReaderOptions {
  /** Skip fields that match no column? */
  ignoresUnknown?: boolean;
  /** Column keys by normalized names of fields that differ from key and name of the column. */
  columnKeys?: ReadonlyMap<string, string>;
  /** Replaces the coercion of a column, to read other formats. @param coerce by the rules of bulk requests. */
  adapt?: (column: CatalogColumn, coerce: Coercion) => Coercion;
  onDuplicate?: OnDuplicate;
}

/** The values of one column. `undefined` if a row did not send the column: its stored value remains. */
export interface ColumnValues {
  column: CatalogColumn;
  values: (StoredValue | undefined)[];
  /** Did every row send it? */
  complete: boolean;
}

/** Rows as one array per column, which is how they are sent to the database. */
export interface RowBatch {
  /** Position of each row among the items. */
  indexes: number[];
  keys: string[];
  /** The columns that at least one row sent, without the primary key. */
  columns: ColumnValues[];
}

/** A row that could not be parsed into an item. The rows next to it may be valid. */
export class UnreadableRow {
  constructor(readonly error: RowErrorContent) {}
}

interface ColumnBuffer extends Omit<ColumnValues, 'complete'> {
  coerce: Coercion;
  sent: number;
  /** Index of the item that set the last value; detects two names of one item for the same column. */
  filledBy: number;
}

/** Names of fields whose column is cached: a body may contain any number of unknown ones. */
const MAX_CACHED_NAMES = 10_000;

/** Coerces items into arrays of stored values, and collects every error. Rows with an error are not in the arrays. */
export class RowReader {
  errors = new RowErrors();
  /** Rows whose key is unknown: it is missing or invalid, or they are not objects or have too many or too few cells. */
  unreadable = 0;
  /** Keys of rows with an error, by index: another row with the same key is a duplicate. */
  readonly rejectedKeys = new Map<number, string>();
  private readonly indexes: number[] = [];
  private readonly keys: string[] = [];
  private readonly buffers = new Map<CatalogColumn, ColumnBuffer>();
  private readonly bufferByName = new Map<string, ColumnBuffer | typeof createUnknownColumnError>();
  private readonly finder: ColumnFinder<CatalogColumn>;
  private readonly keyBuffer: ColumnBuffer;
  private readonly required: ColumnBuffer[];

  constructor(
    columns: readonly CatalogColumn[],
    private readonly maxRowBytes: number,
    private readonly options: RowReaderOptions = {},
  ) {
    const { adapt = (_, coerce) => coerce } = options;
    this.finder = new ColumnFinder(columns);
    for (const column of columns) {
      const coerce = adapt(column, column.primaryKey ? coerceKey : getCoercion(column.type, column.options));
      this.buffers.set(column, { column, coerce, values: [], sent: 0, filledBy: -1 });
    }
    this.keyBuffer = this.buffers.get(getPrimaryKey(columns))!;
    this.required = [...this.buffers.values()].filter(({ column }) => column.required && !column.primaryKey);
  }

  /** The valid rows, in the order in which they were added. */
  finish(): RowBatch {
    const sent = [...this.buffers.values()].filter((buffer) => buffer !== this.keyBuffer && buffer.sent > 0);
    return {
      indexes: this.indexes,
      keys: this.keys,
      columns: sent.map(({ column, values, sent: rows }) => ({ column, values, complete: rows === this.keys.length })),
    };
  }

  /**
   * @param index position among all items; greater than those added before.
   * @param line of the file on which the row begins.
   */
  add(item: unknown, index: number, line?: number): void {
    const errorsBefore = this.errors.total;
    const reject = (error: RowErrorContent) => {
      this.errors.add(line === undefined ? { index, ...error } : { index, line, ...error });
    };
    const key = this.readItem(item, index, reject);
    if (this.errors.total === errorsBefore) {
      this.indexes.push(index);
      this.keys.push(key!);
      for (const buffer of this.buffers.values()) if (buffer.filledBy === index) buffer.sent++;
      return;
    }
    this.errors.rows++;
    for (const buffer of this.buffers.values()) if (buffer.filledBy === index) buffer.values.length = this.keys.length;
    if (key === undefined) {
      this.unreadable++;
      return;
    }
    this.errors.setKey(index, key);
    this.rejectedKeys.set(index, key);
  }

  /** The errors since the last call, for a reader whose valid rows are not needed. */
  takeErrors(): RowError[] {
    if (this.errors.total === 0) return [];
    const { first } = this.errors;
    this.errors = new RowErrors();
    return first;
  }

  /** Puts the values of the item into the buffers. @returns its key, if that is valid. */
  private readItem(item: unknown, index: number, reject: (error: RowErrorContent) => void): string | undefined {
    if (item instanceof UnreadableRow) {
      reject(item.error);
      return undefined;
    }
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      reject(createNotAnObjectError(item));
      return undefined;
    }
    const row = this.keys.length;
    let characters = 0;
    let hasInvalidKey = false;
    for (const name in item) {
      const buffer = this.bufferByName.get(name) ?? this.findBuffer(name);
      if (typeof buffer === 'function') {
        if (!this.options.ignoresUnknown || buffer !== createUnknownColumnError) reject(buffer(name));
        continue;
      }
      const stored = buffer.coerce((item as Record<string, unknown>)[name]);
      if (stored instanceof InvalidValue) {
        reject(createInvalidValueError(buffer.column.key, stored));
        if (buffer === this.keyBuffer) hasInvalidKey = true;
        continue;
      }
      if (buffer.filledBy === index) reject(createColumnSentTwiceError(buffer.column.key));
      buffer.filledBy = index;
      buffer.values[row] = stored;
      characters += typeof stored === 'string' ? stored.length : 8;
    }
    // A character has at most three bytes, so the exact size is rarely needed.
    const bytes = characters * 3 > this.maxRowBytes ? this.countBytes(index, row) : 0;
    if (bytes > this.maxRowBytes) reject(createRowTooLargeError(this.maxRowBytes, bytes));
    for (const { column, filledBy, values } of this.required)
      if (filledBy === index && (values[row] === null || values[row] === ''))
        reject(createEmptyRequiredColumnError(column.key));
    return hasInvalidKey ? undefined : this.readKey(index, row, reject);
  }

  private findBuffer(name: string): ColumnBuffer | typeof createUnknownColumnError {
    const [column, other] = this.finder.find(this.options.columnKeys?.get(normalizeName(name)) ?? name);
    const buffer = !column ? createUnknownColumnError : other ? createAmbiguousColumnError : this.buffers.get(column)!;
    if (typeof buffer !== 'function' || this.bufferByName.size < MAX_CACHED_NAMES) this.bufferByName.set(name, buffer);
    return buffer;
  }

  private readKey(index: number, row: number, reject: (error: RowErrorContent) => void): string | undefined {
    const { column, filledBy, values } = this.keyBuffer;
    if (filledBy !== index) {
      reject(createMissingKeyError(column.key));
      return undefined;
    }
    const key = values[row] as string | null;
    if (key === null) reject(createEmptyKeyError(column.key));
    return key ?? undefined;
  }

  private countBytes(index: number, row: number): number {
    let bytes = 0;
    for (const { filledBy, values } of this.buffers.values()) {
      const value = filledBy === index ? values[row] : null;
      bytes += typeof value === 'string' ? Buffer.byteLength(value) : 8;
    }
    return bytes;
  }
}

/** The batch without some of its rows. */
export function withoutRows(batch: RowBatch, isExcluded: (row: number) => boolean): RowBatch {
  const rows = batch.keys.map((_, row) => row).filter((row) => !isExcluded(row));
  return rows.length === batch.keys.length ? batch : selectRows(batch, rows);
}

/** The batch in the order of its keys: rows that are neighbors in the index are then written together. */
export function sortByKey(batch: RowBatch): RowBatch {
  const { keys } = batch;
  if (isAscending(keys)) return batch;
  const rows = keys.map((_, row) => row).sort((a, b) => (keys[a]! < keys[b]! ? -1 : Number(keys[a]! > keys[b]!)));
  return selectRows(batch, rows);
}

/** Is each key greater than the one before it, so that none occurs twice? */
export function isAscending(keys: readonly string[]): boolean {
  return keys.every((key, row) => row === 0 || keys[row - 1]! < key);
}

function selectRows(batch: RowBatch, rows: readonly number[]): RowBatch {
  return {
    indexes: rows.map((row) => batch.indexes[row]!),
    keys: rows.map((row) => batch.keys[row]!),
    columns: batch.columns.map(({ column, values }) => {
      const selected = rows.map((row) => values[row]);
      return { column, values: selected, complete: !selected.includes(undefined) };
    }),
  };
}
