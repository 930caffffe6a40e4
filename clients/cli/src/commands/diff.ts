import { openContext } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { Comparison, ComparisonPrinter } from '../import/compare.js';
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
    const comparison = new Comparison(plan, flags, signal);
    for await (const difference of comparison.differences()) printer.print(difference);
    printer.end(comparison.summary);
    if (comparison.summary.error > 0) return EXIT.rowsRejected;
    return comparison.hasDifferences ? EXIT.differencesFound : EXIT.success;
  } finally {
    await plan.source.close();
  }
}
