import { confirm } from '../confirm.js';
import { type Context, openContext } from '../context.js';
import { type ExitCode, UsageError } from '../exit-codes.js';
import { Comparison, ComparisonPrinter, requireAllowedDeletions } from '../import/compare.js';
import { FileImport } from '../import/import-file.js';
import { planImport } from '../import/import-plan.js';
import { printPlan } from '../import/print-summary.js';
import { type Load, type LoadState, locateResults, prepareResults } from '../import/results-folder.js';
import { runLoads } from '../import/run-loads.js';
import { emptySummary, MAX_ERRORS, type Summary } from '../import/summary.js';
import { readSyncConfig, type SyncEntry } from '../import/sync-config.js';
import type { ImportCommandFlags } from './import.js';
import type { Io } from '../io.js';
import type { MappedColumn } from '../mapping/mapping-file.js';

type SyncFlags = Omit<ImportCommandFlags, 'table'>;

/** One table, or all tables of a configuration file in their order. */
export async function sync(
  file: string | undefined,
  table: string | undefined,
  flags: SyncFlags & { config?: string; wait?: boolean },
  io: Io,
): Promise<ExitCode> {
  let entries: SyncEntry[];
  if (flags.config !== undefined) entries = await readSyncConfig(flags.config, io);
  else if (file !== undefined && table !== undefined) entries = [{ file, table }];
  else throw new UsageError('Write `atrium sync FILE TABLE`, or `atrium sync --config FILE`.');
  if (flags.results !== undefined && entries.length > 1)
    throw new UsageError('--results needs one file. Write `results` for each table of the configuration.');
  const loads = entries.map((entry) => {
    const load = { ...flags, ...entry };
    return { file: entry.file, flags: { ...load, results: locateResults(load) } };
  });
  const isConfirmed = (flags.yes ?? false) || (flags.dryRun ?? false);
  await prepareResults(loads, io, isConfirmed);
  const context = await openContext(flags, io);
  return runLoads(loads, context, {
    isConfirmed,
    run: async (load, state) => {
      const summary = await syncTable(load, context, state);
      if (flags.wait) await waitForApproval(summary, context);
      return summary;
    },
    endsAfter: (load, { proposals, rejected }) =>
      proposals.length > 0 || (rejected > 0 && load.flags.onError !== 'continue'),
  });
}

/** Waits until the proposals of a load are decided. @throws {UsageError} if one is not approved. */
async function waitForApproval(summary: Summary, { client, output, signal }: Context): Promise<void> {
  for (const id of summary.proposals) {
    output.remark(`Waiting for the approval of ${summary.table}: \`atrium proposals approve ${id}\` …`);
    const { status, comment, batchId } = await client.proposals.wait(id, { signal });
    const reason = comment === null ? '' : ` ${comment}`;
    if (status !== 'approved')
      throw new UsageError(`The changes of ${summary.table} were not stored: the proposal is ${status}.${reason}`);
    if (batchId !== null) summary.batches.push(batchId);
  }
  summary.isStored ||= summary.proposals.length > 0;
  summary.proposals = [];
}

/** Shows the differences, asks, and makes the table equal to the file. */
async function syncTable(
  { file, flags }: Load<ImportCommandFlags>,
  context: Context,
  state: LoadState,
): Promise<Summary> {
  const { io, output, signal } = context;
  const { onError, dryRun = false, results } = flags;
  const plan = await planImport(context, file, flags.table, flags);
  state.plan = plan;
  try {
    printPlan(plan, output);
    const printer = output.json || output.quiet ? undefined : new ComparisonPrinter(output, io.stderr);
    const errors: Summary['errors'] = [];
    const comparison = new Comparison(plan, flags, signal);
    for await (const difference of comparison.readDifferences()) {
      if (difference.change === 'error' && errors.length < MAX_ERRORS) errors.push(difference);
      printer?.printDifference(difference);
    }
    printer?.printSummary(comparison.summary);
    const { create, update, unchanged, error } = comparison.summary;
    const isRejected = error > 0 && onError !== 'continue';
    const isEqual = error === 0 && !comparison.hasDifferences && plan.addedColumns.length === 0;
    if (isRejected || isEqual) {
      // Nothing is stored, also no empty batch; a dry run has the rejected rows and the unresolved references.
      const isStored = isEqual && !dryRun;
      await state.begin();
      if (results !== undefined || (isEqual && plan.mapping.columns.some(hasReferences))) {
        const validated = await new FileImport(context, plan, { ...flags, replace: true, dryRun: true }).run();
        requireSameResult(isEqual, validated);
        return { ...validated, dryRun, isStored };
      }
      const summary = { ...emptySummary(plan, flags), notRead: plan.source.droppedLines.describe(), isStored };
      const received = create + update + unchanged + error;
      return { ...summary, received, unchanged: isEqual ? unchanged : 0, rejected: error, errors };
    }
    if (plan.exists) requireAllowedDeletions(comparison.summary, flags);
    if (!dryRun) await confirm('Apply these changes?', context, { yes: flags.yes ?? false, isRequired: true });
    await state.begin();
    const load = new FileImport(context, plan, { ...flags, replace: true });
    state.summary = load.summary;
    return await load.run();
  } finally {
    await plan.source.close();
  }
}

/** @throws {UsageError} if the table was changed between the comparison and the dry run, whose results differ */
function requireSameResult(isEqual: boolean, { table, created, updated, deleted = 0, rejected }: Summary): void {
  const isSame = isEqual ? created + updated + deleted + rejected === 0 : rejected > 0;
  if (!isSame)
    throw new UsageError(
      `The table ${table} was changed while it was compared. Nothing was stored. Repeat the command.`,
    );
}

const hasReferences = ({ type }: MappedColumn): boolean => type === 'reference' || type === 'hierarchyParent';
