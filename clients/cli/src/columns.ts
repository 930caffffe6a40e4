import type { Table } from '@atrium/client';
import { ColumnFinder } from '../../../packages/tabular/src/column-finder.js';
import { UsageError } from './exit-codes.js';

/**
 * The column with a key or name, in any letter case, as the service finds it.
 *
 * @throws {UsageError} if several columns match
 */
export function findColumn({ columns }: Table, text: string): Table['columns'][number] | undefined {
  const [found, other] = new ColumnFinder(columns).find(text);
  if (found && other)
    throw new UsageError(
      `"${text}" matches the columns "${found.key}" and "${other.key}". Name the key, or map the column with --mapping.`,
    );
  return found;
}
