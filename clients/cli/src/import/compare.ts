import type { ComparisonSummary, Difference } from '@atrium/client';
import { EXIT, UsageError } from '../exit-codes.js';
import type { Output } from '../output.js';
import { openBody } from './import-body.js';
import type { ImportPlan } from './import-plan.js';
import { type ReplaceFlags, toScope } from './replacement.js';

const MAX_LISTED = 50;
const SIGNS = { create: '+', update: '~', delete: '-', error: '!' } as const;
const COLORS = { create: 'green', update: 'yellow', delete: 'red', error: 'magenta' } as const;

/**
 * Compares a file with its table and passes each difference on, so that the memory does not grow with them. Columns
 * that `--create` would add are not compared.
 */
export async function compareFile(
  plan: ImportPlan,
  flags: ReplaceFlags,
  signal: AbortSignal,
  onDifference: (difference: Difference) => void | Promise<void>,
): Promise<ComparisonSummary> {
  const summary: ComparisonSummary = { create: 0, update: 0, delete: 0, unchanged: 0, error: 0 };
  if (!plan.exists) {
    await compareWithNothing(plan, summary, onDifference);
    return summary;
  }
  const { body, format } = openBody(plan);
  const differences = plan.table.compare(body, {
    ...format,
    ...toScope(flags),
    ...(flags.onDuplicate && { onDuplicate: flags.onDuplicate }),
    ...(plan.addedColumns.length > 0 && { unknownColumns: 'ignore' as const }),
    signal,
    onSummary: (counts) => Object.assign(summary, counts),
  });
  for await (const difference of differences) await onDifference(difference);
  return summary;
}

/** A table that does not exist: all valid rows of the file would be created. */
async function compareWithNothing(
  { source, toValues, primaryKey }: ImportPlan,
  summary: ComparisonSummary,
  onDifference: (difference: Difference) => void | Promise<void>,
): Promise<void> {
  for await (const row of source.rows()) {
    const { item, errors } = toValues(row);
    for (const error of errors) await onDifference({ change: 'error', line: row.line, ...error } as Difference);
    if (errors.length > 0) {
      summary.error++;
      continue;
    }
    const columns = Object.fromEntries(Object.entries(item).map(([name, to]) => [name, { from: null, to }]));
    await onDifference({ change: 'create', key: String(item[primaryKey]), columns });
    summary.create++;
  }
}

/** Prints the first differences and the counts for people, all of them as lines of JSON with `--json`. */
export class ComparisonPrinter {
  private printed = 0;
  private omitted = 0;

  constructor(
    private readonly output: Output,
    private readonly stream: NodeJS.WriteStream,
  ) {}

  print(difference: Difference): void {
    if (this.output.json) this.stream.write(`${JSON.stringify(difference)}\n`);
    else if (this.printed === MAX_LISTED) this.omitted++;
    else {
      this.printed++;
      const line = `${SIGNS[difference.change]} ${formatDifference(difference)}`;
      this.output.line(line, COLORS[difference.change], this.stream);
    }
  }

  end(summary: ComparisonSummary): void {
    if (this.output.json) {
      this.stream.write(`${JSON.stringify({ summary })}\n`);
      return;
    }
    if (this.omitted > 0) this.stream.write(`… and ${this.omitted.toLocaleString('en')} more.\n`);
    const count = (name: keyof ComparisonSummary): string => summary[name].toLocaleString('en');
    const errors = summary.error > 0 ? `, ${count('error')} invalid` : '';
    this.stream.write(
      `${count('create')} to create, ${count('update')} to update, ${count('delete')} to delete, ${count('unchanged')} unchanged${errors}.\n`,
    );
  }
}

function formatDifference(difference: Difference): string {
  if (difference.change === 'error') {
    const { line, key, column, message } = difference;
    const position = [line && `line ${line}`, key && `key ${key}`, column && `column ${column}`].filter(Boolean);
    return `${position.join(', ')}: ${message}`;
  }
  const { change, key, columns } = difference;
  if (change === 'delete') return key;
  const values = Object.entries(columns).map(([name, { from, to }]) =>
    change === 'create' ? `${name}: ${String(to)}` : `${name}: ${String(from)} → ${String(to)}`,
  );
  return `${key}  ${values.join(', ')}`;
}

/**
 * Rejects a plan that the service would reject, before anybody is asked. The service decides again when it replaces the
 * rows.
 *
 * @throws {UsageError} with exit code 4
 */
export function requireGuard(summary: ComparisonSummary, { maxDeletions = '10%' }: ReplaceFlags): void {
  const present = summary.update + summary.unchanged + summary.error;
  const stored = present + summary.delete;
  const isEmpty = present + summary.create === 0;
  const limit = Number.parseFloat(maxDeletions);
  const allowed = maxDeletions.endsWith('%') ? Math.floor((stored * limit) / 100) : limit;
  if (isEmpty ? stored === 0 : summary.delete <= allowed) return;
  const cause = isEmpty ? 'The file has no rows' : `The file lacks ${summary.delete} of ${stored} rows`;
  const advice = isEmpty ? 'Check the file.' : 'Check the file, or raise --max-deletions.';
  throw new UsageError(
    `${cause}; at most ${allowed} may be deleted. Nothing was changed. ${advice}`,
    EXIT.guardExceeded,
  );
}
