import type { CatalogColumn } from '../catalog/column-plan.js';
import {
  createHierarchyCycleError,
  createMissingInNewRowError,
  createOutsidePolicyError,
} from '../sources/row-errors.js';
import type { LockedTable } from './table-plan.js';

/** Rejects the rows that would create a row without the value of a required column. */
export async function rejectMissingValues({
  plan: { source, columns, permitted },
  table,
  isNew,
}: LockedTable): Promise<void> {
  const required = columns.columns.filter((column) => column.required && !column.primaryKey);
  const missing = await source.findNewRowsWithout(required, isNew ? undefined : table);
  const isHidden = ({ ordinal }: CatalogColumn) =>
    permitted !== undefined && !permitted.columns.some((column) => column.ordinal === ordinal);
  await source.rejectAll(
    missing.map(({ column, found }) => {
      return {
        found,
        toError: () => (isHidden(column) ? createOutsidePolicyError() : createMissingInNewRowError(column.key)),
      };
    }),
  );
}

/** Rejects the rows whose parents would create a cycle, together with the stored parents. */
export async function rejectCycles({ plan: { source }, table }: LockedTable): Promise<void> {
  const parents = source.columns.filter(({ type }) => type === 'hierarchyParent');
  const isStored = ({ key }: CatalogColumn) => table.columns.some((column) => column.key === key);
  // The stored parent of a rejected row remains and may close another cycle: repeat until no cycle is left.
  for (let before = -1; before < source.errors.total;) {
    before = source.errors.total;
    const cycles = [];
    for (const column of parents) {
      const found = await source.findCyclicRows(column, isStored(column) ? table : undefined);
      const toError = ({ parent }: { parent: string }) => createHierarchyCycleError(column.key, parent);
      cycles.push({ found, toError });
    }
    await source.rejectAll(cycles);
  }
}
