import type { ChangedValues, ComparisonSummary, Difference, RowDifference } from '@atrium/client';
import { EXIT, UsageError } from '../exit-codes.js';
import { formatPosition } from '../failure.js';
import type { OutputStream } from '../io.js';
import type { Output } from '../output.js';
import { openBody } from './import-body.js';
import type { ImportPlan } from './import-plan.js';
import { type ReplaceFlags, toScope } from './replacement.js';

const MAX_LISTED = 50;
/** The words for changes that a load would make, and for changes that were made. */
const VERBS = {
  future: { create: 'to create', update: 'to update', delete: 'to delete' },
  past: { create: 'created', update: 'updated', delete: 'deleted' },
} as const;
const SIGNS = { create: '+', update: '~', delete: '-', error: '!' } as const;
const COLORS = { create: 'green', update: 'yellow', delete: 'red', error: 'magenta' } as const;

/** Compares a file with its table. Columns that `--create` would add are not compared. */
export class Comparison {
  /** Complete after the last difference. */
  readonly summary: ComparisonSummary = { create: 0, update: 0, delete: 0, unchanged: 0, error: 0 };

  constructor(
    private readonly plan: ImportPlan,
    private readonly flags: ReplaceFlags,
    private readonly signal: AbortSignal,
  ) {}

  get hasDifferences(): boolean {
    return this.summary.create + this.summary.update + this.summary.delete > 0;
  }

  async *readDifferences(): AsyncGenerator<Difference, void> {
    const { plan, signal } = this;
    if (!plan.exists) {
      yield* this.listNewRows();
      return;
    }
    const addsColumns = plan.addedColumns.length > 0;
    // `fileOptions` may name columns that do not exist, which the service rejects. Of objects it ignores unknown keys.
    const { body, format, explainError } = openBody(addsColumns ? { ...plan, fileOptions: undefined } : plan);
    const differences = plan.table.compare(body, {
      ...format,
      ...toScope(this.flags),
      onDuplicate: this.flags.onDuplicate,
      unknownColumns: addsColumns ? 'ignore' : undefined,
      signal,
      onSummary: (counts) => Object.assign(this.summary, counts),
    });
    for await (const difference of differences)
      yield difference.change === 'error' ? explainError(difference) : difference;
  }

  /** If the table does not exist, a load would create all valid rows of the file. */
  private async *listNewRows(): AsyncGenerator<Difference, void> {
    const { source, toValues, primaryKey } = this.plan;
    for await (const row of source.rows()) {
      const { item, errors } = toValues(row);
      this.summary[errors.length > 0 ? 'error' : 'create']++;
      for (const error of errors) yield { change: 'error', line: row.line, ...error } as Difference;
      if (errors.length > 0) continue;
      const columns = Object.fromEntries(Object.entries(item).map(([name, to]) => [name, { from: null, to }]));
      yield { change: 'create', key: String(item[primaryKey]), columns };
    }
  }
}

/** Prints the first differences and their counts; with `--json`, all differences as lines of JSON. */
export class ComparisonPrinter {
  private printed = 0;
  private omitted = 0;

  constructor(
    private readonly output: Output,
    private readonly stream: OutputStream,
  ) {}

  printDifference(difference: Difference): void {
    if (this.output.json) this.stream.write(`${JSON.stringify(difference)}\n`);
    else if (this.printed === MAX_LISTED) this.omitted++;
    else {
      this.printed++;
      const line = `${SIGNS[difference.change]} ${formatDifference(difference)}`;
      this.output.line(line, COLORS[difference.change], this.stream);
    }
  }

  /** @param summary without the unchanged rows, if they are unknown. */
  printSummary(
    summary: Omit<ComparisonSummary, 'unchanged' | 'error'> & Partial<ComparisonSummary>,
    time: keyof typeof VERBS = 'future',
  ): void {
    if (this.output.json) {
      this.stream.write(`${JSON.stringify({ summary })}\n`);
      return;
    }
    if (this.omitted > 0) this.stream.write(`… and ${this.omitted.toLocaleString('en')} more.\n`);
    const count = (name: keyof ComparisonSummary): string => (summary[name] ?? 0).toLocaleString('en');
    const unchanged = summary.unchanged === undefined ? '' : `, ${count('unchanged')} unchanged`;
    const errors = (summary.error ?? 0) > 0 ? `, ${count('error')} invalid` : '';
    const changes = (['create', 'update', 'delete'] as const).map((name) => `${count(name)} ${VERBS[time][name]}`);
    this.stream.write(`${changes.join(', ')}${unchanged}${errors}.\n`);
  }
}

function formatDifference(difference: Difference): string {
  if (difference.change === 'error') return `${formatPosition(difference)}: ${difference.message}`;
  const { change, key, columns } = difference;
  return change === 'delete' ? key : `${key}  ${formatValues(change, columns)}`;
}

/** For example `weight: 180.5 → 181, name: Feed pump → Sump pump`. */
export function formatValues(change: RowDifference['change'], columns: ChangedValues): string {
  const values = Object.entries(columns).map(([name, { from, to }]) => {
    if (change === 'update') return `${name}: ${String(from)} → ${String(to)}`;
    return `${name}: ${String(change === 'create' ? to : from)}`;
  });
  return values.join(', ');
}

/**
 * Requires that the service would accept the deletions, before the user is asked to confirm them. The service decides
 * again when it replaces the rows.
 *
 * @throws {UsageError} with exit code 4
 */
export function requireAllowedDeletions(summary: ComparisonSummary, { maxDeletions = '10%' }: ReplaceFlags): void {
  // Invalid rows count as stored, because they are not deleted.
  const remaining = summary.update + summary.unchanged + summary.error;
  const stored = remaining + summary.delete;
  const isEmpty = remaining + summary.create === 0;
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
