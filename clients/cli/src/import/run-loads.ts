import type { ConnectionError } from '@atrium/client';
import type { Context } from '../context.js';
import { EXIT, type ExitCode, findCause } from '../exit-codes.js';
import { describeFailure, reportFailure, type ServiceError } from '../failure.js';
import { writeText } from '../output.js';
import { describeCounts, printSummaries } from './print-summary.js';
import { type Load, type LoadState, loadWithResults } from './results-folder.js';
import { exitCodeOf, type Summary } from './summary.js';

/** How loads become one command. */
interface LoadCommand<Flags> {
  run: (load: Load<Flags>, state: LoadState) => Promise<Summary>;
  /** Are rows stored without a question? */
  isConfirmed: boolean;
  /** Do the tables after this load refer to rows that it has not stored? Then they are not loaded. */
  endsAfter?: (load: Load<Flags>, summary: Summary) => boolean;
}

/**
 * Runs loads in their order, and prints what they have done, with `--quiet` as a line of a log for each. The first one
 * that fails ends the command; those before it have nevertheless stored their rows. A dry run goes on with the other
 * loads and reports all failures.
 */
export async function runLoads<Flags>(
  loads: readonly Load<Flags>[],
  context: Context,
  { run, isConfirmed, endsAfter = () => false }: LoadCommand<Flags>,
): Promise<ExitCode> {
  const { output, io, signal } = context;
  const summaries: Summary[] = [];
  const failures: { table: string; failure: unknown }[] = [];
  const printLogLine = (table: string, outcome: string): void => {
    if (output.quiet && !output.json) writeText(io.stdout, `${table}: ${outcome}\n`);
  };
  const rest = [...loads];
  for (let load = rest.shift(); load; load = rest.shift()) {
    const current = load;
    const { table, dryRun = false } = current.flags;
    try {
      const summary = await loadWithResults(current, context, isConfirmed, (state) => run(current, state));
      summaries.push(summary);
      printLogLine(summary.table, describeCounts(summary));
      if (!dryRun && endsAfter(current, summary)) break;
    } catch (failure) {
      failures.push({ table, failure });
      const [reason] = describeFailure(findCause(failure) as ServiceError, io).split('\n');
      printLogLine(table, `failed: ${reason!}`);
      if (!dryRun || signal.aborted || isDisconnected(failure)) break;
    }
  }
  for (const { flags } of rest) printLogLine(flags.table, 'not loaded');
  if (output.json && summaries.length > 0) output.printJson(loads.length === 1 ? summaries[0] : summaries);
  else if (summaries.length > 0) await printSummaries(summaries, output);
  if (rest.length > 0 && !output.json) output.remark(`Not loaded: ${rest.map(({ flags }) => flags.table).join(', ')}.`);
  // A failure of a single load is that of the command.
  if (loads.length === 1 && failures.length > 0) throw failures[0]!.failure;
  const codes = failures.map(({ table, failure }) => {
    if (!output.json) output.remark(`${table}:`);
    return reportFailure(failure, output.json, io);
  });
  return codes.includes(EXIT.failure) ? EXIT.failure : (codes[0] ?? exitCodeOf(summaries));
}

/** A service that does not respond would not respond to the next load, either. */
function isDisconnected(failure: unknown): boolean {
  return (findCause(failure) as Partial<ConnectionError>).address !== undefined;
}
