import { normalizeName } from './normalization.js';

/** Finds columns by their key, or by key or name in any letter case. */
export class ColumnFinder<C extends { key: string; name: string }> {
  private readonly byKey = new Map<string, C>();
  private readonly byNormalizedName = new Map<string, C[]>();

  constructor(columns: readonly C[]) {
    for (const column of columns) {
      this.byKey.set(column.key, column);
      for (const name of new Set([column.key, normalizeName(column.name)])) {
        this.byNormalizedName.set(name, [...(this.byNormalizedName.get(name) ?? []), column]);
      }
    }
  }

  /** The candidates: the column with exactly this key, else all whose key or name matches in any letter case. */
  find(name: string): readonly C[] {
    const exact = this.byKey.get(name);
    return exact ? [exact] : (this.byNormalizedName.get(normalizeName(name)) ?? []);
  }
}
