import { countChanges } from '../changes.js';
import { formatRowError } from '../failure.js';
import { sourceOf, targetOf } from '../mapping/mapping-file.js';
import { formatCount, type Output, writeText } from '../output.js';
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

const COLUMNS = [
  ...['table', 'rows', 'created', 'updated', 'unchanged'],
  ...['deleted', 'rejected', 'skipped', 'unresolved', 'warnings', 's'],
];

/** Prints a table of the loads, and the errors, warnings and remarks of each. */
export async function printSummaries(summaries: Summary[], output: Output): Promise<void> {
  if (!output.quiet)
    await output.table(summaries, COLUMNS, (summary) => ({
      ...summary,
      // What is not stored must not look as if it were.
      table: `${summary.table}${outcomeOf(summary) === 'stored' ? '' : ` (${outcomeOf(summary)})`}`,
      rows: summary.received,
      // Columns without values are omitted.
      deleted: summary.deleted || null,
      rejected: summary.rejected || null,
      skipped: summary.skipped || null,
      unresolved: summary.unresolved || null,
      warnings: summary.warned || null,
      s: String(summary.seconds),
    }));
  for (const summary of summaries) printErrors(summary, output);
  for (const { guard, batches, proposals, table, ...counts } of summaries) {
    for (const id of proposals)
      output.remark(`The changes of ${table} wait for approval, and are not stored: \`atrium proposals show ${id}\`.`);
    const { deletions, limit, exceeded } = guard ?? { deletions: 0, limit: 0, exceeded: false };
    if (exceeded)
      output.remark(`${formatCount(deletions)} rows would be deleted, but at most ${formatCount(limit)} may be.`);
    if (countChanges(counts) === 0) continue;
    for (const id of batches) output.remark(`\`atrium undo ${id}\` restores the former rows.`);
  }
}

function printErrors(summary: Summary, output: Output): void {
  const { file, dryRun, errors, rejected, isStored, warned, warnings, proposals, notRead, reason } = summary;
  const { created, updated, unchanged } = summary;
  // Also with --quiet.
  const print = (line: string): void => writeText(output.io.stderr, `${line}\n`);
  if (notRead !== undefined) output.remark(notRead);
  // The lines below are those of this file.
  if (errors.length + warnings.length > 0) print(`${file === '-' ? 'Standard input' : file}:`);
  for (const warning of warnings.slice(0, MAX_LISTED)) print(`  warning, ${formatRowError(warning)}`);
  if (warned > MAX_LISTED) output.remark('  … and more, which --json lists.');
  for (const error of errors.slice(0, MAX_LISTED)) print(`  ${formatRowError(error)}`);
  if (rejected > MAX_LISTED) output.remark(`  … and more. --results DIR writes all of them to rejected.csv.`);
  if (errors.some(({ code }) => code === 'duplicate_in_batch'))
    output.remark(
      '--on-duplicate first or last, or onDuplicate of a configuration, chooses one of several rows with the same key.',
    );
  if (reason !== undefined) output.remark(reason);
  else if (rejected > 0 && !isStored && proposals.length === 0 && created + updated + unchanged === 0)
    output.remark(
      `Nothing of the file ${dryRun ? 'would be' : 'was'} stored. Correct these rows, or store the others with --on-error continue.`,
    );
}

/** What a load has done, in a line of a log: `stored, 2 created, 1 updated`. */
export function describeCounts(summary: Summary): string {
  const { created, updated, deleted = 0, rejected, skipped, unresolved, reason } = summary;
  const listed = Object.entries({ created, updated, deleted, rejected, skipped, unresolved })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `, ${formatCount(count)} ${name}`);
  return `${outcomeOf(summary)}${listed.join('')}${reason === undefined ? '' : `: ${reason}`}`;
}
