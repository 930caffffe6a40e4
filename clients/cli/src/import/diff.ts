import { type ExitCode, exitCodeOf, UsageError } from '../exit-codes.js';
import { findTable, openContext } from '../context.js';
import type { LocalContext } from '../runner.js';
import { compareFile } from './compare.js';
import { DifferencePrinter, hasDifferences } from './differences.js';
import { planImport } from './import-plan.js';
import type { LoadFlags, TableLoadFlags } from './load-flags.js';
import { printPlan } from './print-summary.js';

type DiffFlags = LoadFlags & { from?: string | undefined; to?: string | undefined };

/** The flags that a comparison of two moments accepts. The other flags describe a file. */
const MOMENT_FLAGS = ['entity', 'from', 'to'];

/** Compares a file with a table, or with `--from` two moments of a table. Nothing is written. */
export async function diff(
  context: LocalContext,
  fileOrTable: string,
  table: string | undefined,
  flags: DiffFlags,
): Promise<ExitCode> {
  const { from, to } = flags;
  if (from !== undefined) {
    rejectFileFlags(table, flags);
    return compareMoments(context, fileOrTable, { ...flags, from });
  }
  if (to !== undefined) throw new UsageError('--to needs --from: `atrium diff TABLE --from MOMENT --to MOMENT`.');
  if (table === undefined)
    throw new UsageError('Write a file and a table, or a table and --from with a revision or a time.');
  return compareWithTable(context, fileOrTable, { ...flags, table });
}

/** Prints what `sync` would change. */
async function compareWithTable(local: LocalContext, file: string, flags: TableLoadFlags): Promise<ExitCode> {
  const context = await openContext(local.flags, local.io);
  const { io, output } = context;
  const plan = await planImport(context, file, flags);
  try {
    printPlan(plan, output);
    const printer = new DifferencePrinter(output, io.stdout);
    const summary = await printer.printAll((onSummary) => compareFile(plan, flags, context, onSummary));
    const notRead = plan.source.droppedLines.describe();
    if (notRead !== undefined) output.remark(notRead);
    return exitCodeOf({ isRejected: Boolean(summary.error), isDifferent: hasDifferences(summary) });
  } finally {
    await plan.source.close();
  }
}

/** Prints the rows of a table that differ between two moments. */
async function compareMoments(
  local: LocalContext,
  name: string,
  { entity, from, to }: DiffFlags & { from: string },
): Promise<ExitCode> {
  const { client, io, output, signal } = await openContext(local.flags, local.io);
  const table = await findTable(client, name, entity);
  const printer = new DifferencePrinter(output, io.stdout, 'past');
  const summary = await printer.printAll((onSummary) => table.differences({ from, to, signal, onSummary }));
  return exitCodeOf({ isDifferent: hasDifferences(summary) });
}

/** @throws {UsageError} */
function rejectFileFlags(table: string | undefined, flags: DiffFlags): void {
  if (table !== undefined) throw new UsageError('--from compares two moments of a table. Omit the file.');
  const other = Object.keys(flags).find((name) => !MOMENT_FLAGS.includes(name));
  if (other === undefined) return;
  const flag = `--${other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new UsageError(`${flag} is for the comparison of a file, not for --from.`);
}
