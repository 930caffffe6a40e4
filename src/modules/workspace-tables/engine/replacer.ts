import { Injectable } from '@nestjs/common';
import { InvalidTablesError, TooManyDeletionsError } from '../workspace-tables.errors.js';
import type { OpenBatch } from './open-batch.js';
import { type DeletionGuard, toGuard } from './replacement.js';
import { StagingRowSource } from './staging-row-source.js';
import type { LockedTable } from './table-plan.js';
import { TombstonesRepository } from './tombstones.repository.js';

/** Deletes the rows that a file lacks. */
@Injectable()
export class Replacer {
  constructor(private readonly tombstones: TombstonesRepository) {}

  /**
   * Finds the rows to delete.
   *
   * @returns undefined if the table is not replaced.
   * @throws {TooManyDeletionsError} unless it is a dry run.
   * @throws {InvalidTablesError} if the source has rows without a readable key: they may be any of those to delete.
   */
  async check({ plan, table, isNew }: LockedTable, isDryRun: boolean): Promise<DeletionGuard | undefined> {
    const { source, input } = plan;
    const { replacement } = input;
    if (!replacement || isNew || !(source instanceof StagingRowSource)) return undefined;
    if (source.unreadable > 0) {
      const message = `The keys of ${source.unreadable} rows cannot be read, so the rows to delete are unknown; nothing was stored.`;
      const { summary } = source.errors;
      const errors = source.errors.first.map((error) => ({ type: table.entity, table: table.name, ...error }));
      throw new InvalidTablesError('invalid_rows', message, errors, { total: source.errors.total, summary });
    }
    const { deletions, rows } = await source.findMissing(table, replacement);
    const guard = toGuard(replacement.limit, rows, deletions, source.received);
    if (guard.exceeded && !isDryRun) throw new TooManyDeletionsError(table.name, rows, source.received, guard);
    return guard;
  }

  /** Deletes the rows that `check` has found. @returns their number. */
  async deleteMissing(
    { plan: { source }, table }: LockedTable,
    revision: number,
    batch: OpenBatch | undefined,
  ): Promise<number> {
    if (!(source instanceof StagingRowSource)) return 0;
    return this.tombstones.deleteSelectedRows(table, source.missingKeys, revision, batch);
  }
}
