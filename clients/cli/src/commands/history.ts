import type { Entity, RowHistoryEntry } from '@atrium/client';
import { findTable, openContext } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import { formatValues } from '../import/compare.js';
import type { Io } from '../io.js';
import { formatTime } from '../output.js';
import { take } from '../take.js';
import { readUserNames } from '../user-names.js';
import { toMissingRow } from './rows.js';

/** The newest changes of a row: when, by whom, and which values. */
export async function history(
  name: string,
  key: string,
  flags: GlobalFlags & { entity?: Entity; limit: number },
  io: Io,
): Promise<void> {
  const context = await openContext(flags, io);
  const { client, settings, output, signal } = context;
  const table = await findTable(client, name, flags.entity);
  const found = take(table.history(key, { signal }), flags.limit);
  const entries = await found.catch(toMissingRow(table, key, ' It has no stored former rows, either.'));
  const authors = output.json ? [] : entries.flatMap(({ by }) => by ?? []);
  const names = await readUserNames(client, settings.workspace ?? '', authors);
  await output.table(entries, ['time', 'revision', 'change', 'by', 'values', 'batch'], (entry) => ({
    time: formatTime(entry.at),
    revision: entry.revision,
    change: entry.change,
    by: entry.by === null ? '' : (names.get(entry.by) ?? entry.by),
    values: describeValues(entry),
    batch: entry.batchId,
  }));
  const isComplete = entries.length === flags.limit || entries.at(-1)?.change === 'created';
  if (!output.json && !isComplete) output.remark('Earlier changes of the row are not stored any more.');
}

function describeValues({ change, columns }: RowHistoryEntry): string {
  const kinds = { created: 'create', deleted: 'delete' } as const;
  return formatValues(change === 'created' || change === 'deleted' ? kinds[change] : 'update', columns);
}
