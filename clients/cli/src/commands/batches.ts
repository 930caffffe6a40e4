import type { Batch, Entity, UndoReport } from '@atrium/client';
import { confirm } from '../confirm.js';
import { findTable, openContext } from '../context.js';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.js';
import type { GlobalFlags } from '../global-flags.js';
import { readLoadSummary } from '../import/load-summary.js';
import type { Io } from '../io.js';
import { formatTime, type Output } from '../output.js';

/** The newest batches of the workspace, or of one table. */
export async function batches(
  name: string | undefined,
  flags: GlobalFlags & { entity?: Entity; limit: number },
  io: Io,
): Promise<void> {
  const { client, output, signal } = await openContext(flags, io);
  const table = name === undefined ? undefined : await (await findTable(client, name, flags.entity)).describe();
  const found: Batch[] = [];
  for await (const batch of client.batches.list({ signal })) {
    if (table && !batch.tables.some(({ id }) => id === table.id)) continue;
    found.push(batch);
    if (found.length >= flags.limit) break;
  }
  await output.table(found, ['id', 'time', 'source', 'tables', 'changes', 'state'], describeBatch);
}

function describeBatch({ id, createdAt, source, tables, undoable, undoneBy }: Batch) {
  const sum = (name: 'created' | 'updated' | 'deleted'): string =>
    tables.reduce((total, { counts }) => total + (counts?.[name] ?? 0), 0).toLocaleString('en');
  // An access policy may hide the numbers of rows.
  const isKnown = tables.every(({ counts }) => counts !== null);
  return {
    id,
    time: formatTime(createdAt),
    source,
    tables: tables.map((table) => table.name).join(', '),
    changes: isKnown ? describeChanges(`+${sum('created')} ~${sum('updated')} -${sum('deleted')}`) : '',
    // Most batches can be undone.
    state: undoneBy ? 'undone' : undoable ? '' : 'final',
  };
}

/** A batch may only have created a table or added columns, as `import --create` does, or have found no difference. */
const describeChanges = (counts: string): string => (counts === '+0 ~0 -0' ? 'no rows' : counts);

/** Shows what an undo of batches changes, asks, and undoes them, the newest first. */
export async function undo(
  ids: string[],
  flags: GlobalFlags & { yes?: boolean; onConflict?: 'skip'; results?: string },
  io: Io,
): Promise<ExitCode> {
  if (ids.length > 0 === (flags.results !== undefined))
    throw new UsageError('Write the IDs of batches, or --results DIR of a load.');
  const context = await openContext(flags, io);
  const { client, output, signal } = context;
  const selected = flags.results === undefined ? ids : await readLoad(flags.results, io);
  const batches: Batch[] = [];
  for (const id of selected) batches.push(await client.batches.get(id, { signal }));
  // Of a load that was undone in part, the rest is undone.
  const remaining = flags.results === undefined ? batches : batches.filter(({ undoneBy }) => undoneBy === null);
  if (remaining.length === 0) throw new UsageError('The load was undone before.');
  remaining.reverse().sort((batch, other) => Date.parse(other.createdAt) - Date.parse(batch.createdAt));
  describeUndo(remaining, output);
  await confirm('Undo it?', context, { yes: flags.yes ?? false, isRequired: true });
  const reports: UndoReport[] = [];
  try {
    for (const { id } of remaining)
      reports.push(await client.batches.undo(id, { onConflict: flags.onConflict, signal }));
  } catch (error) {
    if (remaining.length > 1) output.remark(`${reports.length} of ${remaining.length} batches were undone.`);
    throw error;
  }
  const skipped = reports.reduce((sum, report) => sum + report.skipped, 0);
  const sumOf = (name: 'created' | 'updated' | 'deleted'): string =>
    reports.reduce((sum, { totals }) => sum + totals[name], 0).toLocaleString('en');
  const changes = `${sumOf('created')} created, ${sumOf('updated')} updated, ${sumOf('deleted')} deleted.`;
  const remark = skipped > 0 ? ` ${skipped} rows that were changed since are unchanged.` : '';
  const proposals = reports.flatMap(({ proposalId }) => proposalId ?? []);
  const again = reports.flatMap(({ batchId }) => batchId ?? []).join(' ');
  const undone = `Undone: ${changes}${remark} To apply it again, run \`atrium undo ${again}\`.\n`;
  const waiting = proposals.map((id) => `The undo waits for approval: \`atrium proposals show ${id}\`.\n`).join('');
  output.result(ids.length === 1 ? reports[0] : reports, () => waiting || undone);
  return proposals.length > 0 ? EXIT.waitsForApproval : EXIT.success;
}

function describeUndo(batches: Batch[], output: Output): void {
  const [newest] = batches;
  const what = batches.length === 1 ? `the ${newest!.source} of ${newest!.createdAt}` : `${batches.length} batches`;
  output.remark(`Undo of ${what}:`);
  const tables = new Map<string, { created: number; updated: number; deleted: number }>();
  for (const { entity, name, counts } of batches.flatMap((batch) => batch.tables)) {
    if (!counts) {
      output.remark(`  ${entity}/${name}: the access policy hides the numbers of rows`);
      continue;
    }
    const sums = tables.get(`${entity}/${name}`) ?? { created: 0, updated: 0, deleted: 0 };
    for (const kind of ['created', 'updated', 'deleted'] as const) sums[kind] += counts[kind];
    tables.set(`${entity}/${name}`, sums);
  }
  const format = (count: number): string => count.toLocaleString('en');
  for (const [table, { created, updated, deleted }] of tables)
    output.remark(
      `  ${table}: deletes ${format(created)} created rows, restores ${format(updated)} updated and ${format(deleted)} deleted rows`,
    );
}

/** The batches that a load has written to `summary.json`. */
async function readLoad(directory: string, io: Io): Promise<string[]> {
  const { batches, error } = await readLoadSummary(directory, io);
  if (batches.length > 0) return batches;
  if (!error) throw new UsageError(`The load of ${directory} has stored nothing.`);
  // The service may nevertheless have stored the file.
  throw new UsageError(`${directory} names no batch: ${error.message} \`atrium batches\` lists what was stored.`);
}
