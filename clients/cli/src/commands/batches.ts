import type { Batch, Entity } from '@atrium/client';
import { confirm } from '../confirm.js';
import { findTable, openContext } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import { formatTime } from '../output.js';

/** The newest batches of the workspace, or of one table. */
export async function batches(
  name: string | undefined,
  flags: GlobalFlags & { entity?: Entity; limit: number },
): Promise<void> {
  const { client, output, signal } = await openContext(flags);
  const table = name === undefined ? undefined : await (await findTable(client, name, flags.entity)).describe();
  const found: Batch[] = [];
  for await (const batch of client.batches.list({ signal })) {
    if (table && !batch.tables.some(({ id }) => id === table.id)) continue;
    found.push(batch);
    if (found.length >= flags.limit) break;
  }
  if (output.json) output.result(found, () => '');
  else
    await output.table(
      found.map((batch) => ({ ...describeBatch(batch), id: batch.id })),
      ['id', 'time', 'source', 'tables', 'changes', 'state'],
    );
}

function describeBatch({ createdAt, source, tables, undoable, undoneBy }: Batch) {
  const sum = (name: 'created' | 'updated' | 'deleted'): string =>
    tables.reduce((total, { counts }) => total + counts[name], 0).toLocaleString('en');
  return {
    ...{ time: formatTime(createdAt), source, tables: tables.map((table) => table.name).join(', ') },
    changes: `+${sum('created')} ~${sum('updated')} -${sum('deleted')}`,
    // Most batches can be undone.
    state: undoneBy ? 'undone' : undoable ? '' : 'final',
  };
}

/** Shows what an undo of a batch changes, asks, and undoes it. */
export async function undo(id: string, flags: GlobalFlags & { yes?: boolean; onConflict?: 'skip' }): Promise<void> {
  const context = await openContext(flags);
  const { client, output, signal } = context;
  const batch = await client.batches.get(id, { signal });
  output.remark(`Undo of the ${batch.source} of ${batch.createdAt}:`);
  for (const { entity, name, counts } of batch.tables) {
    const { created, updated, deleted } = counts;
    const format = (count: number): string => count.toLocaleString('en');
    output.remark(
      `  ${entity}/${name}: deletes ${format(created)} created rows, restores ${format(updated)} updated and ${format(deleted)} deleted rows`,
    );
  }
  await confirm('Undo it?', context, { yes: flags.yes ?? false, isRequired: true });
  const report = await client.batches.undo(id, { ...(flags.onConflict && { onConflict: flags.onConflict }), signal });
  const skipped = report.skipped > 0 ? ` ${report.skipped} rows that were changed since are unchanged.` : '';
  output.result(report, () => `Undone.${skipped} To apply it again, run \`atrium undo ${report.batchId}\`.\n`);
}
