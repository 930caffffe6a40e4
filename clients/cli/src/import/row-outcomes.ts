import type { ImportReport, RowError } from '@atrium/client';
import type { Context } from '../context.js';
import type { ReportedError } from '../failure.js';
import type { SourceRow } from '../files/source-row.js';
import { Duplicates, type KeyLine, toStoredKey } from './duplicates.js';
import type { ImportPlan } from './import-plan.js';
import type { LoadFlags } from './load-flags.js';

/** An import that the service has finished. */
export interface FinishedImport extends Pick<Context, 'client' | 'output' | 'signal'> {
  plan: ImportPlan;
  flags: LoadFlags;
  importId: string;
  /** Undefined if invalid rows prevented the import. */
  report: ImportReport | undefined;
}

interface RowOutcome {
  row: SourceRow;
  /** Of an invalid row, in the order of the service. */
  errors: ReportedError[];
  /** That another row with its key is imported instead. The row may be invalid, too. */
  skippedFor: ReportedError | undefined;
}

/** Reads the file again, and assigns the errors of the import to its rows by their lines. */
export async function* readOutcomes(finished: FinishedImport): AsyncGenerator<RowOutcome[], void> {
  const { client, plan, flags, signal, importId, report } = finished;
  const { skipped = 0, failed = 0 } = report?.totals ?? {};
  const hasSkipped = choosesRow(flags) && (report === undefined || skipped + failed > 0);
  const findSkipped = hasSkipped ? await findDuplicates(plan, flags.onDuplicate) : () => undefined;
  // In the order of the rows; a row may have several.
  const reported = client.imports.errors(importId, { signal });
  let next = await reported.next();
  for await (const block of plan.source.blocks()) {
    const outcomes: RowOutcome[] = [];
    for (const row of block) {
      const errors: ReportedError[] = [];
      for (; !next.done && next.value.line === row.line; next = await reported.next())
        errors.push({ ...describeError(next.value), ...plan.findProblem(row), line: row.origin ?? row.line });
      outcomes.push({ row, errors, skippedFor: findSkipped(row) });
    }
    yield outcomes;
  }
}

/** Does the import store one of several rows with the same key? */
export function choosesRow({ onDuplicate }: LoadFlags): boolean {
  return onDuplicate === 'first' || onDuplicate === 'last';
}

/** Finds the rows that `--on-duplicate` leaves out. */
async function findDuplicates(
  { source, toValues, primaryKey }: ImportPlan,
  onDuplicate: LoadFlags['onDuplicate'],
): Promise<(row: SourceRow) => ReportedError | undefined> {
  const chosen = onDuplicate === 'first' ? 'first' : 'last';
  const toKeyLine = (row: SourceRow): KeyLine => {
    return { key: toStoredKey(toValues(row).item[primaryKey]), line: row.line };
  };
  const duplicates = new Duplicates();
  await duplicates.prepare(async function* () {
    for await (const row of source.rows()) yield toKeyLine(row);
  });
  return (row) => {
    const { key, line } = toKeyLine(row);
    if (!duplicates.isSkipped({ key, line }, chosen)) return undefined;
    return { code: 'duplicate_skipped', message: `The ${chosen} row with the key "${key}" is imported instead.` };
  };
}

function describeError({ line, key, code, column, message }: RowError): ReportedError {
  const advice =
    code === 'duplicate_in_batch' ? ' Choose one with --on-duplicate, or onDuplicate of a configuration.' : '';
  return { line, key, code, message: `${message}${advice}`, column };
}
