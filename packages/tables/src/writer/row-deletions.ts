import { DomainError } from '../../../errors/src/domain-error.js';
import { hasSelectedRows, withPermittedRows } from '../catalog/physical-table.js';
import { type KeySelection, selectKeys } from '../catalog/row-sql.js';
import { RowsRepository } from '../catalog/rows.repository.js';
import { InvalidTablesError, TABLE_ERRORS } from '../catalog/tables.errors.js';
import type { DeletionLimit } from '../sources/staging-sql.js';
import { StagingRowSource } from '../sources/staging-row-source.js';
import { UndoneRowSource } from '../sources/undone-row-source.js';
import type { DeletionGuard } from './report.js';
import type { LockedTable } from './table-plan.js';

/** The rows that a merge deletes. */
export interface FoundDeletions {
  keys: KeySelection;
  /** Of a replacement. */
  guard?: DeletionGuard;
}

/**
 * Finds the rows that a merge deletes: those that a replacing file lacks, that an undone revision created, or whose
 * keys the merge names. Rows that the access policies do not permit are missing, as they are for the caller.
 */
export class RowDeletions {
  constructor(private readonly rows: RowsRepository) {}

  /**
   * Selects the rows before any is written.
   *
   * @returns undefined if the merge deletes none.
   * @throws {DomainError} `too_many_deletions` unless it is a dry run.
   * @throws {InvalidTablesError} if rows would be deleted, and rows of the source have no readable key: it may be
   *   that of a missing row.
   */
  async select({ plan, table, isNew }: LockedTable, isDryRun: boolean): Promise<FoundDeletions | undefined> {
    const { source, permitted } = plan;
    const { replacement, deletions = [] } = plan.input;
    if (isNew) return undefined;
    // Those that are not permitted were rejected.
    if (source instanceof UndoneRowSource) return { keys: source.deletedKeys };
    const permittedTable = withPermittedRows(table, permitted);
    if (deletions.length > 0) {
      const isPartial = hasSelectedRows(permitted);
      return {
        keys: selectKeys(isPartial ? [...(await this.rows.findExisting(permittedTable, deletions))] : deletions),
      };
    }
    if (!replacement || !(source instanceof StagingRowSource)) return undefined;
    const { deletions: count, rows } = await source.findMissing(permittedTable, replacement);
    if (source.unreadable > 0 && count > 0) {
      const keys = source.unreadable === 1 ? 'key of 1 row' : `keys of ${source.unreadable} rows`;
      const message = `The ${keys} cannot be read, so the rows to delete are unknown; nothing was stored.`;
      const { summary } = source.errors;
      const errors = source.errors.first.map((error) => ({ type: table.entity, table: table.name, ...error }));
      throw new InvalidTablesError('invalid_rows', message, errors, { total: source.errors.total, summary });
    }
    const guard = toGuard(replacement.limit, rows, count, source.received);
    if (guard.exceeded && !isDryRun) throw createTooManyError(table.name, rows, source.received, guard);
    return { keys: source.missingKeys, guard };
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

function createTooManyError(
  table: string,
  total: number,
  received: number,
  { limit, deletions }: DeletionGuard,
): DomainError {
  const problem =
    received === 0
      ? 'The file has no rows'
      : `The import would delete ${deletions} of ${total} rows of "${table}", but at most ${limit} are allowed`;
  const message = `${problem}; nothing was stored. Check the file${received === 0 ? '' : ', or raise "maxDeletions"'}.`;
  return new DomainError(TABLE_ERRORS.too_many_deletions, message, { details: { limit, actual: deletions, total } });
}
