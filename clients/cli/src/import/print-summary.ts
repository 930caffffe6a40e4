import { sourceOf, targetOf } from '../mapping/mapping-file.js';
import type { Output } from '../output.js';
import { renderTable, writeText } from '../output.js';
import { describeType, type ImportPlan } from './import-plan.js';
import type { Summary } from './summary.js';

const MAX_LISTED = 20;

/** Shows how a file is read, and what proves it, before anything is written. */
export function printPlan(plan: ImportPlan, output: Output): void {
  const { source, mapping, table, exists, addedColumns, primaryKey, evidence } = plan;
  const isCreated = !exists && addedColumns.length > 0;
  output.remark(`${source.describe()} → ${table.entity}/${table.name}${isCreated ? ' (new table)' : ''}`);
  for (const line of evidence) output.remark(`  ${line}`);
  for (const column of mapping.columns) {
    const target = targetOf(column);
    const isKey = column.primaryKey || target === primaryKey;
    const isNew = exists && addedColumns.some((added) => (added.key ?? added.name) === target);
    const type = `${describeType({ ...column, primaryKey: isKey })}${isNew ? ' (new column)' : ''}`;
    output.remark(`  ${column.value === undefined ? sourceOf(column) : '(constant)'} → ${target}: ${type}`);
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
    ...[summary.received, summary.created, summary.updated, summary.unchanged].map(format),
    // Columns without values are omitted.
    ...[summary.deleted ?? 0, summary.rejected, summary.skipped, summary.unresolved].map(formatIfPositive),
    String(summary.seconds),
  ]);
  process.stdout.write(await renderTable(head, rows));
  for (const { errors, rejected, isStored } of summaries) {
    for (const { line, key, column, message } of errors.slice(0, MAX_LISTED)) {
      const position = [line && `line ${line}`, key && `key ${key}`, column && `column ${column}`].filter(Boolean);
      writeText(process.stderr, `  ${position.join(', ')}: ${message}\n`);
    }
    if (rejected > MAX_LISTED) output.remark(`  … and more. --results DIR writes all of them to rejected.csv.`);
    if (errors.some(({ code }) => code === 'duplicate_in_batch'))
      output.remark('--on-duplicate first or last chooses one of several rows with the same key.');
    if (rejected > 0 && !isStored)
      output.remark(
        'Nothing of the file was stored. Correct these rows, or store the others with --on-error continue.',
      );
  }
  for (const { guard, batches, table, created, updated, deleted = 0 } of summaries) {
    if (guard?.exceeded)
      output.remark(`${format(guard.deletions)} rows would be deleted, but at most ${format(guard.limit)} may be.`);
    if (created + updated + deleted === 0) continue;
    if (batches.length === 1) output.remark(`\`atrium undo ${batches[0]!}\` restores the former rows.`);
    else if (batches.length > 1) output.remark(`${batches.length} batches: \`atrium batches '${table}'\` lists them.`);
  }
}

const format = (count: number): string => count.toLocaleString('en');
const formatIfPositive = (count: number): string => (count > 0 ? format(count) : '');
