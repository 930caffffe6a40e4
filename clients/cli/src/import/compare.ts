import type { Value } from '@atrium/client';
import type { ImportPlan, Item } from './import-plan.js';

export interface Difference {
  change: 'create' | 'update' | 'delete';
  key: string;
  columns: Record<string, { from: Value; to: Value }>;
}

export interface Comparison {
  differences: Difference[];
  summary: { create: number; update: number; delete: number; unchanged: number };
  /** Rows of the table before the comparison. */
  stored: number;
  /** Rows of the file. */
  received: number;
}

/**
 * Compares a file with its table. The rows of the file are in memory, those of the table are streamed.
 * Values are compared as texts: the service converts `12.50` of a file to the number 12.5.
 */
export async function compare({
  source,
  table,
  exists,
  convert,
  primaryKey,
  mapping,
}: ImportPlan): Promise<Comparison> {
  const types = new Map(mapping.columns.map((column) => [column.key ?? '', column.type]));
  const items = new Map<string, Item>();
  for await (const row of source.rows()) {
    const item = convert(row);
    const key = item[primaryKey];
    if (key !== null && key !== undefined) items.set(String(key), item);
  }
  const received = items.size;
  const differences: Difference[] = [];
  let unchanged = 0;
  let stored = 0;
  if (exists)
    for await (const row of table.snapshot()) {
      stored++;
      const key = String(row[primaryKey]);
      const item = items.get(key);
      items.delete(key);
      const columns: Difference['columns'] = {};
      if (item)
        for (const [name, to] of Object.entries(item)) {
          const from = row[name] ?? null;
          if (!isEqual(from, to, types.get(name))) columns[name] = { from, to };
        }
      if (!item) differences.push({ change: 'delete', key, columns: {} });
      else if (Object.keys(columns).length > 0) differences.push({ change: 'update', key, columns });
      else unchanged++;
    }
  for (const [key, item] of items) {
    const columns = Object.fromEntries(Object.entries(item).map(([name, to]) => [name, { from: null, to }]));
    differences.push({ change: 'create', key, columns });
  }
  const count = (change: Difference['change']): number =>
    differences.filter((difference) => difference.change === change).length;
  const summary = { create: count('create'), update: count('update'), delete: count('delete'), unchanged };
  return { differences, summary, stored, received };
}

function isEqual(from: Value, to: Value, type: string | undefined): boolean {
  if (from === to) return true;
  if (type === 'checkbox') return isChecked(from) === isChecked(to);
  if (from === null || to === null) return false;
  if (type === 'number' || typeof from === 'number') return Number(from) === Number(to);
  // A stored date may have a time of day.
  if (type === 'date') return String(from).slice(0, 10) === String(to).slice(0, 10);
  return String(from) === String(to);
}

function isChecked(value: Value): boolean {
  return value === true || ['x', 'true', '1', 'yes'].includes(String(value).toLowerCase());
}

/** Whether more rows would be deleted than `--max-deletions` allows: a number, or a share of the table. */
export function exceedsGuard({ summary, stored, received }: Comparison, limit = '10%'): boolean {
  // A file that was cut short must not empty the table.
  if (received === 0) return stored > 0;
  const allowed = limit.endsWith('%') ? (stored * Number(limit.slice(0, -1))) / 100 : Number(limit);
  return summary.delete > allowed;
}
