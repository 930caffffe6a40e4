import type { Output } from '../output.js';
import { renderTable } from '../output.js';
import { describeType, type ImportPlan } from './import-plan.js';
import type { Summary } from './import-file.js';

const MAX_LISTED = 20;

/** Shows how a file is read before anything is written. */
export function printPlan({ source, mapping, table, exists, columns, primaryKey }: ImportPlan, output: Output): void {
  const isCreated = !exists && columns.length > 0;
  output.remark(`${source.describe()} → ${table.entity}/${table.name}${isCreated ? ' (new table)' : ''}`);
  if (mapping.decimal === ',') output.remark('  numbers with decimal commas');
  for (const column of mapping.columns) {
    const key = column.key ?? column.name ?? column.from;
    const isKey = column.primaryKey || column.key === primaryKey;
    output.remark(`  ${column.from ?? '(constant)'} → ${key ?? ''}: ${describeType({ ...column, primaryKey: isKey })}`);
  }
}

export async function printSummaries(summaries: Summary[], output: Output): Promise<void> {
  if (output.json) {
    output.result(summaries.length === 1 ? summaries[0] : summaries, () => '');
    return;
  }
  const head = [
    'table',
    'rows',
    'created',
    'updated',
    'unchanged',
    'deleted',
    'rejected',
    'skipped',
    'unresolved',
    's',
  ];
  const rows = summaries.map((summary) => [
    `${summary.table}${summary.dryRun ? ' (dry run)' : ''}`,
    ...[summary.received, summary.created, summary.updated, summary.unchanged, summary.deleted ?? 0].map(format),
    ...[summary.rejected, summary.skipped, summary.unresolved].map(format),
    String(summary.seconds),
  ]);
  process.stdout.write(await renderTable(head, rows));
  for (const { errors, rejected } of summaries) {
    for (const { line, key, column, message } of errors.slice(0, MAX_LISTED)) {
      const position = [line && `line ${line}`, key && `key ${key}`, column && `column ${column}`].filter(Boolean);
      process.stderr.write(`  ${position.join(', ')}: ${message}\n`);
    }
    if (rejected > MAX_LISTED) output.remark(`  … and more. --results DIR writes all of them to rejected.csv.`);
  }
}

const format = (count: number): string => count.toLocaleString('en');
