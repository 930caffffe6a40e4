import type { CatalogTable } from './catalog-table.js';
import { physicalKeyName, physicalTableName } from './physical-table.js';

/** The tables in which rows are looked up by key. */
export type KeySpace = readonly CatalogTable[];

/** SQL condition: no row has the key. @param key SQL expression. */
export function compileMissing(tables: KeySpace, key: string): string {
  if (tables.length === 0) return 'true';
  // One relation of all tables, so that it is one anti join.
  const keys = tables.map((table) => `SELECT t.${physicalKeyName(table)} AS key FROM ${physicalTableName(table)} t`);
  return `NOT EXISTS (SELECT 1 FROM (${keys.join(' UNION ALL ')}) k WHERE k.key = ${key})`;
}

export function isInSpace({ id }: CatalogTable, tables: KeySpace): boolean {
  return tables.some((table) => table.id === id);
}
