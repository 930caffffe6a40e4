import { createInterface } from 'node:readline/promises';
import { type Context, openContext } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.js';
import { compare, type Comparison, exceedsGuard } from '../import/compare.js';
import { exitCodeOf, FileImport, type ImportFlags, type Summary } from '../import/import-file.js';
import { type ImportPlan, planImport, type SourceFlags } from '../import/import-plan.js';
import { printPlan, printSummaries } from '../import/print-summary.js';

export interface ImportCommandFlags extends GlobalFlags, SourceFlags, ImportFlags {
  table: string;
  replace?: boolean;
  maxDeletions?: string;
  yes?: boolean;
}

export async function importFiles(patterns: string[], flags: ImportCommandFlags): Promise<ExitCode> {
  const context = await openContext(flags);
  const summaries: Summary[] = [];
  const files = await expand(patterns);
  if (flags.replace && files.length > 1) throw new UsageError('--replace needs all rows of the table in one file.');
  if (flags.results !== undefined && files.length > 1) throw new UsageError('--results needs one file.');
  for (const file of files) {
    const plan = await planImport(context.client, file, flags.table, flags);
    try {
      printPlan(plan, context.output);
      const changes = flags.replace ? await compare(plan) : undefined;
      if (changes) requireGuard(changes, flags);
      if (!flags.dryRun) await confirm('Import it?', context, flags.yes);
      summaries.push(await apply(plan, changes, context, flags));
    } finally {
      await plan.source.close();
    }
  }
  await printSummaries(summaries, context.output);
  return exitCodeOf(summaries);
}

export async function diff(file: string, table: string, flags: Omit<ImportCommandFlags, 'table'>): Promise<ExitCode> {
  const { client, output } = await openContext(flags);
  const plan = await planImport(client, file, table, flags);
  try {
    const comparison = await compare(plan);
    printComparison(comparison, output.json);
    return comparison.differences.length > 0 ? EXIT.differencesFound : EXIT.success;
  } finally {
    await plan.source.close();
  }
}

/** Shows the differences, asks, and makes the table equal to the file. */
export async function sync(file: string, table: string, flags: Omit<ImportCommandFlags, 'table'>): Promise<ExitCode> {
  const context = await openContext(flags);
  const summaries = [await syncTable(file, context, { ...flags, table })];
  await printSummaries(summaries, context.output);
  return exitCodeOf(summaries);
}

/** All tables of a configuration file, in their order. */
export async function syncConfigured(path: string, flags: Omit<ImportCommandFlags, 'table'>): Promise<ExitCode> {
  const { readSyncConfig } = await import('../import/sync-config.js');
  const context = await openContext(flags);
  const summaries: Summary[] = [];
  for (const entry of await readSyncConfig(path)) {
    const summary = await syncTable(entry.file, context, { ...flags, ...entry });
    summaries.push(summary);
    // The next tables refer to rows of this one.
    if (summary.rejected > 0 && flags.onError !== 'continue') break;
  }
  await printSummaries(summaries, context.output);
  return exitCodeOf(summaries);
}

async function syncTable(file: string, context: Context, flags: ImportCommandFlags): Promise<Summary> {
  const plan = await planImport(context.client, file, flags.table, flags);
  try {
    const comparison = await compare(plan);
    if (!context.output.json && !context.output.quiet) printComparison(comparison, false, process.stderr);
    requireGuard(comparison, flags);
    if (!flags.dryRun) await confirm('Apply these changes?', context, flags.yes);
    return await apply(plan, comparison, context, flags);
  } finally {
    await plan.source.close();
  }
}

/** Rows are deleted after the import has succeeded, so that a rejected file deletes nothing. */
async function apply(
  plan: ImportPlan,
  changes: Comparison | undefined,
  { client, output, signal }: Context,
  flags: ImportCommandFlags,
): Promise<Summary> {
  const summary = await new FileImport(client, plan, flags, output, signal).run();
  if (!changes) return summary;
  const isApplied = summary.rejected === 0 || flags.onError === 'continue';
  const keys = changes.differences.filter(({ change }) => change === 'delete').map(({ key }) => key);
  if (flags.dryRun) return { ...summary, deleted: keys.length };
  if (!isApplied || keys.length === 0) return { ...summary, deleted: 0 };
  return { ...summary, deleted: (await plan.table.delete(keys, { signal })).deleted };
}

function requireGuard(comparison: Comparison, { maxDeletions }: { maxDeletions?: string }): void {
  if (!exceedsGuard(comparison, maxDeletions)) return;
  const { summary, stored, received } = comparison;
  const cause = received === 0 ? 'The file has no rows' : `The file lacks ${summary.delete} of ${stored} rows`;
  const advice = received === 0 ? 'Check the file.' : 'Check the file, or raise --max-deletions.';
  throw new UsageError(
    `${cause}; more than ${maxDeletions ?? '10%'} would be deleted. Nothing was changed. ${advice}`,
    EXIT.guardExceeded,
  );
}

function printComparison(
  { differences, summary }: Comparison,
  asJson: boolean,
  stream: NodeJS.WritableStream = process.stdout,
): void {
  if (asJson) {
    for (const difference of differences) stream.write(`${JSON.stringify(difference)}\n`);
    stream.write(`${JSON.stringify({ summary })}\n`);
    return;
  }
  const signs = { create: '+', update: '~', delete: '-' };
  for (const { change, key, columns } of differences.slice(0, 50)) {
    const values = Object.entries(columns).map(([name, { from, to }]) =>
      change === 'create' ? `${name}: ${String(to)}` : `${name}: ${String(from)} → ${String(to)}`,
    );
    stream.write(`${signs[change]} ${key}${values.length > 0 ? `  ${values.join(', ')}` : ''}\n`);
  }
  if (differences.length > 50) stream.write(`… and ${differences.length - 50} more.\n`);
  stream.write(
    `${summary.create} to create, ${summary.update} to update, ${summary.delete} to delete, ${summary.unchanged} unchanged.\n`,
  );
}

async function confirm(question: string, { output }: Context, isConfirmed = false): Promise<void> {
  if (isConfirmed || !process.stdin.isTTY || !output.isInteractive) return;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question(`${question} [y/N] `);
  prompt.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('Nothing was changed.');
}

async function expand(patterns: string[]): Promise<string[]> {
  const files: string[] = [];
  for (const pattern of patterns) {
    if (pattern === '-' || !/[*?{[]/.test(pattern)) {
      files.push(pattern);
      continue;
    }
    const { glob } = await import('tinyglobby');
    const found = (await glob(pattern, { expandDirectories: false })).sort();
    if (found.length === 0) throw new UsageError(`No file matches ${pattern}.`);
    files.push(...found);
  }
  return files;
}
