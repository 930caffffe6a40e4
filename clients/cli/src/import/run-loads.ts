import type { ConnectionError } from '@atrium/client';
import { openContext, type WorkspaceContext } from '../context.js';
import { type ExitCode, exitCodeOf, findCause, UsageError } from '../exit-codes.js';
import { describeFailure, reportFailure, type ServiceError } from '../failure.js';
import { writeText } from '../output.js';
import type { LocalContext } from '../runner.js';
import { FileImport } from './import-file.js';
import { type ImportPlan, planImport } from './import-plan.js';
import type { TableLoadFlags } from './load-flags.js';
import { describeCounts, printPlan, printSummaries } from './print-summary.js';
import { type FileLoad, LoadResults, locateResults, prepareResults } from './results-folder.js';
import type { Summary } from './summary.js';

/** A load whose file was detected, and whose table is known. */
export interface Load {
  context: WorkspaceContext;
  plan: ImportPlan;
  flags: TableLoadFlags;
  /** Stores the file. Called after the last question. */
  store: () => Promise<Summary>;
  /** As a dry run. */
  validate: () => Promise<Summary>;
}

/** How loads become one command. */
interface LoadCommand {
  run: (load: Load) => Promise<Summary>;
  /** Are rows stored without a question? */
  isConfirmed: boolean;
  /** What must be true before the first load. */
  check?: () => Promise<void> | void;
  /** Do the tables after this load refer to rows that it has not stored? Then they are not loaded. */
  endsAfter?: (flags: TableLoadFlags, summary: Summary) => boolean;
}

/**
 * Runs loads in their order, and prints what they have done, with `--quiet` as a line of a log for each. The first one
 * that fails ends the command; those before it have nevertheless stored their rows. A dry run goes on with the other
 * loads and reports all failures.
 */
export async function runLoads(
  given: readonly FileLoad[],
  localContext: LocalContext,
  command: LoadCommand,
): Promise<ExitCode> {
  const { flags, io, output } = localContext;
  const loads = given.map((load) => ({ ...load, flags: { ...load.flags, results: locateResults(load.flags) } }));
  const printLogLine = (table: string, outcome: string): void => {
    if (output.quiet && !output.json) writeText(io.stdout, `${table}: ${outcome}\n`);
  };
  const printFailure = (table: string, failure: unknown): void => {
    const [first = '', ...others] = describeFailure(findCause(failure) as ServiceError, io).split('\n');
    const reason = first.endsWith(':') ? `${first} ${others.map((line) => line.trim()).join('; ')}` : first;
    printLogLine(table, `failed: ${reason}`);
  };
  const context = await prepareResults(loads, localContext, command.isConfirmed, async () => {
    for (const load of loads) requireValidFlags(load.flags);
    await command.check?.();
    return openContext(flags, io);
  }).catch((failure: unknown) => {
    for (const load of loads) printFailure(load.flags.table, failure);
    throw failure;
  });
  const summaries: Summary[] = [];
  const failures: { table: string; failure: unknown }[] = [];
  const rest = [...loads];
  for (let load = rest.shift(); load; load = rest.shift()) {
    const { table, dryRun = false } = load.flags;
    try {
      const summary = await runLoad(load, context, command);
      summaries.push(summary);
      printLogLine(summary.table, describeCounts(summary));
      if (!dryRun && command.endsAfter?.(load.flags, summary)) break;
    } catch (failure) {
      failures.push({ table, failure });
      printFailure(table, failure);
      if (!dryRun || context.signal.aborted || isDisconnected(failure)) break;
    }
  }
  for (const load of rest) printLogLine(load.flags.table, 'not loaded');
  if (output.json && summaries.length > 0) output.printJson(loads.length === 1 ? summaries[0] : summaries);
  else if (summaries.length > 0) await printSummaries(summaries, output);
  if (rest.length > 0 && !output.json) output.remark(`Not loaded: ${rest.map((load) => load.flags.table).join(', ')}.`);
  // A failure of a single load is that of the command.
  if (loads.length === 1 && failures.length > 0) throw failures[0]!.failure;
  for (const { table, failure } of failures) {
    if (!output.json) output.remark(`${table}:`);
    reportFailure(failure, output.json, io);
  }
  const stored = summaries.filter(({ isStored }) => isStored).map(({ table }) => table);
  if (failures.length > 0 && stored.length > 0 && !output.json) output.remark(`Stored before: ${stored.join(', ')}.`);
  return exitCodeOf(
    ...failures.map(({ failure }) => ({ error: failure })),
    ...summaries.map(({ guard, proposals, rejected }) => ({
      exceedsDeletions: guard?.exceeded ?? false,
      isWaiting: proposals.length > 0,
      isRejected: rejected > 0,
    })),
  );
}

/** @throws {UsageError} that `deferInvalidValues` has left instead of a value */
function requireValidFlags(flags: TableLoadFlags): void {
  const invalid = Object.values<unknown>(flags).find((value) => value instanceof UsageError);
  if (invalid !== undefined) throw invalid;
}

/** Plans and runs a load, and writes its results in every outcome. */
function runLoad(load: FileLoad, context: WorkspaceContext, { isConfirmed, run }: LoadCommand): Promise<Summary> {
  const results = new LoadResults(load, context);
  return results.complete(isConfirmed, async () => {
    const { file, flags } = load;
    const plan = await planImport(context, file, flags);
    results.plan = plan;
    try {
      printPlan(plan, context.output);
      const validate = async (): Promise<Summary> => {
        await results.begin();
        return new FileImport(context, plan, { ...flags, dryRun: true }).run();
      };
      const store = async (): Promise<Summary> => {
        await results.begin();
        const stored = new FileImport(context, plan, flags);
        results.summary = stored.summary;
        return stored.run();
      };
      return await run({ context, plan, flags, store, validate });
    } finally {
      await plan.source.close();
    }
  });
}

/** A service that does not respond would not respond to the next load, either. */
function isDisconnected(failure: unknown): boolean {
  return (findCause(failure) as Partial<ConnectionError>).address !== undefined;
}
