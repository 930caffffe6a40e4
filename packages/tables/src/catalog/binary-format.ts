import type { NativeType } from './column-types.js';
import type { StoredValue } from '../../../tabular/src/stored-value.js';

/** Object IDs of the element types in PostgreSQL. */
const OIDS: Record<NativeType, number> = { text: 25, number: 701, boolean: 16 };

const ARRAY_HEADER_BYTES = 20;

/** Bytes of a value other than a text, with its length, at most. */
export const FIXED_VALUE_BYTES = 12;

/**
 * Writes values in PostgreSQL's binary format, each after its length. Neither side needs to quote, escape or parse
 * them, and doubles are exact.
 */
export class BinaryWriter {
  private readonly buffer: Buffer;
  private position = 0;

  /** @param capacity the bytes that are written, at most. */
  constructor(capacity: number) {
    this.buffer = Buffer.allocUnsafe(capacity);
  }

  get written(): Buffer {
    return this.buffer.subarray(0, this.position);
  }

  /** Writes a number of the format itself, without a length. */
  writeHeader(value: number): void {
    this.position = this.buffer.writeInt32BE(value, this.position);
  }

  /** Writes the number of the fields of a row. */
  writeFieldCount(fields: number): void {
    this.position = this.buffer.writeInt16BE(fields, this.position);
  }

  /** @param value of the type; undefined becomes null. */
  write(type: NativeType, value: StoredValue | undefined): void {
    if (value === null || value === undefined) this.writeHeader(-1);
    else if (type === 'text') this.writeText(value as string);
    else if (type === 'number') {
      this.writeHeader(8);
      this.position = this.buffer.writeDoubleBE(value as number, this.position);
    } else {
      this.writeHeader(1);
      this.position = this.buffer.writeUInt8(value ? 1 : 0, this.position);
    }
  }

  writeInteger(value: number): void {
    this.writeHeader(4);
    this.writeHeader(value);
  }

  /** PostgreSQL's get_bit counts the bits of a byte from the lowest. */
  writeBits(bytes: number, bits: readonly boolean[]): void {
    this.writeHeader(bytes);
    this.buffer.fill(0, this.position, this.position + bytes);
    bits.forEach((bit, index) => {
      if (bit) this.buffer[this.position + (index >> 3)]! |= 1 << (index & 7);
    });
    this.position += bytes;
  }

  private writeText(value: string): void {
    const bytes = this.buffer.write(value, this.position + 4, 'utf8');
    this.buffer.writeInt32BE(bytes, this.position);
    this.position += 4 + bytes;
  }
}

/** A UTF-16 code unit has at most three bytes in UTF-8. */
export function maxTextBytes(values: readonly (StoredValue | undefined)[]): number {
  let bytes = 0;
  for (const value of values) if (typeof value === 'string') bytes += 3 * value.length;
  return bytes;
}

/** Encodes an array, which node-postgres passes on unchanged. Undefined elements become null. */
export function encodeArray(type: NativeType, values: readonly (StoredValue | undefined)[]): Buffer {
  const writer = new BinaryWriter(ARRAY_HEADER_BYTES + FIXED_VALUE_BYTES * values.length + maxTextBytes(values));
  // One dimension, nulls allowed, the element type, the length, and 1 as the lower bound.
  for (const word of [1, 1, OIDS[type], values.length, 1]) writer.writeHeader(word);
  for (const value of values) writer.write(type, value);
  return writer.written;
}
