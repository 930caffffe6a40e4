import { access, constants } from 'node:fs/promises';
import { canAsk, confirm } from '../confirm.js';
import { type Context, openContext } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import { type ExitCode, UsageError } from '../exit-codes.js';
import { FileImport } from '../import/import-file.js';
import { planImport, type SourceFlags } from '../import/import-plan.js';
import { findRetry } from '../import/load-summary.js';
import { printPlan } from '../import/print-summary.js';
import { type Load, type LoadState, locateResults, prepareResults } from '../import/results-folder.js';
import { runLoads } from '../import/run-loads.js';
import type { ImportFlags, Summary } from '../import/summary.js';
import { type Io, toAbsolute } from '../io.js';
import { Output } from '../output.js';

export interface ImportCommandFlags extends GlobalFlags, SourceFlags, ImportFlags {
  table: string;
  yes?: boolean;
  retryRejected?: string;
}

export async function importFiles(given: string[], flagsGiven: Partial<ImportCommandFlags>, io: Io): Promise<ExitCode> {
  const { patterns, flags } = await findLoad(given, flagsGiven, io);
  const { replace, maxDeletions, filter, under } = flags;
  if (!replace && [maxDeletions, filter, under].some((value) => value !== undefined))
    throw new UsageError('--max-deletions, --under and --filter need --replace.');
  const files = await expand(patterns, io);
  if (replace && files.length > 1) throw new UsageError('--replace needs all rows of the table in one file.');
  if (flags.results !== undefined && files.length > 1) throw new UsageError('--results needs one file.');
  const loads = files.map((file) => ({ file, flags: { ...flags, results: locateResults(flags) } }));
  const isConfirmed = (flags.yes ?? false) || (flags.dryRun ?? false) || !canAsk({ io, output: new Output(flags, io) });
  await prepareResults(loads, io, isConfirmed);
  await requireFiles(files, io);
  const context = await openContext(flags, io);
  return runLoads(loads, context, { isConfirmed, run: (load, state) => importFile(load, context, state) });
}

/** The files and flags of the command, or those of a load whose rejected rows are corrected. @throws {UsageError} */
async function findLoad(
  patterns: string[],
  { table, ...flags }: Partial<ImportCommandFlags>,
  io: Io,
): Promise<{ patterns: string[]; flags: ImportCommandFlags }> {
  if (flags.retryRejected === undefined) {
    if (patterns.length === 0) throw new UsageError('Write the files to import.');
    if (table === undefined) throw new UsageError('Set the table with --table NAME.');
    return { patterns, flags: { ...flags, table } };
  }
  if (patterns.length > 0 || flags.replace)
    throw new UsageError('--retry-rejected imports only the rejected rows: omit files and --replace.');
  const retry = await findRetry(flags.retryRejected, io, flags.dryRun);
  const selected = Object.fromEntries(Object.entries({ ...flags, table }).filter(([, value]) => value !== undefined));
  return { patterns: [retry.file], flags: { onError: 'continue', ...retry.flags, ...selected } };
}

async function importFile(
  { file, flags }: Load<ImportCommandFlags>,
  context: Context,
  state: LoadState,
): Promise<Summary> {
  const { output } = context;
  const plan = await planImport(context, file, flags.table, flags);
  state.plan = plan;
  try {
    printPlan(plan, output);
    const question = flags.replace ? 'Import it, and delete the rows that it lacks?' : 'Import it?';
    if (!flags.dryRun) await confirm(question, context, { yes: flags.yes ?? false });
    await state.begin();
    const load = new FileImport(context, plan, { ...flags, isResumable: file !== '-' });
    state.summary = load.summary;
    return await load.run();
  } finally {
    await plan.source.close();
  }
}

/** @throws {UsageError} before the first file is imported */
async function requireFiles(files: string[], io: Io): Promise<void> {
  for (const file of files)
    if (file !== '-')
      await access(toAbsolute(file, io), constants.R_OK).catch(() => {
        throw new UsageError(`The file ${file} does not exist or cannot be read. Nothing was imported.`);
      });
}

async function expand(patterns: string[], io: Io): Promise<string[]> {
  const files: string[] = [];
  for (const pattern of patterns) {
    if (pattern === '-' || !/[*?{[]/.test(pattern)) {
      files.push(pattern);
      continue;
    }
    const { glob } = await import('tinyglobby');
    const found = (await glob(pattern, { cwd: io.cwd, expandDirectories: false })).sort();
    if (found.length === 0) throw new UsageError(`No file matches ${pattern}.`);
    files.push(...found);
  }
  return files;
}
