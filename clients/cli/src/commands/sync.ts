import type { ComparisonSummary } from '@atrium/client';
import { confirm } from '../confirm.js';
import { type Context, openContext } from '../context.js';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.js';
import { compareFile, ComparisonPrinter, requireGuard } from '../import/compare.js';
import { FileImport } from '../import/import-file.js';
import { planImport } from '../import/import-plan.js';
import { printPlan, printSummaries } from '../import/print-summary.js';
import { emptySummary, exitCodeOf, MAX_ERRORS, type Summary } from '../import/summary.js';
import type { ImportCommandFlags } from './import.js';

type SyncFlags = Omit<ImportCommandFlags, 'table'>;

export function syncCommand(
  file: string | undefined,
  table: string | undefined,
  flags: SyncFlags & { config?: string },
): Promise<ExitCode> {
  if (flags.config !== undefined) return syncConfigured(flags.config, flags);
  if (file === undefined || table === undefined)
    throw new UsageError('Write `atrium sync FILE TABLE`, or `atrium sync --config FILE`.', EXIT.failure);
  return sync(file, table, flags);
}

async function sync(file: string, table: string, flags: SyncFlags): Promise<ExitCode> {
  const context = await openContext(flags);
  const summaries = [await syncTable(file, context, { ...flags, table })];
  await printSummaries(summaries, context.output);
  return exitCodeOf(summaries);
}

/** All tables of a configuration file, in their order. */
async function syncConfigured(path: string, flags: SyncFlags): Promise<ExitCode> {
  const { readSyncConfig } = await import('../import/sync-config.js');
  const context = await openContext(flags);
  const entries = await readSyncConfig(path);
  if (flags.results !== undefined && entries.length > 1)
    throw new UsageError('--results needs one file. Write `results` for each table of the configuration.');
  const summaries: Summary[] = [];
  try {
    for (const entry of entries) {
      const summary = await syncTable(entry.file, context, { ...flags, ...entry });
      summaries.push(summary);
      // The next tables refer to rows of this one.
      if (summary.rejected > 0 && flags.onError !== 'continue') break;
    }
  } catch (error) {
    // What the earlier tables have received is stored.
    if (summaries.length > 0) await printSummaries(summaries, context.output);
    throw error;
  }
  await printSummaries(summaries, context.output);
  return exitCodeOf(summaries);
}

/** Shows the differences, asks, and makes the table equal to the file. */
async function syncTable(file: string, context: Context, flags: ImportCommandFlags): Promise<Summary> {
  const { client, output, signal } = context;
  const plan = await planImport(client, file, flags.table, flags);
  try {
    printPlan(plan, output);
    const printer = output.json || output.quiet ? undefined : new ComparisonPrinter(output, process.stderr);
    const errors: Summary['errors'] = [];
    const changes = await compareFile(plan, flags, signal, (difference) => {
      if (difference.change === 'error') errors.push(...(errors.length < MAX_ERRORS ? [difference] : []));
      printer?.print(difference);
    });
    printer?.end(changes);
    const { create, update, unchanged, error } = changes;
    if (error > 0 && flags.onError !== 'continue')
      return { ...emptySummary(plan, flags), received: create + update + unchanged + error, rejected: error, errors };
    if (plan.exists) requireGuard(changes, flags);
    if (isEqual(changes) && plan.addedColumns.length === 0 && flags.results === undefined)
      return { ...emptySummary(plan, flags), received: unchanged, unchanged };
    if (!flags.dryRun) await confirm('Apply these changes?', context, { yes: flags.yes ?? false, isRequired: true });
    return await new FileImport(client, plan, { ...flags, replace: true }, output, signal).run();
  } finally {
    await plan.source.close();
  }
}

function isEqual({ create, update, delete: deletions, error }: ComparisonSummary): boolean {
  return create + update + deletions + error === 0;
}
