import type { ComparisonSummary } from '@atrium/client';
import type { WorkspaceContext } from '../context.js';
import { canAsk, confirm, requireTerminal } from '../confirm.js';
import { type ExitCode, UsageError } from '../exit-codes.js';
import type { MappedColumn } from '../mapping/mapping-file.js';
import type { LocalContext } from '../runner.js';
import { compareFile, requireAllowedDeletions } from './compare.js';
import { DifferencePrinter, hasDifferences } from './differences.js';
import type { LoadFlags } from './load-flags.js';
import { type Load, runLoads } from './run-loads.js';
import { emptySummary, type Summary } from './summary.js';
import { readSyncConfig, type SyncConfig } from './sync-config.js';

/** One table, or all tables of a configuration file in their order. */
export async function sync(
  context: LocalContext,
  file: string | undefined,
  table: string | undefined,
  { config, wait, ...flags }: LoadFlags & { config?: string | undefined; wait?: boolean | undefined },
): Promise<ExitCode> {
  const { entries, failure } = await findEntries(context, file, table, config);
  const loads = entries.map((entry, at) => {
    // Of several files, none is loaded.
    const results = at === 0 ? flags.results : undefined;
    return { file: entry.file, flags: { ...flags, results, ...entry, replace: true } };
  });
  const isAnswered = (flags.yes ?? false) || (flags.dryRun ?? false);
  return runLoads(loads, context, {
    isConfirmed: isAnswered || !canAsk(context),
    check: () => {
      if (failure) throw failure;
      if (flags.results !== undefined && entries.length > 1)
        throw new UsageError('--results needs one file. Write `results` for each table of the configuration.');
      if (!isAnswered) requireTerminal(context);
    },
    run: async (load) => {
      const summary = await syncTable(load);
      if (wait) await waitForApproval(summary, load.context);
      return summary;
    },
    endsAfter: ({ onError }, { proposals, rejected }) =>
      proposals.length > 0 || (rejected > 0 && onError !== 'continue'),
  });
}

/** @throws {UsageError} */
async function findEntries({ io }: LocalContext, file?: string, table?: string, config?: string): Promise<SyncConfig> {
  if (config !== undefined) return readSyncConfig(config, io);
  if (file !== undefined && table !== undefined) return { entries: [{ file, table }] };
  throw new UsageError('Write `atrium sync FILE TABLE`, or `atrium sync --config FILE`.');
}

/** Waits until the proposals of a load are decided. @throws {UsageError} if one is not approved. */
async function waitForApproval(summary: Summary, { client, output, signal }: WorkspaceContext): Promise<void> {
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
async function syncTable(load: Load): Promise<Summary> {
  const { plan, flags, context } = load;
  const { io, output } = context;
  const { onError, dryRun = false, results, yes } = flags;
  const printer = new DifferencePrinter(output, output.json || output.quiet ? undefined : io.stderr);
  const compared = await printer.printAll<ComparisonSummary>((onSummary) =>
    compareFile(plan, flags, context, onSummary),
  );
  const { create, update, unchanged, error } = compared;
  const isRejected = error > 0 && onError !== 'continue';
  const isEqual = error === 0 && !hasDifferences(compared) && plan.addedColumns.length === 0;
  if (isRejected || isEqual) {
    // Nothing is stored, also no empty batch; a dry run has the rejected rows and the unresolved references.
    const isStored = isEqual && !dryRun;
    if (results !== undefined || (isEqual && plan.mapping.columns.some(hasReferences))) {
      const validated = await load.validate();
      requireSameResult(isEqual, validated);
      return { ...validated, dryRun, isStored };
    }
    const summary = { ...emptySummary(plan, flags), notRead: plan.source.droppedLines.describe(), isStored };
    const received = create + update + unchanged + error;
    return { ...summary, received, unchanged: isEqual ? unchanged : 0, rejected: error, errors: printer.errors };
  }
  if (plan.exists) requireAllowedDeletions(compared, flags);
  if (!dryRun) await confirm('Apply these changes?', context, { yes });
  return load.store();
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
