import { LRUCache } from 'lru-cache';
import type { CatalogTable } from './catalog.repository.js';
import { physicalTableName } from './physical-table.js';

/** Tables whose size class an instance caches. */
const MAX_CACHED_SIZES = 10_000;

/**
 * The approximate sizes of physical tables, for prepared statements: a plan for a small table would scan a large one. A
 * statement that begins with the comment has another text, and thus a new plan, when its table has grown considerably.
 */
export class SizeClasses {
  private readonly byTable = new LRUCache<string, number>({ max: MAX_CACHED_SIZES });

  comment({ id }: Pick<CatalogTable, 'id'>): string {
    return `/* size class ${this.byTable.get(id) ?? 0} */`;
  }

  /** @param bytes the result of `selectSize`. */
  record({ id }: Pick<CatalogTable, 'id'>, bytes: number): void {
    this.byTable.set(id, toSizeClass(bytes));
  }
}

/** SQL expression: the size of the physical table in bytes. */
export function selectSize(table: CatalogTable): string {
  return `pg_relation_size('${physicalTableName(table)}')::float8`;
}

/** Tables of one size class differ in size by a factor of four at most. */
function toSizeClass(bytes: number): number {
  return Math.ceil(Math.log2(bytes + 1) / 2);
}
