import { coerceKey } from '../../../tabular/src/coercions.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import { RowsRepository } from '../catalog/rows.repository.js';
import { InvalidTablesError } from '../catalog/tables.errors.js';
import type { View } from '../catalog/view.js';
import { toOutsidePolicyErrors } from './policy-checks.js';
import { createOutsidePolicyError } from '../sources/row-errors.js';
import type { LockedTable } from './table-plan.js';
import type { MergedTable } from './upsert-report.js';

/**
 * Rejects writes that extend the subtrees to which a view is limited elsewhere (`View.subtrees`): by a row that enters
 * them by itself, below another one or by a new column, or by one that is deleted outside and could be created inside.
 * New rows may be inside.
 */
export class SubtreeGuard {
  constructor(private readonly rows: RowsRepository) {}

  /**
   * Before the write, under the locks of the tables.
   *
   * @returns the check after the write, which throws InvalidTablesError; undefined if nothing limits the view.
   */
  async begin(
    { subtrees = [] }: View,
    tables: readonly LockedTable[],
  ): Promise<((merged: readonly MergedTable[]) => Promise<void>) | undefined> {
    if (subtrees.length === 0) return undefined;
    const before = new Map<string, Set<string>>();
    for (const { table, isNew } of tables) {
      const roots = subtrees.flatMap(({ entity, root }) => (entity === table.entity ? [root] : []));
      if (roots.length > 0 && !isNew) before.set(table.id, await this.listInside(table, roots));
    }
    return async (merged) => {
      for (const { table, deleted, fromRevision } of merged) {
        const inside = before.get(table.id);
        if (!inside || table.revision === fromRevision) continue;
        const roots = subtrees.flatMap(({ entity, root }) => (entity === table.entity ? [root] : []));
        const now = await this.listInside(table, roots);
        const entered = await this.rows.findFormer(
          table,
          [...now].filter((key) => !inside.has(key)),
        );
        if (entered.length > 0) throw createOutsideError(table, entered);
        if (deleted === 0) continue;
        const remaining = await this.rows.findExisting(table, [...inside]);
        if (deleted > inside.size - remaining.size) throw createOutsideError(table, []);
      }
    };
  }

  /** The keys of the rows that all subtrees contain. */
  private async listInside(table: CatalogTable, roots: readonly string[]): Promise<Set<string>> {
    let inside: Set<string> | undefined;
    for (const root of roots) {
      const key = coerceKey(root);
      const keys = typeof key === 'string' ? await this.rows.listSubtree(table, key) : [];
      const found = new Set(keys);
      inside = inside ? new Set(keys.filter((each) => inside!.has(each))) : found;
    }
    return inside ?? new Set();
  }
}

function createOutsideError(table: CatalogTable, keys: readonly string[]): InvalidTablesError {
  const message =
    'The access policy of the caller does not permit to move or delete rows of this table that are outside of its part. Nothing was stored.';
  const { entity: type, name } = table;
  const errors =
    keys.length > 0 ? toOutsidePolicyErrors(table, keys) : [{ type, table: name, ...createOutsidePolicyError() }];
  return new InvalidTablesError('invalid_rows', message, errors);
}
