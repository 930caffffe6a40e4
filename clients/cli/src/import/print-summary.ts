import { formatPosition } from '../failure.js';
import { sourceOf, targetOf } from '../mapping/mapping-file.js';
import { type Output, writeText } from '../output.js';
import { describeType, type ImportPlan } from './import-plan.js';
import { outcomeOf, type Summary } from './summary.js';

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

/** Prints a table of the loads, and the errors, warnings and remarks of each. */
export async function printSummaries(summaries: Summary[], output: Output): Promise<void> {
  const counts = [
    'rows',
    'created',
    'updated',
    'unchanged',
    'deleted',
    'rejected',
    'skipped',
    'unresolved',
    'warnings',
  ];
  const rows = summaries.map((summary) => [
    // What is not stored must not look as if it were.
    `${summary.table}${outcomeOf(summary) === 'stored' ? '' : ` (${outcomeOf(summary)})`}`,
    ...[summary.received, summary.created, summary.updated, summary.unchanged].map(format),
    // Columns without values are omitted.
    ...[summary.deleted ?? 0, summary.rejected, summary.skipped, summary.unresolved].map(formatIfPositive),
    formatIfPositive(summary.warned),
    String(summary.seconds),
  ]);
  if (!output.quiet) await output.printRows(['table', ...counts, 's'], rows);
  for (const summary of summaries) {
    const { file, dryRun, errors, rejected, isStored, warned, warnings, proposals, notRead, reason } = summary;
    const { created, updated, unchanged } = summary;
    if (notRead !== undefined) output.remark(notRead);
    // The lines below are those of this file.
    if (errors.length + warnings.length > 0)
      writeText(output.io.stderr, `${file === '-' ? 'Standard input' : file}:\n`);
    for (const warning of warnings.slice(0, MAX_LISTED))
      writeText(output.io.stderr, `  warning, ${formatPosition(warning)}: ${warning.message}\n`);
    if (warned > MAX_LISTED) output.remark('  … and more, which --json lists.');
    for (const error of errors.slice(0, MAX_LISTED))
      writeText(output.io.stderr, `  ${formatPosition(error)}: ${error.message}\n`);
    if (rejected > MAX_LISTED) output.remark(`  … and more. --results DIR writes all of them to rejected.csv.`);
    if (errors.some(({ code }) => code === 'duplicate_in_batch'))
      output.remark('--on-duplicate first or last chooses one of several rows with the same key.');
    if (reason !== undefined) output.remark(reason);
    else if (rejected > 0 && !isStored && proposals.length === 0 && created + updated + unchanged === 0)
      output.remark(
        `Nothing of the file ${dryRun ? 'would be' : 'was'} stored. Correct these rows, or store the others with --on-error continue.`,
      );
  }
  for (const { guard, batches, proposals, table, created, updated, deleted = 0 } of summaries) {
    for (const id of proposals)
      output.remark(`The changes of ${table} wait for approval, and are not stored: \`atrium proposals show ${id}\`.`);
    if (guard?.exceeded)
      output.remark(`${format(guard.deletions)} rows would be deleted, but at most ${format(guard.limit)} may be.`);
    if (created + updated + deleted === 0) continue;
    for (const id of batches) output.remark(`\`atrium undo ${id}\` restores the former rows.`);
  }
}

/** What a load has done, in a line of a log: `stored, 2 created, 1 updated`. */
export function describeCounts(summary: Summary): string {
  const { created, updated, deleted = 0, rejected, skipped, unresolved } = summary;
  const counts = Object.entries({ created, updated, deleted, rejected, skipped, unresolved }).filter(
    ([, count]) => count > 0,
  );
  const listed = counts.map(([name, count]) => `, ${format(count)} ${name}`);
  const reason = summary.reason === undefined ? '' : `: ${summary.reason}`;
  return outcomeOf(summary) + listed.join('') + reason;
}

const format = (count: number): string => count.toLocaleString('en');
const formatIfPositive = (count: number): string => (count > 0 ? format(count) : '');
