import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Context } from '../context.js';
import { findCause, UsageError } from '../exit-codes.js';
import { describeFailure, type ServiceError } from '../failure.js';
import { createFolder } from '../files/create-folder.js';
import { type Io, toAbsolute } from '../io.js';
import type { ImportPlan } from './import-plan.js';
import { isLoadSummary, toRetryOptions } from './load-summary.js';
import { isResultFile, removeResultFiles, SUMMARY_FILE, writeSummary } from './result-files.js';
import type { ImportFlags, Summary } from './summary.js';

/** What is known of a load, also if it fails: its plan, and what it has done so far. */
export interface LoadState {
  plan?: ImportPlan;
  summary?: Summary;
}

/**
 * Runs a load whose results are in the folder of `--results`, if it has one. The files of an earlier load are removed
 * before the file is read, and `summary.json` is written in every outcome: a failed load has an `error` in it, and
 * nevertheless the batches that it has stored.
 *
 * @param inputs all files that the command reads.
 * @throws {UsageError} if the folder is not writable, has files of another origin, or contains a file that is read
 */
export async function loadWithResults(
  file: string,
  inputs: readonly string[],
  flags: ImportFlags & { table: string },
  { io, output }: Context,
  load: (state: LoadState) => Promise<Summary>,
): Promise<Summary> {
  const { results, table, dryRun = false } = flags;
  if (results === undefined) return load({});
  await createFolder(results, io);
  const directory = await realpath(toAbsolute(results, io));
  for (const input of inputs) await requireOutside(directory, input, io);
  await requireOwnFiles(directory, results);
  await removeResultFiles(directory);
  const state: LoadState = {};
  const write = (error?: { code: string; message: string }): Promise<void> => {
    const options = state.plan && toRetryOptions(state.plan, flags, io);
    const summary = state.summary ?? { file, table, dryRun, batches: [], proposals: [] };
    return writeSummary(directory, { ...summary, options, error });
  };
  // What a load leaves that is killed.
  await write({ code: 'unfinished', message: 'The load has not ended.' });
  try {
    state.summary = await load(state);
    await write();
    return state.summary;
  } catch (failure) {
    const error = findCause(failure) as ServiceError;
    await write({ code: error.code ?? 'failed', message: describeFailure(error, io) }).catch((reason: unknown) =>
      output.remark(`summary.json could not be written: ${describeFailure(reason as ServiceError, io)}`),
    );
    throw failure;
  }
}

/** @param directory without links, and so the input is compared: a link or another letter case is the same file. */
async function requireOutside(directory: string, input: string, io: Io): Promise<void> {
  const path = await realpath(toAbsolute(input, io)).catch(() => undefined);
  if (path && dirname(path) === directory && isResultFile(basename(path).toLowerCase()))
    throw new UsageError(`The results would replace the file ${input}. Name another folder with --results.`);
}

/** Files with the names of results that no load has written belong to the user. */
async function requireOwnFiles(directory: string, results: string): Promise<void> {
  const found = (await readdir(directory)).find(isResultFile);
  const text = await readFile(join(directory, SUMMARY_FILE), 'utf8').catch(() => undefined);
  if (found === undefined || isLoadSummary(text)) return;
  throw new UsageError(
    `${results} has the file ${found}, but no summary.json of a load. Name another folder with --results.`,
  );
}
