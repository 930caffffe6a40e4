import { openContext } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { compareFile, ComparisonPrinter } from '../import/compare.js';
import { planImport } from '../import/import-plan.js';
import { printPlan } from '../import/print-summary.js';
import type { ImportCommandFlags } from './import.js';

/** Prints what `sync` would change. Nothing is written. */
export async function diff(file: string, table: string, flags: Omit<ImportCommandFlags, 'table'>): Promise<ExitCode> {
  const { client, output, signal } = await openContext(flags);
  const plan = await planImport(client, file, table, flags);
  try {
    printPlan(plan, output);
    const printer = new ComparisonPrinter(output, process.stdout);
    const summary = await compareFile(plan, flags, signal, (difference) => {
      printer.print(difference);
    });
    printer.end(summary);
    if (summary.error > 0) return EXIT.rowsRejected;
    return summary.create + summary.update + summary.delete > 0 ? EXIT.differencesFound : EXIT.success;
  } finally {
    await plan.source.close();
  }
}
