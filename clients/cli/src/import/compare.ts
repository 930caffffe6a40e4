import { randomUUID } from 'node:crypto';
import type { ComparisonSummary, Difference } from '@atrium/client';
import type { Context } from '../context.js';
import { EXIT, UsageError } from '../exit-codes.js';
import { openBody } from './import-body.js';
import type { ImportPlan } from './import-plan.js';
import { type LoadFlags, toScope } from './load-flags.js';
import { readOutcomes } from './row-outcomes.js';
import { sendImport } from './send-import.js';

type Service = Pick<Context, 'client' | 'output' | 'signal'>;

/** Compares a file with its table. Columns that `--create` would add are not compared. */
export async function* compareFile(
  plan: ImportPlan,
  flags: LoadFlags,
  service: Service,
  onSummary: (counts: ComparisonSummary) => void = () => undefined,
): AsyncGenerator<Difference, void> {
  if (!plan.exists) {
    yield* listNewRows(plan, flags, service, onSummary);
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
    signal: service.signal,
    onSummary,
  });
  for await (const difference of differences)
    yield difference.change === 'error' ? explainError(difference) : difference;
}

/** The rows that a load would create if the table does not exist. A dry run of the service validates them. */
async function* listNewRows(
  plan: ImportPlan,
  flags: LoadFlags,
  service: Service,
  onSummary: (counts: ComparisonSummary) => void,
): AsyncGenerator<Difference, void> {
  const { table, columns, primaryKey, toValues } = plan;
  const { body, format } = openBody(plan);
  const importId = randomUUID();
  const upload = () =>
    table.import(body, {
      ...format,
      createColumns: columns,
      onDuplicate: flags.onDuplicate,
      onError: 'continue',
      dryRun: true,
      importId,
      signal: service.signal,
    });
  const report = await sendImport(importId, service, upload);
  const counts = { create: 0, update: 0, delete: 0, unchanged: 0, error: 0 };
  for await (const block of readOutcomes({ ...service, plan, flags, importId, report }))
    for (const { row, errors, skippedFor } of block) {
      for (const error of errors) yield { change: 'error', ...error } as Difference;
      if (errors.length > 0) counts.error++;
      if (errors.length > 0 || skippedFor) continue;
      counts.create++;
      const { [primaryKey]: key, ...values } = toValues(row).item;
      const added = Object.entries(values).filter(([, to]) => to !== null);
      const changed = Object.fromEntries(added.map(([name, to]) => [name, { from: null, to }]));
      yield { change: 'create', key: String(key), columns: changed };
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
