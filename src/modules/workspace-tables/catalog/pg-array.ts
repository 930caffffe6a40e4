import type { ColumnType } from './column-types.js';
import type { StoredValue } from './stored-value.js';

/** The native type of a column, and its object id in PostgreSQL. */
const NATIVE = {
  text: { sql: 'text', oid: 25 },
  number: { sql: 'double precision', oid: 701 },
  boolean: { sql: 'boolean', oid: 16 },
} as const;

export type NativeType = keyof typeof NATIVE;

export function nativeType(type: ColumnType): NativeType {
  if (type === 'number') return 'number';
  return type === 'checkbox' ? 'boolean' : 'text';
}

export function sqlType(type: NativeType): string {
  return NATIVE[type].sql;
}

const HEADER_BYTES = 20;

/**
 * An array in PostgreSQL's binary format, which node-postgres hands on as it is. Neither side has quotes to write or to
 * read, and numbers travel as the doubles they are.
 */
export function encodeArray(type: NativeType, values: readonly (StoredValue | undefined)[]): Buffer {
  switch (type) {
    case 'text':
      return encodeTexts(values as (string | null | undefined)[]);
    case 'number':
      return encodeFixed(type, values, 8, (buffer, value, at) => buffer.writeDoubleBE(value as number, at));
    case 'boolean':
      return encodeFixed(type, values, 1, (buffer, value, at) => buffer.writeUInt8(value ? 1 : 0, at));
  }
}

function encodeTexts(values: readonly (string | null | undefined)[]): Buffer {
  let capacity = HEADER_BYTES + 4 * values.length;
  for (const value of values) if (value) capacity += value.length * 3;
  const buffer = Buffer.allocUnsafe(capacity);
  writeHeader(buffer, 'text', values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    if (value === null || value === undefined) {
      buffer.writeInt32BE(-1, at);
      at += 4;
    } else {
      const bytes = buffer.write(value, at + 4, 'utf8');
      buffer.writeInt32BE(bytes, at);
      at += 4 + bytes;
    }
  }
  return buffer.subarray(0, at);
}

function encodeFixed(
  type: NativeType,
  values: readonly (StoredValue | undefined)[],
  size: number,
  write: (buffer: Buffer, value: StoredValue, at: number) => unknown,
): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + (4 + size) * values.length);
  writeHeader(buffer, type, values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    if (value === null || value === undefined) {
      buffer.writeInt32BE(-1, at);
      at += 4;
    } else {
      buffer.writeInt32BE(size, at);
      write(buffer, value, at + 4);
      at += 4 + size;
    }
  }
  return buffer.subarray(0, at);
}

/** One dimension, nulls allowed, the element's type, its length, and 1 as the lower bound. */
function writeHeader(buffer: Buffer, type: NativeType, length: number): void {
  [1, 1, NATIVE[type].oid, length, 1].forEach((word, position) => buffer.writeInt32BE(word, position * 4));
}
