import type { ComparisonSummary, Difference } from '@atrium/client';
import { EXIT, UsageError } from '../exit-codes.js';
import { openBody } from './import-body.js';
import type { ImportPlan } from './import-plan.js';
import { type LoadFlags, toScope } from './load-flags.js';

/** Compares a file with its table. Columns that `--create` would add are not compared. */
export async function* compareFile(
  plan: ImportPlan,
  flags: LoadFlags,
  signal: AbortSignal,
  onSummary: (counts: ComparisonSummary) => void = () => undefined,
): AsyncGenerator<Difference, void> {
  if (!plan.exists) {
    yield* listNewRows(plan, onSummary);
    return;
  }
  const addsColumns = plan.addedColumns.length > 0;
  // `fileOptions` may name columns that do not exist, which the service rejects. Of objects it ignores unknown keys.
  const { body, format, explainError } = openBody(addsColumns ? { ...plan, fileOptions: undefined } : plan);
  const differences = plan.table.compare(body, {
    ...format,
    ...toScope(flags),
    onDuplicate: flags.onDuplicate,
    unknownColumns: addsColumns ? 'ignore' : undefined,
    signal,
    onSummary,
  });
  for await (const difference of differences)
    yield difference.change === 'error' ? explainError(difference) : difference;
}

/** If the table does not exist, a load would create all valid rows of the file. */
async function* listNewRows(
  { source, toValues, primaryKey }: ImportPlan,
  onSummary: (counts: ComparisonSummary) => void,
): AsyncGenerator<Difference, void> {
  const counts = { create: 0, update: 0, delete: 0, unchanged: 0, error: 0 };
  for await (const row of source.rows()) {
    const { item, errors } = toValues(row);
    counts[errors.length > 0 ? 'error' : 'create']++;
    for (const error of errors) yield { change: 'error', line: row.line, ...error } as Difference;
    if (errors.length > 0) continue;
    const columns = Object.fromEntries(Object.entries(item).map(([name, to]) => [name, { from: null, to }]));
    yield { change: 'create', key: String(item[primaryKey]), columns };
  }
  onSummary(counts);
}

/**
 * Requires that the service would accept the deletions, before the user is asked to confirm them. The service decides
 * again when it replaces the rows.
 *
 * @throws {UsageError} with exit code 4
 */
export function requireAllowedDeletions(summary: ComparisonSummary, { maxDeletions = '10%' }: LoadFlags): void {
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
