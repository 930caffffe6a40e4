import type { CatalogColumn } from '../catalog/column-plan.js';
import { hasSelectedRows } from '../catalog/physical-table.js';
import { createHierarchyCycleError } from '../sources/row-errors.js';
import type { LockedTable } from './table-plan.js';

/**
 * Rejects the rows whose parents would create a cycle, together with the stored parents. Each further rejection leaves
 * a stored parent, which may close another cycle: then it is called again.
 */
export async function rejectCycles({ plan: { input, source, permitted }, table }: LockedTable): Promise<void> {
  const parents = source.columns.filter(({ type }) => type === 'hierarchyParent');
  const isStored = ({ key }: CatalogColumn) => table.columns.some((column) => column.key === key);
  // A caller whose policies permit only some rows may name others, which are not deleted.
  const deleted = hasSelectedRows(permitted) ? [] : input.deletions;
  // The stored parent of a rejected row remains and may close another cycle: repeat until no cycle is left.
  for (let before = -1; before < source.errors.total;) {
    before = source.errors.total;
    const cycles = [];
    for (const column of parents) {
      const found = await source.findCyclicRows(column, isStored(column) ? table : undefined, deleted);
      const toError = ({ parent }: { parent: string }) => createHierarchyCycleError(column.key, parent);
      cycles.push({ found, toError });
    }
    await source.rejectAll(cycles);
  }
}
