import { createHash } from 'node:crypto';
import type { Difference } from '@atrium/client';
import type { ReportedError } from '../failure.js';
import type { SourceRow } from '../files/source-row.js';
import { compareFile } from './compare.js';
import { toStoredKey } from './duplicates.js';
import { sourceOf, targetOf } from '../mapping/mapping-file.js';
import { ResultFiles, type ResultRow } from './result-files.js';
import { choosesRow, type FinishedImport, readOutcomes } from './row-outcomes.js';

const RESULTS = ['created', 'updated', 'unchanged'] as const;
type RowResult = (typeof RESULTS)[number];
const RESULT_FILES = ['created', 'updated', 'rejected', 'skipped'] as const;
type FileName = (typeof RESULT_FILES)[number];
type FindResult = (row: SourceRow) => RowResult;

/**
 * Writes the result files of an import. The file is read again, and its rows are assigned to what the service reports:
 * to the errors of the import by their lines, and to the differences that the import has made by their keys.
 *
 * @returns false if the rows do not match the report, because the file or the table was changed meanwhile
 */
export async function writeResults(directory: string, finished: FinishedImport): Promise<boolean> {
  const { header, primaryKey, source, mapping } = finished.plan;
  const delimiter = source.header.length > 1 ? source.delimiter : ',';
  const key = mapping.columns.find((column) => column.value === undefined && targetOf(column) === primaryKey);
  const deletedKey = finished.flags.replace ? (key ? sourceOf(key) : primaryKey) : undefined;
  const hasSkipped = choosesRow(finished.flags);
  const readsText = (name: string, text: unknown): boolean =>
    mapping.columns.some(
      (each) => sourceOf(each) === name && (each.type !== 'number' || each.map?.some(([from]) => from === text)),
    );
  const { kind } = source;
  const files = await ResultFiles.open(directory, { header, deletedKey, hasSkipped, delimiter, kind, readsText });
  const counts = await assignRows(files, finished, await readResults(files, finished));
  const { totals } = finished.report ?? {};
  if (!totals) return true;
  const { created, updated, failed, skipped = 0 } = totals;
  // A row that is invalid and skipped is counted under `failed`.
  const written = counts.rejected + counts.skipped;
  return counts.created === created && counts.updated === updated && written === failed + skipped;
}

/** Writes the keys of deleted rows, and finds the result of each row that is not rejected. */
async function readResults(files: ResultFiles, finished: FinishedImport): Promise<FindResult> {
  const { plan, report, flags } = finished;
  if (!report) return () => 'unchanged';
  const [first = 'unchanged', ...others] = RESULTS.filter((name) => report.totals[name] > 0);
  const hasOneResult = others.length === 0;
  if (hasOneResult && (report.totals.deleted ?? 0) === 0) return () => first;
  const keys = { create: new KeySet(), update: new KeySet() };
  const readDeleted = async function* (): AsyncGenerator<string, void> {
    for await (const { change, key = '' } of readDifferences(finished)) {
      if (change === 'delete' && flags.replace) yield key;
      else if ((change === 'create' || change === 'update') && !hasOneResult) keys[change].add(key);
    }
  };
  await files.appendDeleted(readDeleted());
  if (hasOneResult) return () => first;
  // A comparison does not compare columns that a dry run adds.
  const added = flags.dryRun ? plan.addedColumns.map((column) => column.key ?? column.name) : [];
  return (row) => {
    const { item } = plan.toValues(row);
    const key = toStoredKey(item[plan.primaryKey]);
    if (keys.create.has(key)) return 'created';
    return keys.update.has(key) || added.some((name) => (item[name] ?? null) !== null) ? 'updated' : 'unchanged';
  };
}

/** What the import has changed, or would change. */
function readDifferences(finished: FinishedImport): AsyncIterable<Difference> {
  const { client, plan, flags, signal, report } = finished;
  if (flags.dryRun) return compareFile(plan, flags, finished);
  if (report!.proposalId !== undefined) return client.proposals.differences(report!.proposalId, { signal });
  const { revision } = report!.tables[0]!;
  return plan.table.differences({ from: revision - 1, to: revision, signal });
}

/** Appends each row to the file of its result. @returns the numbers of rows */
async function assignRows(
  files: ResultFiles,
  finished: FinishedImport,
  findResult: FindResult,
): Promise<Record<FileName, number>> {
  const counts = { created: 0, updated: 0, rejected: 0, skipped: 0 };
  for await (const block of readOutcomes(finished)) {
    const rows: Record<RowResult | FileName, ResultRow[]> = {
      created: [],
      updated: [],
      unchanged: [],
      rejected: [],
      skipped: [],
    };
    const listed: ReportedError[] = [];
    for (const { row, errors, skippedFor } of block) {
      const [error] = errors;
      // A row that is invalid and skipped would replace the imported row if it were corrected and sent.
      if (skippedFor) rows.skipped.push({ ...row, error: skippedFor });
      else if (error) {
        rows.rejected.push({ ...row, error });
        listed.push(...errors);
      } else rows[findResult(row)].push(row);
    }
    await files.appendErrors(listed);
    for (const name of RESULT_FILES) {
      counts[name] += rows[name].length;
      await files.append(name, rows[name]);
    }
  }
  return counts;
}

/** Keys, of which each needs 8 bytes. Keys with the same hash would make the counts of the results differ. */
class KeySet {
  private hashes: bigint[] = [];
  private sorted: BigUint64Array | undefined;

  add(key: string): void {
    this.hashes.push(hash(key));
  }

  /** Call it after the last `add`. */
  has(key: string): boolean {
    this.sorted ??= BigUint64Array.from(this.hashes.splice(0)).sort();
    const searched = hash(key);
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sorted[middle]! < searched) low = middle + 1;
      else high = middle;
    }
    return this.sorted[low] === searched;
  }
}

function hash(key: string): bigint {
  return createHash('sha1').update(key).digest().readBigUInt64LE();
}
