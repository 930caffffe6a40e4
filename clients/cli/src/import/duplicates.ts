import type { Item } from './import-plan.js';

export type DuplicateRule = 'error' | 'first' | 'last';

/** Selects one of several rows with the same key. Contains the keys of the file in memory. */
export class Duplicates {
  private readonly last = new Map<string, number>();
  private readonly seen = new Set<string>();

  constructor(
    private readonly rule: DuplicateRule,
    private readonly primaryKey: string,
  ) {}

  /** Reads all rows first, because only then the last row of a key is known. */
  async prepare(items: AsyncIterable<Item>): Promise<void> {
    if (this.rule === 'first') return;
    const first = new Set<string>();
    let position = 0;
    for await (const item of items) {
      const key = this.keyOf(item);
      if (first.has(key)) this.last.set(key, position);
      first.add(key);
      position++;
    }
  }

  /** @returns what is wrong with the row at this position, if it is not sent */
  check(item: Item, position: number): { code: string; message: string } | undefined {
    const key = this.keyOf(item);
    if (key === '') return undefined;
    if (this.rule === 'first') {
      if (!this.seen.has(key)) {
        this.seen.add(key);
        return undefined;
      }
    } else if (!this.last.has(key) || (this.rule === 'last' && this.last.get(key) === position)) return undefined;
    return this.rule === 'error'
      ? { code: 'duplicate_in_batch', message: `Several rows have the key "${key}". Choose one with --on-duplicate.` }
      : { code: 'duplicate_skipped', message: `The ${this.rule} row with the key "${key}" is imported instead.` };
  }

  private keyOf(item: Item): string {
    const value = item[this.primaryKey];
    return value === null || value === undefined ? '' : String(value);
  }
}
