import { readdir, readFile, realpath, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { findCause, UsageError } from '../exit-codes.js';
import { describeFailure, type ServiceError } from '../failure.js';
import { createFolder } from '../files/written-paths.js';
import { type Io, toAbsolute } from '../io.js';
import type { ImportPlan } from './import-plan.js';
import { parseSummary, RETRY_FOLDER, toRetryOptions } from './load-summary.js';
import type { LocalContext } from '../runner.js';
import { isResultFile, removeResultFiles, SUMMARY_FILE, writeSummary } from './result-files.js';
import type { TableLoadFlags } from './load-flags.js';
import type { Summary } from './summary.js';

/** A file, and how it is stored in a table. */
export interface FileLoad {
  file: string;
  flags: TableLoadFlags;
}

/** The folder of the results of a dry run, within that of the loads. */
const DRY_RUN_FOLDER = 'dry-run';

/** The folder of the results: a dry run leaves those of the last load. */
export function locateResults({ results, dryRun = false }: TableLoadFlags): string | undefined {
  return results !== undefined && dryRun ? join(results, DRY_RUN_FOLDER) : results;
}

/**
 * Prepares the folders of `--results`, before the first file is read. If no question is asked, the results of earlier
 * loads are removed, and a `summary.json` with an error is written: a load that is not executed has no results of the
 * night before. If a folder is not writable, is that of another load, has files of another origin, or contains a file
 * that is read, it remains as it is, and no load is executed.
 *
 * @param open what the loads need; its error is that of all loads
 */
export async function prepareResults<T>(
  loads: readonly FileLoad[],
  context: LocalContext,
  isConfirmed: boolean,
  open: () => Promise<T>,
): Promise<T> {
  const { io } = context;
  const prepared: [directory: string, load: FileLoad][] = [];
  const prepare = async (results: string, load: FileLoad): Promise<void> => {
    await createFolder(results, io);
    const directory = await realpath(toAbsolute(results, io));
    await requireOtherFolder(directory, load, prepared);
    for (const { file } of loads) await requireOutside(directory, file, io);
    await requireOwnFiles(directory, results);
    prepared.push([directory, load]);
  };
  const clearAll = async (error: LoadError): Promise<void> => {
    if (isConfirmed) for (const [, load] of prepared) await new LoadResults(load, context).clear(error);
  };
  const failures: unknown[] = [];
  for (const load of loads)
    if (load.flags.results !== undefined)
      await prepare(load.flags.results, load).catch((failure: unknown) => failures.push(failure));
  try {
    if (failures.length > 0) throw failures[0];
    await clearAll(NOT_BEGUN);
    return await open();
  } catch (failure) {
    await clearAll(toLoadError(failure, io));
    throw failure;
  }
}

interface LoadError {
  code: string;
  message: string;
}

/** Of a load that is not executed, and of one that is killed. */
const NOT_BEGUN: LoadError = { code: 'not_loaded', message: 'The load has not begun.' };
const UNFINISHED: LoadError = { code: 'unfinished', message: 'The load has not ended.' };

function toLoadError(failure: unknown, io: Io): LoadError {
  const error = findCause(failure) as ServiceError;
  return { code: error.code ?? 'failed', message: describeFailure(error, io) };
}

/**
 * The folder of the results of a load. Its `summary.json` is written in every outcome: a failed load has an `error` in
 * it, and nevertheless the batches that it has stored. Only a load that ends before its question was answered leaves
 * the folder as it is.
 */
export class LoadResults {
  /** What is known of the load, also if it fails: its plan, and what it has done so far. */
  plan: ImportPlan | undefined;
  summary: Summary | undefined;
  private hasBegun = false;

  constructor(
    private readonly load: FileLoad,
    private readonly context: Pick<LocalContext, 'io' | 'output'>,
  ) {}

  /** Called after the last question, and before the first result is written. */
  async begin(): Promise<void> {
    if (!this.hasBegun) await this.clear(UNFINISHED);
    this.hasBegun = true;
  }

  /** Removes the results of the former load. @param error of this load, until it has ended */
  async clear(error: LoadError): Promise<void> {
    const { results } = this.load.flags;
    if (results === undefined) return;
    await removeResults(toAbsolute(results, this.context.io));
    await this.write(error);
  }

  /** Runs the load. @param isConfirmed are rows stored without a question? */
  async complete(isConfirmed: boolean, run: () => Promise<Summary>): Promise<Summary> {
    const { io, output } = this.context;
    if (isConfirmed) await this.begin();
    try {
      this.summary = await run();
      await this.begin();
      await this.write();
      return this.summary;
    } catch (failure) {
      if (!this.hasBegun) throw failure;
      await this.write(toLoadError(failure, io)).catch((reason: unknown) =>
        output.remark(`summary.json could not be written: ${describeFailure(reason as ServiceError, io)}`),
      );
      throw failure;
    }
  }

  private async write(error?: LoadError): Promise<void> {
    const { file, flags } = this.load;
    const { table, results, dryRun = false } = flags;
    if (results === undefined) return;
    const { io } = this.context;
    const written = this.summary ?? { file, table, dryRun, batches: [], proposals: [] };
    const options = this.plan && toRetryOptions(this.plan, flags, io);
    await writeSummary(toAbsolute(results, io), { ...written, options, error });
  }
}

const IN_RETRY_FOLDERS = /(?:[/\\]retry-\d+)+$/;

/** Removes the results of a load and of its retries. Other files remain. */
async function removeResults(directory: string): Promise<void> {
  await removeResultFiles(directory);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const folder = join(directory, entry.name);
    if (!entry.isDirectory() || !RETRY_FOLDER.test(entry.name) || !(await hasLoadSummary(folder))) continue;
    await removeResults(folder);
    if ((await readdir(folder)).length === 0) await rmdir(folder);
  }
}

/** @param directory without links, and so the input is compared: a link or another letter case is the same file. */
async function requireOutside(directory: string, input: string, io: Io): Promise<void> {
  const path = await realpath(toAbsolute(input, io)).catch(() => undefined);
  const folder = path && dirname(path);
  const isInside = folder === directory || folder?.replace(IN_RETRY_FOLDERS, '') === directory;
  if (path && isInside && isResultFile(basename(path).toLowerCase()))
    throw new UsageError(`The results would replace the file ${input}. Name another folder with --results.`);
}

/** Two names of one folder, such as a link or another letter case: each load would remove the results of the other. */
async function requireOtherFolder(
  directory: string,
  load: FileLoad,
  others: readonly [string, FileLoad][],
): Promise<void> {
  const { dev, ino } = await stat(directory);
  for (const [otherDirectory, other] of others) {
    const found = await stat(otherDirectory);
    if (found.dev === dev && found.ino === ino)
      throw new UsageError(
        `The results of two loads would be in one folder: ${other.flags.results} of ${other.flags.table}, and ${load.flags.results} of ${load.flags.table}. Write a folder for each.`,
      );
  }
}

/** Files with the names of results that no load has written belong to the user. */
async function requireOwnFiles(directory: string, results: string): Promise<void> {
  const found = (await readdir(directory)).find(isResultFile);
  if (found === undefined || (await hasLoadSummary(directory))) return;
  throw new UsageError(
    `${results} has the file ${found}, but no summary.json of a load. Name another folder with --results.`,
  );
}

async function hasLoadSummary(directory: string): Promise<boolean> {
  return parseSummary(await readFile(join(directory, SUMMARY_FILE), 'utf8').catch(() => '')) !== undefined;
}
