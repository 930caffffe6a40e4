import type { CatalogColumn } from '../catalog/column-plan.js';
import { nativeType } from '../catalog/column-types.js';
import type { RowBatch } from './row-batch.js';
import type { StoredValue } from '../catalog/stored-value.js';

/** What a file in PostgreSQL's binary format begins and ends with: a signature, no flags, no extension; and no more rows. */
export const COPY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
export const COPY_TRAILER = Buffer.from([0xff, 0xff]);

/** Rows of a part of a file: good ones with their values, and the keys of those at fault, which may stand elsewhere too. */
export interface CopiedRows {
  batch: RowBatch;
  faulty: { index: number; key: string }[];
  /** Line of a row by its index. */
  lineOf: (index: number) => number;
}

/** Bytes of a row beside its values: a count of fields; index, line and fault with their lengths; the key's length. */
const ROW_BYTES = 2 + 8 + 8 + 5 + 4;

/**
 * Rows for the staging table, in PostgreSQL's binary format: what neither side has to quote, to escape or to read. Its
 * fields: index, line, is it at fault, which columns were sent (null: all), key, and the columns' values.
 */
export function encodeRows({ batch, faulty, lineOf }: CopiedRows, columns: readonly CatalogColumn[]): Buffer {
  const sent = columns.map(({ key }) => batch.columns.find(({ column }) => column.key === key));
  const isWhole = sent.every((each) => each?.complete);
  const maskBytes = Math.ceil(columns.length / 8);
  const fields = 5 + columns.length;
  const writer = new CopyWriter(
    (batch.keys.length + faulty.length) * (ROW_BYTES + 4 + maskBytes + 12 * columns.length) +
      batch.columns.reduce((sum, { values }) => sum + mostBytes(values), mostBytes(batch.keys)) +
      faulty.reduce((sum, { key }) => sum + 3 * key.length, 0),
  );
  const natives = columns.map(({ type }) => nativeType(type));
  batch.keys.forEach((key, row) => {
    const index = batch.indexes[row]!;
    writer.row(fields, index, lineOf(index), false);
    if (isWhole) writer.nothing();
    else
      writer.bits(
        maskBytes,
        sent.map((each) => each?.values[row] !== undefined),
      );
    writer.text(key);
    for (let at = 0; at < columns.length; at++) {
      const value = sent[at]?.values[row];
      if (value === null || value === undefined) writer.nothing();
      else if (natives[at] === 'text') writer.text(value as string);
      else if (natives[at] === 'number') writer.number(value as number);
      else writer.boolean(value as boolean);
    }
  });
  for (const { index, key } of faulty) {
    writer.row(fields, index, lineOf(index), true);
    writer.nothing();
    writer.text(key);
    for (let at = 0; at < columns.length; at++) writer.nothing();
  }
  return writer.written;
}

/** A character takes three bytes at most. */
function mostBytes(values: readonly (StoredValue | undefined)[]): number {
  let bytes = 0;
  for (const value of values) if (typeof value === 'string') bytes += 3 * value.length;
  return bytes;
}

class CopyWriter {
  private readonly buffer: Buffer;
  private at = 0;

  constructor(capacity: number) {
    this.buffer = Buffer.allocUnsafe(capacity);
  }

  get written(): Buffer {
    return this.buffer.subarray(0, this.at);
  }

  row(fields: number, index: number, line: number, isFaulty: boolean): void {
    this.at = this.buffer.writeInt16BE(fields, this.at);
    this.integer(index);
    this.integer(line);
    this.boolean(isFaulty);
  }

  nothing(): void {
    this.at = this.buffer.writeInt32BE(-1, this.at);
  }

  /** PostgreSQL counts the bits of a byte from the lowest. */
  bits(bytes: number, bits: readonly boolean[]): void {
    this.at = this.buffer.writeInt32BE(bytes, this.at);
    this.buffer.fill(0, this.at, this.at + bytes);
    bits.forEach((bit, position) => {
      if (bit) this.buffer[this.at + (position >> 3)]! |= 1 << (position & 7);
    });
    this.at += bytes;
  }

  text(value: string): void {
    const bytes = this.buffer.write(value, this.at + 4, 'utf8');
    this.buffer.writeInt32BE(bytes, this.at);
    this.at += 4 + bytes;
  }

  number(value: number): void {
    this.at = this.buffer.writeInt32BE(8, this.at);
    this.at = this.buffer.writeDoubleBE(value, this.at);
  }

  boolean(value: boolean): void {
    this.at = this.buffer.writeInt32BE(1, this.at);
    this.at = this.buffer.writeUInt8(value ? 1 : 0, this.at);
  }

  private integer(value: number): void {
    this.at = this.buffer.writeInt32BE(4, this.at);
    this.at = this.buffer.writeInt32BE(value, this.at);
  }
}
