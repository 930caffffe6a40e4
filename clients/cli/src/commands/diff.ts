import type { DifferenceSummary, Entity } from '@atrium/client';
import { findTable, openContext } from '../context.js';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.js';
import type { GlobalFlags } from '../global-flags.js';
import { Comparison, ComparisonPrinter } from '../import/compare.js';
import { planImport } from '../import/import-plan.js';
import { printPlan } from '../import/print-summary.js';
import type { ImportCommandFlags } from './import.js';
import type { Io } from '../io.js';

interface MomentFlags {
  from?: string;
  to?: string;
}

type DiffFlags = Omit<ImportCommandFlags, 'table'> & MomentFlags;

/** The flags that a comparison of two moments accepts. The other flags describe a file. */
const MOMENT_FLAGS = ['json', 'quiet', 'profile', 'entity', 'from', 'to'];

/** Compares a file with a table, or with `--from` two moments of a table. Nothing is written. */
export async function diff(
  fileOrTable: string,
  table: string | undefined,
  flags: DiffFlags,
  io: Io,
): Promise<ExitCode> {
  const { from, to, ...others } = flags;
  if (from !== undefined) {
    rejectFileFlags(table, flags);
    return compareMoments(fileOrTable, { ...flags, from }, io);
  }
  if (to !== undefined) throw new UsageError('--to needs --from: `atrium diff TABLE --from MOMENT --to MOMENT`.');
  if (table === undefined)
    throw new UsageError('Write a file and a table, or a table and --from with a revision or a time.');
  return compareFile(fileOrTable, table, others, io);
}

/** Prints what `sync` would change. */
async function compareFile(
  file: string,
  table: string,
  flags: Omit<DiffFlags, 'from' | 'to'>,
  io: Io,
): Promise<ExitCode> {
  const context = await openContext(flags, io);
  const { output, signal } = context;
  const plan = await planImport(context, file, table, flags);
  try {
    printPlan(plan, output);
    const printer = new ComparisonPrinter(output, io.stdout);
    const comparison = new Comparison(plan, flags, signal);
    for await (const difference of comparison.readDifferences()) printer.printDifference(difference);
    printer.printSummary(comparison.summary);
    const notRead = plan.source.droppedLines.describe();
    if (notRead !== undefined) output.remark(notRead);
    if (comparison.summary.error > 0) return EXIT.rowsRejected;
    return comparison.hasDifferences ? EXIT.differencesFound : EXIT.success;
  } finally {
    await plan.source.close();
  }
}

/** Prints the rows of a table that differ between two moments. */
async function compareMoments(
  tableName: string,
  { from, to, ...flags }: GlobalFlags & { entity?: Entity; from: string; to?: string },
  io: Io,
): Promise<ExitCode> {
  const { client, output, signal } = await openContext(flags, io);
  const table = await findTable(client, tableName, flags.entity);
  const printer = new ComparisonPrinter(output, io.stdout);
  let summary: DifferenceSummary = { create: 0, update: 0, delete: 0 };
  const onSummary = (counts: DifferenceSummary) => (summary = counts);
  for await (const difference of table.differences({ from, to, signal, onSummary }))
    printer.printDifference(difference);
  printer.printSummary(summary, 'past');
  return summary.create + summary.update + summary.delete > 0 ? EXIT.differencesFound : EXIT.success;
}

/** @throws {UsageError} */
function rejectFileFlags(table: string | undefined, flags: DiffFlags): void {
  if (table !== undefined) throw new UsageError('--from compares two moments of a table. Omit the file.');
  const other = Object.entries(flags).find(([name, value]) => value !== undefined && !MOMENT_FLAGS.includes(name));
  if (!other) return;
  const flag = `--${other[0].replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new UsageError(`${flag} is for the comparison of a file, not for --from.`);
}
