import type { NativeType } from './column-types.js';
import type { StoredValue } from '../../../tabular/src/stored-value.js';

/** Object IDs of the element types in PostgreSQL. */
const OIDS: Record<NativeType, number> = { text: 25, number: 701, boolean: 16 };

const HEADER_BYTES = 20;

/**
 * Encodes an array in PostgreSQL's binary format, which node-postgres passes on unchanged: without quoting and parsing,
 * and with exact doubles. Undefined elements become null.
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
      at = buffer.writeInt32BE(-1, at);
    } else {
      const bytes = buffer.write(value, at + 4, 'utf8');
      at = buffer.writeInt32BE(bytes, at) + bytes;
    }
  }
  return buffer.subarray(0, at);
}

function encodeFixed(
  type: NativeType,
  values: readonly (StoredValue | undefined)[],
  size: number,
  write: (buffer: Buffer, value: StoredValue, at: number) => number,
): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + (4 + size) * values.length);
  writeHeader(buffer, type, values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    if (value === null || value === undefined) at = buffer.writeInt32BE(-1, at);
    else at = write(buffer, value, buffer.writeInt32BE(size, at));
  }
  return buffer.subarray(0, at);
}

/** One dimension, nulls allowed, the element type, the length, and 1 as the lower bound. */
function writeHeader(buffer: Buffer, type: NativeType, length: number): void {
  [1, 1, OIDS[type], length, 1].forEach((word, position) => buffer.writeInt32BE(word, position * 4));
}
