import { createHash } from 'node:crypto';
import { coerceKey } from '../../../../packages/tabular/src/coercions.js';

/** The key of a row, and the line on which the row begins. */
export interface KeyLine {
  key: string;
  line: number;
}

/**
 * Finds the rows with the same key. The memory has 16 to 28 bytes per row, and the keys that occur several times.
 */
export class Duplicates {
  /** Lines of the first and the last row with a key. */
  private readonly repeated = new Map<string, { first: number; last: number }>();

  /** 48 bits. */
  static hash(key: string): number {
    return createHash('sha1').update(key).digest().readUIntLE(0, 6);
  }

  /** Reads the keys of all rows once, and again if keys may occur several times. */
  async prepare(readKeys: () => AsyncIterable<KeyLine>): Promise<void> {
    const hashes: number[] = [];
    for await (const { key } of readKeys()) if (key !== '') hashes.push(Duplicates.hash(key));
    const sorted = Float64Array.from(hashes).sort();
    const suspects = new Set(sorted.filter((each, position) => each === sorted[position - 1]));
    if (suspects.size === 0) return;
    // Different keys with the same hash become different entries.
    for await (const { key, line } of readKeys()) {
      if (key === '' || !suspects.has(Duplicates.hash(key))) continue;
      const { first } = this.repeated.get(key) ?? { first: line };
      this.repeated.set(key, { first, last: line });
    }
    for (const [key, { first, last }] of this.repeated) if (first === last) this.repeated.delete(key);
  }

  /** A key that several rows have, with the lines of the first and the last of them. */
  get example(): { key: string; first: number; last: number } | undefined {
    for (const [key, lines] of this.repeated) return { key, ...lines };
    return undefined;
  }

  /** Is another row with the key imported instead of this one? */
  isSkipped({ key, line }: KeyLine, imported: 'first' | 'last'): boolean {
    const lines = this.repeated.get(key);
    return lines !== undefined && lines[imported] !== line;
  }
}

/** A key as it is stored (NFC, without outer white space); empty if a row has no valid key. */
export function toStoredKey(value: unknown): string {
  const key = coerceKey(value);
  return typeof key === 'string' ? key : '';
}
