/** The values that differ from what the record has; undefined is none. */
export function changedValues<T extends object>(record: T, values: Partial<T>): Partial<T> {
  const changed = Object.entries<unknown>(values as Record<string, unknown>).filter(
    ([name, value]) => value !== undefined && !isEqual(record[name as keyof T], value),
  );
  return Object.fromEntries(changed) as Partial<T>;
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** The order of an object's fields means nothing, and the database does not keep it; nor fields that are undefined. */
function sorted(value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !(value instanceof Date);
  if (!isObject) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => [name, sorted(inner)]);
}
