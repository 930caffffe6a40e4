import { Option } from '@commander-js/extra-typings';
import type { Batch, UndoReport } from '@atrium/client';
import { countChanges, describeReversal, describeWaiting, formatChanges, sumChanges } from '../changes.js';
import { confirm } from '../confirm.js';
import { findTable } from '../context.js';
import { exitCodeOf, UsageError } from '../exit-codes.js';
import type { Io } from '../io.js';
import { toArray } from '../iteration.js';
import { entityOption, parseCount } from '../options.js';
import { formatCount, formatTime, type Output } from '../output.js';
import type { Program, Runner } from '../runner.js';

export function addBatchCommands(program: Program, { inWorkspace }: Runner): void {
  program
    .command('batches [table]')
    .description('list bulk requests, imports, deletions and restorations, the newest first')
    .addOption(entityOption())
    .option('--limit <number>', 'newest batches', parseCount, 50)
    .action(
      inWorkspace(async ({ client, output, signal }, name, { entity, limit }) => {
        const table = name === undefined ? undefined : await (await findTable(client, name, entity)).describe();
        const found = await toArray(listBatches(client.batches.list({ signal }), table?.id), limit);
        await output.table(found, ['id', 'time', 'source', 'tables', 'changes', 'state'], describeBatch);
      }),
    );
  program
    .command('undo [id...]')
    .description('show what the undo of a batch or a load changes, and restore the former rows')
    .option('--results <directory>', 'the load that has written these results')
    .addOption(new Option('--on-conflict <mode>', 'leave rows as they are that were changed since').choices(['skip']))
    .option('--yes', 'do not ask')
    .action(
      inWorkspace(async (context, ids, { results, onConflict, yes }) => {
        if (ids.length > 0 === (results !== undefined))
          throw new UsageError('Write the IDs of batches, or --results DIR of a load.');
        const { client, io, output, signal } = context;
        const batches: Batch[] = [];
        for (const id of results === undefined ? ids : await readLoad(results, io))
          batches.push(await client.batches.get(id, { signal }));
        // Of a load that was undone in part, the rest is undone.
        const remaining = results === undefined ? batches : batches.filter(({ undoneBy }) => undoneBy === null);
        if (remaining.length === 0) throw new UsageError('The load was undone before.');
        remaining.reverse().sort((batch, other) => Date.parse(other.createdAt) - Date.parse(batch.createdAt));
        describeUndo(remaining, output);
        await confirm('Undo it?', context, { yes });
        const reports: UndoReport[] = [];
        try {
          for (const { id } of remaining) reports.push(await client.batches.undo(id, { onConflict, signal }));
        } catch (error) {
          if (remaining.length > 1) output.remark(`${reports.length} of ${remaining.length} batches were undone.`);
          throw error;
        }
        output.result(ids.length === 1 ? reports[0] : reports, () => describeOutcome(reports));
        return exitCodeOf(...reports.map(({ proposalId }) => ({ isWaiting: proposalId !== undefined })));
      }),
    );
}

/** @param table the ID of the table that the batches have changed */
async function* listBatches(batches: AsyncIterable<Batch>, table: string | undefined): AsyncGenerator<Batch, void> {
  for await (const batch of batches)
    if (table === undefined || batch.tables.some(({ id }) => id === table)) yield batch;
}

function describeBatch({ createdAt, tables, undoable, undoneBy, ...batch }: Batch) {
  const counts = tables.map((table) => table.counts);
  // An access policy may hide the numbers of rows.
  const isKnown = !counts.includes(null);
  const sums = sumChanges(counts.filter((each) => each !== null));
  // A batch may only have created a table or added columns, as `import --create` does, or have found no difference.
  const changes = countChanges(sums) === 0 ? 'no rows' : formatChanges(sums);
  return {
    ...batch,
    time: formatTime(createdAt),
    tables: tables.map((table) => table.name).join(', '),
    changes: isKnown ? changes : '',
    // Most batches can be undone.
    state: undoneBy ? 'undone' : undoable ? '' : 'final',
  };
}

function describeUndo(batches: Batch[], output: Output): void {
  const [newest] = batches;
  const what = batches.length === 1 ? `the ${newest!.source} of ${newest!.createdAt}` : `${batches.length} batches`;
  output.remark(`Undo of ${what}:`);
  const tables = batches
    .flatMap((batch) => batch.tables)
    .map((table) => ({ ...table, name: `${table.entity}/${table.name}` }));
  for (const name of new Set(tables.map((table) => table.name))) {
    const counts = tables.filter((table) => table.name === name).map((table) => table.counts);
    if (counts.includes(null)) output.remark(`  ${name}: the access policy hides the numbers of rows`);
    const known = counts.filter((each) => each !== null);
    if (known.length > 0) output.remark(`  ${name}: ${describeReversal(sumChanges(known))}`);
  }
}

function describeOutcome(reports: UndoReport[]): string {
  const proposals = reports.flatMap(({ proposalId }) => proposalId ?? []);
  if (proposals.length > 0) return proposals.map((id) => `${describeWaiting('undo', id)}\n`).join('');
  const { created, updated, deleted } = sumChanges(reports.map(({ totals }) => totals));
  const changes = `${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(deleted)} deleted.`;
  const skipped = reports.reduce((sum, report) => sum + report.skipped, 0);
  const remark = skipped > 0 ? ` ${skipped} rows that were changed since are unchanged.` : '';
  const again = reports.flatMap(({ batchId }) => batchId ?? []).join(' ');
  return `Undone: ${changes}${remark} To apply it again, run \`atrium undo ${again}\`.\n`;
}

/** The batches that a load has written to `summary.json`. */
async function readLoad(directory: string, io: Io): Promise<string[]> {
  const { readLoadSummary } = await import('../import/load-summary.js');
  const { batches, error } = await readLoadSummary(directory, io);
  if (batches.length > 0) return batches;
  if (!error) throw new UsageError(`The load of ${directory} has stored nothing.`);
  // The service may nevertheless have stored the file.
  throw new UsageError(`${directory} names no batch: ${error.message} \`atrium batches\` lists what was stored.`);
}
