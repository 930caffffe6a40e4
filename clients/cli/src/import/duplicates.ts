import { coerceKey } from '../../../../packages/tabular/src/coercions.js';
import { HashSet } from './hash-set.js';

export type DuplicateRule = 'error' | 'first' | 'last';

/** Positions of the first and the last row with a key. */
interface Occurrence {
  first: number;
  last: number;
}

/**
 * Selects one of several rows with the same key. The memory has 12 to 23 bytes per row, and the keys that occur several
 * times.
 */
export class Duplicates {
  private readonly repeated = new Map<string, Occurrence>();

  constructor(private readonly rule: DuplicateRule) {}

  /** Reads the keys of all rows once, and again if keys may occur several times. */
  async prepare(readKeys: () => AsyncIterable<string>): Promise<void> {
    const hashes = new HashSet();
    const suspects = new Set<number>();
    for await (const key of readKeys()) if (key !== '' && !hashes.add(key)) suspects.add(HashSet.hash(key));
    if (suspects.size === 0) return;
    // Different keys with the same hash become different entries.
    let position = -1;
    for await (const key of readKeys()) {
      position++;
      if (key === '' || !suspects.has(HashSet.hash(key))) continue;
      const occurrence = this.repeated.get(key);
      if (occurrence) occurrence.last = position;
      else this.repeated.set(key, { first: position, last: position });
    }
    for (const [key, { first, last }] of this.repeated) if (first === last) this.repeated.delete(key);
  }

  /** A key that several rows have, with the positions of the first and the last of them. */
  get first(): ({ key: string } & Occurrence) | undefined {
    for (const [key, occurrence] of this.repeated) return { key, ...occurrence };
    return undefined;
  }

  /** @returns what is wrong with the row at this position, if it is not sent */
  check(key: string, position: number): { code: string; message: string } | undefined {
    const occurrence = this.repeated.get(key);
    if (!occurrence || (this.rule !== 'error' && occurrence[this.rule] === position)) return undefined;
    return this.rule === 'error'
      ? { code: 'duplicate_in_batch', message: `Several rows have the key "${key}". Choose one with --on-duplicate.` }
      : { code: 'duplicate_skipped', message: `The ${this.rule} row with the key "${key}" is imported instead.` };
  }
}

/** A key as it is stored (NFC, without outer white space); empty if a row has no valid key. */
export function toStoredKey(value: unknown): string {
  const key = coerceKey(value);
  return typeof key === 'string' ? key : '';
}
