import type { Table } from '@atrium/client';
import { UsageError } from './exit-codes.js';

/**
 * The column with a key or name, in any letter case, as the service finds it.
 *
 * @throws {UsageError} if several columns match
 */
export function findColumn({ columns }: Table, text: string): Table['columns'][number] | undefined {
  const exact = columns.find(({ key }) => key === text);
  if (exact) return exact;
  const name = normalizeName(text);
  const [found, other] = columns.filter((column) => column.key === name || normalizeName(column.name) === name);
  if (found && other)
    throw new UsageError(
      `"${text}" matches the columns "${found.key}" and "${other.key}". Name the key, or map the column with --mapping.`,
    );
  return found;
}

/** Names are equal in any letter case. */
export const normalizeName = (name: string): string => name.trim().normalize('NFC').toLowerCase();
