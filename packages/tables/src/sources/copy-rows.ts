import type { CatalogColumn } from '../catalog/column-plan.js';
import { getNativeType } from '../catalog/column-types.js';
import type { StoredValue } from '../../../tabular/src/stored-value.js';
import type { RowBatch } from './row-reader.js';

/** Start of PostgreSQL's binary COPY format: signature, flags (none), length of the header extension (none). */
export const COPY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** End of the format: a field count of -1. */
export const COPY_TRAILER = Buffer.from([0xff, 0xff]);

/** Rows of a part of a file: the valid ones with their values, and the keys of the rejected ones. */
export interface CopiedRows {
  batch: RowBatch;
  /** Keys by row index. Another row with the same key is a duplicate. */
  rejectedKeys: ReadonlyMap<number, string>;
  getLine: (index: number) => number;
}

/**
 * Bytes of a row without its values: field count; row_index, line and rejected, each with its length; length of the
 * key.
 */
const ROW_BYTES = 2 + 8 + 8 + 5 + 4;
/** Bytes of a value other than a text, with its length, at most. */
const FIXED_VALUE_BYTES = 12;

/**
 * Rows in PostgreSQL's binary COPY format, which neither side needs to quote, escape or parse. The fields are those of
 * the staging table: row_index, line, rejected, sent (a bit per column; null means all), key, and the columns' values.
 */
export function encodeRows({ batch, rejectedKeys, getLine }: CopiedRows, columns: readonly CatalogColumn[]): Buffer {
  const sent = columns.map(({ key }) => batch.columns.find(({ column }) => column.key === key));
  const isComplete = sent.every((values) => values?.complete);
  const maskBytes = Math.ceil(columns.length / 8);
  const fields = 5 + columns.length;
  const texts = batch.columns.reduce((sum, { values }) => sum + maxTextBytes(values), maxTextBytes(batch.keys));
  const rows = batch.keys.length + rejectedKeys.size;
  const capacity = rows * (ROW_BYTES + 4 + maskBytes + FIXED_VALUE_BYTES * columns.length) + texts;
  const writer = new CopyWriter(capacity + maxTextBytes([...rejectedKeys.values()]));
  const types = columns.map(({ type }) => getNativeType(type));
  batch.keys.forEach((key, row) => {
    const index = batch.indexes[row]!;
    writer.startRow(fields, index, getLine(index), false);
    if (isComplete) writer.writeNull();
    else
      writer.writeBits(
        maskBytes,
        sent.map((column) => column?.values[row] !== undefined),
      );
    writer.writeText(key);
    for (let position = 0; position < columns.length; position++) {
      const value = sent[position]?.values[row];
      if (value === null || value === undefined) writer.writeNull();
      else if (types[position] === 'text') writer.writeText(value as string);
      else if (types[position] === 'number') writer.writeNumber(value as number);
      else writer.writeBoolean(value as boolean);
    }
  });
  for (const [index, key] of rejectedKeys) {
    writer.startRow(fields, index, getLine(index), true);
    writer.writeNull();
    writer.writeText(key);
    for (let position = 0; position < columns.length; position++) writer.writeNull();
  }
  return writer.written;
}

/** A UTF-16 code unit has at most three bytes in UTF-8. */
function maxTextBytes(values: readonly (StoredValue | undefined)[]): number {
  let bytes = 0;
  for (const value of values) if (typeof value === 'string') bytes += 3 * value.length;
  return bytes;
}

class CopyWriter {
  private readonly buffer: Buffer;
  private position = 0;

  constructor(capacity: number) {
    this.buffer = Buffer.allocUnsafe(capacity);
  }

  get written(): Buffer {
    return this.buffer.subarray(0, this.position);
  }

  startRow(fields: number, index: number, line: number, isRejected: boolean): void {
    this.position = this.buffer.writeInt16BE(fields, this.position);
    this.writeInteger(index);
    this.writeInteger(line);
    this.writeBoolean(isRejected);
  }

  writeNull(): void {
    this.position = this.buffer.writeInt32BE(-1, this.position);
  }

  /** PostgreSQL's get_bit counts the bits of a byte from the lowest. */
  writeBits(bytes: number, bits: readonly boolean[]): void {
    this.position = this.buffer.writeInt32BE(bytes, this.position);
    this.buffer.fill(0, this.position, this.position + bytes);
    bits.forEach((bit, index) => {
      if (bit) this.buffer[this.position + (index >> 3)]! |= 1 << (index & 7);
    });
    this.position += bytes;
  }

  writeText(value: string): void {
    const bytes = this.buffer.write(value, this.position + 4, 'utf8');
    this.buffer.writeInt32BE(bytes, this.position);
    this.position += 4 + bytes;
  }

  writeNumber(value: number): void {
    this.position = this.buffer.writeInt32BE(8, this.position);
    this.position = this.buffer.writeDoubleBE(value, this.position);
  }

  writeBoolean(value: boolean): void {
    this.position = this.buffer.writeInt32BE(1, this.position);
    this.position = this.buffer.writeUInt8(value ? 1 : 0, this.position);
  }

  private writeInteger(value: number): void {
    this.position = this.buffer.writeInt32BE(4, this.position);
    this.position = this.buffer.writeInt32BE(value, this.position);
  }
}
