import { HashSet } from './hash-set.js';
import type { Item } from './import-plan.js';

export type DuplicateRule = 'error' | 'first' | 'last';

/** Positions of the first and the last row with a key. */
interface Occurrence {
  first: number;
  last: number;
}

/**
 * Selects one of several rows with the same key. The memory has 12 to 23 bytes per row, and the keys that occur several times.
 */
export class Duplicates {
  private readonly repeated = new Map<string, Occurrence>();

  constructor(
    private readonly rule: DuplicateRule,
    private readonly primaryKey: string,
  ) {}

  /** Reads all rows once, and again if keys may occur several times. */
  async prepare(readItems: () => AsyncIterable<Item>): Promise<void> {
    const hashes = new HashSet();
    const suspects = new Set<number>();
    for await (const item of readItems()) {
      const key = this.keyOf(item);
      if (key !== '' && !hashes.add(key)) suspects.add(HashSet.hash(key));
    }
    if (suspects.size === 0) return;
    // Different keys with the same hash become different entries.
    let position = -1;
    for await (const item of readItems()) {
      position++;
      const key = this.keyOf(item);
      if (key === '' || !suspects.has(HashSet.hash(key))) continue;
      const occurrence = this.repeated.get(key);
      if (occurrence) occurrence.last = position;
      else this.repeated.set(key, { first: position, last: position });
    }
    for (const [key, { first, last }] of this.repeated) if (first === last) this.repeated.delete(key);
  }

  /** @returns what is wrong with the row at this position, if it is not sent */
  check(item: Item, position: number): { code: string; message: string } | undefined {
    const key = this.keyOf(item);
    const occurrence = this.repeated.get(key);
    if (!occurrence || (this.rule !== 'error' && occurrence[this.rule] === position)) return undefined;
    return this.rule === 'error'
      ? { code: 'duplicate_in_batch', message: `Several rows have the key "${key}". Choose one with --on-duplicate.` }
      : { code: 'duplicate_skipped', message: `The ${this.rule} row with the key "${key}" is imported instead.` };
  }

  private keyOf(item: Item): string {
    const value = item[this.primaryKey];
    return value === null || value === undefined ? '' : String(value);
  }
}
