import { quoteLiteral } from '../../../platform/database/sql-literal.js';
import type { CatalogTable } from './catalog.repository.js';
import type { EntityKind } from './entity-kind.js';
import { physicalKeyName, physicalTableName } from './physical-table.js';

/** The tables in which rows are looked up by key. */
export interface KeySpace {
  /** Tables that are read themselves. */
  tables: readonly CatalogTable[];
  /**
   * The entity of all other tables, whose keys are in `row_keys` (docs/explanation/performance.md#keys-of-many-tables).
   * Absent if there are no others.
   */
  listed?: { workspaceId: string; entity: EntityKind };
}

/** SQL condition: no row has the key. @param key SQL expression. */
export function compileMissing({ tables, listed }: KeySpace, key: string): string {
  const conditions = tables.map(
    (table) =>
      `NOT EXISTS (SELECT 1 FROM ${physicalTableName(table)} t
                    WHERE t.${physicalKeyName(table)} = ${key})`,
  );
  if (listed) {
    const ids = tables.map(({ id }) => id).join();
    conditions.push(
      `NOT EXISTS (SELECT 1 FROM row_keys k
                    WHERE k.workspace_id = ${quoteLiteral(listed.workspaceId)} AND k.entity = ${quoteLiteral(listed.entity)}
                      AND k.key = ${key} AND k.table_id <> ALL (${quoteLiteral(`{${ids}}`)}::uuid[]))`,
    );
  }
  return conditions.length > 0 ? conditions.join(' AND ') : 'true';
}

export function isInSpace({ id, entity }: CatalogTable, { tables, listed }: KeySpace): boolean {
  return listed?.entity === entity || tables.some((table) => table.id === id);
}
