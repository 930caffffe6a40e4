import { access, constants } from 'node:fs/promises';
import { canAsk, confirm } from '../confirm.js';
import { type ExitCode, UsageError } from '../exit-codes.js';
import { unreadable } from '../files/read-file.js';
import { type Io, toAbsolute } from '../io.js';
import type { LocalContext } from '../runner.js';
import type { LoadFlags, TableLoadFlags } from './load-flags.js';
import { findRetry } from './load-summary.js';
import { runLoads } from './run-loads.js';

type ImportFlags = LoadFlags & { table?: string | undefined; retryRejected?: string | undefined };

export async function importFiles(context: LocalContext, given: string[], flagsGiven: ImportFlags): Promise<ExitCode> {
  const { io } = context;
  const { patterns, flags } = await findLoad(given, flagsGiven, io);
  const { replace, maxDeletions, filter, under, yes, dryRun } = flags;
  const files = await expand(patterns, io);
  const loads = files.map((file, at) => {
    // Of several files, none is loaded.
    const results = at === 0 ? flags.results : undefined;
    return { file, flags: { ...flags, results, isResumable: file !== '-' } };
  });
  const question = replace ? 'Import it, and delete the rows that it lacks?' : 'Import it?';
  return runLoads(loads, context, {
    isConfirmed: (yes ?? false) || (dryRun ?? false) || !canAsk(context),
    check: async () => {
      if (!replace && [maxDeletions, filter, under].some((value) => value !== undefined))
        throw new UsageError('--max-deletions, --under and --filter need --replace.');
      if (replace && files.length > 1) throw new UsageError('--replace needs all rows of the table in one file.');
      if (flags.results !== undefined && files.length > 1) throw new UsageError('--results needs one file.');
      await requireFiles(files, io);
    },
    run: async (load) => {
      if (!dryRun) await confirm(question, load.context, { yes, isOptional: true });
      return load.store();
    },
  });
}

/** The files and flags of the command, or those of a load whose rejected rows are corrected. @throws {UsageError} */
async function findLoad(
  patterns: string[],
  { table, retryRejected, ...flags }: ImportFlags,
  io: Io,
): Promise<{ patterns: string[]; flags: TableLoadFlags }> {
  if (retryRejected === undefined) {
    if (patterns.length === 0) throw new UsageError('Write the files to import.');
    if (table === undefined) throw new UsageError('Set the table with --table NAME.');
    return { patterns, flags: { ...flags, table } };
  }
  if (patterns.length > 0 || flags.replace)
    throw new UsageError('--retry-rejected imports only the rejected rows: omit files and --replace.');
  const retry = await findRetry(retryRejected, io, flags.dryRun);
  const selected = Object.fromEntries(Object.entries({ ...flags, table }).filter(([, value]) => value !== undefined));
  return { patterns: [retry.file], flags: { onError: 'continue', ...retry.flags, ...selected } };
}

/** @throws {UsageError} before the first file is imported */
async function requireFiles(files: string[], io: Io): Promise<void> {
  for (const file of files)
    if (file !== '-')
      await access(toAbsolute(file, io), constants.R_OK).catch(() => {
        throw unreadable(`The file ${file}`, ' Nothing was imported.');
      });
}

/** A pattern without a match remains, as in a shell: there is no such file. */
async function expand(patterns: string[], io: Io): Promise<string[]> {
  const files: string[] = [];
  for (const pattern of patterns) {
    if (pattern === '-' || !/[*?{[]/.test(pattern)) {
      files.push(pattern);
      continue;
    }
    const { glob } = await import('tinyglobby');
    const found = (await glob(pattern, { cwd: io.cwd, expandDirectories: false })).sort();
    files.push(...(found.length > 0 ? found : [pattern]));
  }
  return files;
}
