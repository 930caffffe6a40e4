import type { RowValues } from '../../../../packages/tables/src/catalog/row-sql.js';

type Value = RowValues[string];

/**
 * The columns whose values differ. An absent value is null.
 *
 * @param visible the keys of the columns that are compared; undefined for all.
 */
export function compareValues(
  from: RowValues,
  to: RowValues,
  visible?: ReadonlySet<string>,
): Record<string, { from: Value; to: Value }> {
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const changed = keys.filter((key) => (visible?.has(key) ?? true) && (from[key] ?? null) !== (to[key] ?? null));
  return Object.fromEntries(changed.map((key) => [key, { from: from[key] ?? null, to: to[key] ?? null }]));
}
