import { ColumnFinder } from '../catalog/column-finder.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { type Coercion, coerceKey, getCoercion } from '../catalog/column-types.js';
import { type RowError, RowErrors } from './row-errors.js';
import { formatValue, InvalidValue, type StoredValue } from '../catalog/stored-value.js';

/** One column of a batch. `undefined` where a row did not send it: what stands there stays. */
export interface ColumnValues {
  column: CatalogColumn;
  values: (StoredValue | undefined)[];
  /** Was it sent by every row? */
  complete: boolean;
}

/** Rows as columns: the shape in which they go to the database. Sorted by key. */
export interface RowBatch {
  /** Position of each row among the items as they were sent. */
  indexes: number[];
  keys: string[];
  /** The columns that at least one row sent, without the primary key. */
  columns: ColumnValues[];
}

interface Slot {
  column: CatalogColumn;
  coerce: Coercion;
  values: (StoredValue | undefined)[];
  sent: number;
  /** The item that filled the slot last: two names of one item for one column are noticed by it. */
  filledBy: number;
}

/** Names of items whose meaning is looked up once. */
const MAX_REMEMBERED_NAMES = 10_000;

/** Turns items into columns of stored values and collects every fault with its place. Rows with a fault are left out. */
export class RowReader {
  readonly errors = new RowErrors();
  private readonly indexes: number[] = [];
  private readonly keys: string[] = [];
  private readonly firstByKey = new Map<string, number>();
  private readonly repeated = new Set<string>();
  private readonly slots = new Map<CatalogColumn, Slot>();
  private readonly slotByName = new Map<string, Slot | RowError['code']>();
  private readonly finder: ColumnFinder<CatalogColumn>;
  private readonly keySlot: Slot;
  private readonly required: CatalogColumn[];

  /** @param isWhole are these all the rows there are? Else whoever has them all looks for keys that stand there twice. */
  constructor(
    columns: readonly CatalogColumn[],
    private readonly maxRowBytes: number,
    private readonly isWhole = true,
  ) {
    this.finder = new ColumnFinder(columns);
    for (const column of columns) {
      const coerce = column.primaryKey ? coerceKey : getCoercion(column.type, column.options);
      this.slots.set(column, { column, coerce, values: [], sent: 0, filledBy: -1 });
    }
    this.keySlot = [...this.slots.values()].find((slot) => slot.column.primaryKey)!;
    this.required = columns.filter((column) => column.required && !column.primaryKey);
  }

  read(items: readonly unknown[]): RowBatch {
    items.forEach((item, index) => {
      this.add(item, index);
    });
    return this.finish();
  }

  /** The rows that were added: sorted by key, or, where they are not all, in the order in which they came. */
  finish(): RowBatch {
    const columns = [...this.slots.values()].filter((slot) => slot !== this.keySlot && slot.sent > 0);
    const batch = {
      indexes: this.indexes,
      keys: this.keys,
      columns: columns.map(({ column, values, sent }) => ({ column, values, complete: sent === this.keys.length })),
    };
    if (!this.isWhole) return batch;
    return sortByKey(this.repeated.size > 0 ? withoutRows(batch, (row) => this.repeated.has(batch.keys[row]!)) : batch);
  }

  /** @param index position among all items, which has not been added before. */
  add(item: unknown, index: number): void {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      this.fault({
        index,
        code: 'type_mismatch',
        message: `A row is an object of column keys and values; this is ${formatValue(item)}.`,
      });
      return;
    }
    const row = this.keys.length;
    let size = 0;
    let keyRefused = false;
    for (const name in item) {
      const slot = this.slotByName.get(name) ?? this.resolve(name);
      if (typeof slot === 'string') {
        this.fault({ index, column: name.slice(0, 255), code: slot, message: unresolvedName(slot, name) });
        continue;
      }
      const stored = slot.coerce((item as Record<string, unknown>)[name]);
      if (stored instanceof InvalidValue) {
        this.fault({ index, column: slot.column.key, code: stored.code, message: stored.message });
        if (slot === this.keySlot) keyRefused = true;
        continue;
      }
      if (slot.filledBy === index) {
        const message = `Two of the row's keys mean the column "${slot.column.key}".`;
        this.fault({ index, column: slot.column.key, code: 'ambiguous_column', message });
      }
      slot.filledBy = index;
      slot.values[row] = stored;
      size += typeof stored === 'string' ? stored.length : 8;
    }
    this.checkSize(index, size, row);
    this.checkRequired(index);
    const key = keyRefused ? undefined : this.keyOf(index, row);
    if (this.errors.rows.has(index)) this.clear(index, row);
    else this.keep(index, key!);
  }

  private resolve(name: string): Slot | RowError['code'] {
    const found = this.finder.find(name);
    const slot =
      found.length === 1 ? this.slots.get(found[0]!)! : found.length === 0 ? 'unknown_column' : 'ambiguous_column';
    // Of names that mean nothing a body may hold any number.
    if (typeof slot !== 'string' || this.slotByName.size < MAX_REMEMBERED_NAMES) this.slotByName.set(name, slot);
    return slot;
  }

  /** The row's key, where it has one; a fault where it has none, or where an earlier row has the same. */
  private keyOf(index: number, row: number): string | undefined {
    const { key: column } = this.keySlot.column;
    if (this.keySlot.filledBy !== index) {
      this.fault({ index, column, code: 'required_key', message: `The row has no "${column}", its primary key.` });
      return undefined;
    }
    const key = this.keySlot.values[row] as string | null;
    if (key === null) {
      this.fault({
        index,
        column,
        code: 'required_key',
        message: `"${column}" is the primary key and cannot be empty.`,
      });
      return undefined;
    }
    this.errors.nameRow(index, key);
    if (!this.isWhole) return key;
    const first = this.firstByKey.get(key);
    if (first === undefined) this.firstByKey.set(key, index);
    else this.repeat(index, first, key, column);
    return key;
  }

  /** Neither of two rows with one key is stored: which one is right would be a guess. */
  private repeat(index: number, first: number, key: string, column: string): void {
    const fault = (at: number, otherIndex: number) => {
      const message = `The row at index ${otherIndex} has the same key.`;
      this.fault({ index: at, key, column, otherIndex, code: 'duplicate_in_batch', message });
    };
    if (!this.repeated.has(key)) fault(first, index);
    this.repeated.add(key);
    fault(index, first);
  }

  private checkRequired(index: number): void {
    for (const column of this.required) {
      const slot = this.slots.get(column)!;
      if (slot.filledBy === index && slot.values[this.keys.length] === null) {
        this.fault({
          index,
          column: column.key,
          code: 'required',
          message: `"${column.key}" is required and cannot be null.`,
        });
      }
    }
  }

  private checkSize(index: number, size: number, row: number): void {
    // A character takes three bytes at most, so that the exact size is rarely needed.
    if (size * 3 <= this.maxRowBytes) return;
    let bytes = 0;
    for (const slot of this.slots.values()) {
      const value = slot.filledBy === index ? slot.values[row] : null;
      bytes += typeof value === 'string' ? Buffer.byteLength(value) : 8;
    }
    if (bytes <= this.maxRowBytes) return;
    this.fault({
      index,
      code: 'row_too_large',
      message: `A row has at most ${this.maxRowBytes} bytes; this has ${bytes}.`,
    });
  }

  private keep(index: number, key: string): void {
    this.indexes.push(index);
    this.keys.push(key);
    for (const slot of this.slots.values()) if (slot.filledBy === index) slot.sent++;
  }

  private clear(index: number, row: number): void {
    for (const slot of this.slots.values()) if (slot.filledBy === index) slot.values[row] = undefined;
  }

  private fault(fault: RowError): void {
    this.errors.add(fault);
  }
}

function unresolvedName(code: RowError['code'], name: string): string {
  const quoted = `"${name.slice(0, 80)}"`;
  return code === 'unknown_column'
    ? `The table has no column ${quoted}.`
    : `${quoted} may mean several columns: use a key.`;
}

/** The batch without some of its rows. */
export function withoutRows(batch: RowBatch, isOut: (row: number) => boolean): RowBatch {
  const rows = batch.keys.map((_, row) => row).filter((row) => !isOut(row));
  return rows.length === batch.keys.length ? batch : pick(batch, rows);
}

/** In order of the key: neighbours in the index are written together. */
function sortByKey(batch: RowBatch): RowBatch {
  const { keys } = batch;
  if (keys.every((key, row) => row === 0 || keys[row - 1]! < key)) return batch;
  const rows = keys.map((_, row) => row).sort((a, b) => (keys[a]! < keys[b]! ? -1 : 1));
  return pick(batch, rows);
}

function pick(batch: RowBatch, rows: number[]): RowBatch {
  return {
    indexes: rows.map((row) => batch.indexes[row]!),
    keys: rows.map((row) => batch.keys[row]!),
    columns: batch.columns.map(({ column, values }) => {
      const picked = rows.map((row) => values[row]);
      return { column, values: picked, complete: !picked.includes(undefined) };
    }),
  };
}
