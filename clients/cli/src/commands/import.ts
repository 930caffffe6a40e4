import { access, constants } from 'node:fs/promises';
import { confirm } from '../confirm.js';
import { type Context, openContext } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import { type ExitCode, UsageError } from '../exit-codes.js';
import { FileImport } from '../import/import-file.js';
import { planImport, type SourceFlags } from '../import/import-plan.js';
import { printPlan, printSummaries } from '../import/print-summary.js';
import { exitCodeOf, type ImportFlags, type Summary } from '../import/summary.js';

export interface ImportCommandFlags extends GlobalFlags, SourceFlags, ImportFlags {
  table: string;
  yes?: boolean;
}

const INTERRUPTED =
  'Interrupted. Repeat the command with --resume to continue. The service finishes a file that it has received completely.';

export async function importFiles(patterns: string[], flags: ImportCommandFlags): Promise<ExitCode> {
  const { replace, maxDeletions, filter, under } = flags;
  if (!replace && [maxDeletions, filter, under].some((value) => value !== undefined))
    throw new UsageError('--max-deletions, --under and --filter need --replace.');
  const context = await openContext(flags);
  const summaries: Summary[] = [];
  const files = await expand(patterns);
  if (replace && files.length > 1) throw new UsageError('--replace needs all rows of the table in one file.');
  if (flags.results !== undefined && files.length > 1) throw new UsageError('--results needs one file.');
  await requireFiles(files);
  try {
    for (const file of files) summaries.push(await importFile(file, flags, context));
  } catch (error) {
    // What the earlier files have stored is stored.
    if (summaries.length > 0) await printSummaries(summaries, context.output);
    throw error;
  }
  await printSummaries(summaries, context.output);
  return exitCodeOf(summaries);
}

async function importFile(file: string, flags: ImportCommandFlags, context: Context): Promise<Summary> {
  const { client, output, signal } = context;
  const plan = await planImport(client, file, flags.table, flags);
  try {
    printPlan(plan, output);
    const question = flags.replace ? 'Import it, and delete the rows that it lacks?' : 'Import it?';
    if (!flags.dryRun) await confirm(question, context, { yes: flags.yes ?? false });
    return await new FileImport(client, plan, flags, output, signal).run();
  } catch (error) {
    if (signal.aborted && !flags.dryRun && file !== '-') throw new UsageError(INTERRUPTED);
    throw error;
  } finally {
    await plan.source.close();
  }
}

/** @throws {UsageError} before the first file is imported */
async function requireFiles(files: string[]): Promise<void> {
  for (const file of files)
    if (file !== '-')
      await access(file, constants.R_OK).catch(() => {
        throw new UsageError(`The file ${file} does not exist or cannot be read. Nothing was imported.`);
      });
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
