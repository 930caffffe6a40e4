import { basename, dirname } from 'node:path';
import type { Context } from '../context.js';
import { findCause, UsageError } from '../exit-codes.js';
import { describeFailure, type ServiceError } from '../failure.js';
import { createFolder } from '../files/create-folder.js';
import { toAbsolute } from '../io.js';
import type { ImportPlan } from './import-plan.js';
import { toRetryOptions } from './load-summary.js';
import { isResultFile, removeResultFiles, writeSummary } from './result-files.js';
import type { ImportFlags, Summary } from './summary.js';

/** What a load has done, and how its file was read. */
export interface Loaded {
  summary: Summary;
  plan: ImportPlan;
}

/**
 * Runs a load whose results are in the folder of `--results`, if it has one. The files of an earlier load are removed
 * before the file is read, and `summary.json` is written in every outcome: a failed load has an `error` in it.
 *
 * @throws {UsageError} if the folder is not writable, or contains the file that is read
 */
export async function loadWithResults(
  file: string,
  flags: ImportFlags & { table: string },
  { io }: Context,
  load: () => Promise<Loaded>,
): Promise<Summary> {
  const { results, table, dryRun = false } = flags;
  if (results === undefined) return (await load()).summary;
  const directory = toAbsolute(results, io);
  const path = toAbsolute(file, io);
  if (dirname(path) === directory && isResultFile(basename(path)))
    throw new UsageError(`The results would replace the file ${file}. Name another folder with --results.`);
  await createFolder(results, io);
  await removeResultFiles(directory);
  try {
    const { summary, plan } = await load();
    await writeSummary(directory, { ...summary, options: toRetryOptions(plan, flags, io) });
    return summary;
  } catch (failure) {
    const error = findCause(failure) as ServiceError;
    const { code = 'failed' } = error;
    const message = describeFailure(error, io);
    await writeSummary(directory, { file, table, dryRun, batches: [], proposals: [], error: { code, message } });
    throw failure;
  }
}
