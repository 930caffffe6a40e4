import { InvalidTablesError, TooManyDeletionsError } from '../catalog/tables.errors.js';
import { withPermittedRows } from '../catalog/physical-table.js';
import type { RowChange } from '../history/batch-records.repository.js';
import type { DeletionLimit } from '../sources/replacement.js';
import { StagingRowSource } from '../sources/staging-row-source.js';
import type { LockedTable } from './table-plan.js';
import { RowWriter } from '../history/row-writer.repository.js';
import { selectKeys } from '../catalog/row-sql.js';

import type { DeletionGuard } from './report.js';

/** Deletes the rows that a file lacks, or that a merge names. */
export class Replacer {
  constructor(private readonly rows: RowWriter) {}

  /**
   * Finds the rows to delete.
   *
   * @returns undefined if the table is not replaced.
   * @throws {TooManyDeletionsError} unless it is a dry run.
   * @throws {InvalidTablesError} if rows would be deleted, and rows of the source have no readable key: it may be
   *   that of a missing row.
   */
  async checkDeletions({ plan, table, isNew }: LockedTable, isDryRun: boolean): Promise<DeletionGuard | undefined> {
    const { source, input } = plan;
    const { replacement } = input;
    if (!replacement || isNew || !(source instanceof StagingRowSource)) return undefined;
    const { deletions, rows } = await source.findMissing(withPermittedRows(table, plan.permitted), replacement);
    if (source.unreadable > 0 && deletions > 0) {
      const keys = source.unreadable === 1 ? 'key of 1 row' : `keys of ${source.unreadable} rows`;
      const message = `The ${keys} cannot be read, so the rows to delete are unknown; nothing was stored.`;
      const { summary } = source.errors;
      const errors = source.errors.first.map((error) => ({ type: table.entity, table: table.name, ...error }));
      throw new InvalidTablesError('invalid_rows', message, errors, { total: source.errors.total, summary });
    }
    const guard = toGuard(replacement.limit, rows, deletions, source.received);
    if (guard.exceeded && !isDryRun) throw new TooManyDeletionsError(table.name, rows, source.received, guard);
    return guard;
  }

  /** Deletes the rows that `checkDeletions` has found, or that the merge names. @returns the number of deleted rows. */
  async deleteRows(
    { plan: { source, input }, table }: LockedTable,
    guard: DeletionGuard | undefined,
    change: RowChange,
  ): Promise<number> {
    const { deletions = [] } = input;
    const keys = deletions.length > 0 ? selectKeys(deletions) : guard && (source as StagingRowSource).missingKeys;
    return keys ? this.rows.delete(table, keys, { revision: table.revision + 1, change }) : 0;
  }
}

/**
 * @param rows in the scope of the replacement.
 * @param received rows of the source. A source without rows is probably incomplete, so it must not delete any.
 */
function toGuard(
  { value, isPercentage }: DeletionLimit,
  rows: number,
  deletions: number,
  received: number,
): DeletionGuard {
  const limit = received === 0 ? 0 : isPercentage ? Math.floor((rows * value) / 100) : value;
  return { limit, deletions, exceeded: received === 0 || deletions > limit };
}
