import { Injectable } from '@nestjs/common';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { coerceKey } from '../../../../packages/tabular/src/coercions.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { getPrimaryKey } from '../../../../packages/tables/src/catalog/physical-table.js';
import { RowsRepository } from '../../../../packages/tables/src/catalog/rows.repository.js';
import { TableLocks } from '../catalog/table-locks.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { InvalidTablesError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { catchDryRun, DryRun } from '../../../../packages/tables/src/writer/dry-run.js';
import type { DeletionReportDto, DeletionResultDto, DeletionStatus } from '../engine/dto/deletion-report.dto.js';
import { MergeEngine } from '../../../../packages/tables/src/writer/merge-engine.js';
import type { ChangeReport } from '../../../../packages/tables/src/writer/report.js';
import type { MergeOptions } from '../../../../packages/tables/src/writer/merge-options.js';
import {
  createDuplicateKeyError,
  createEmptyKeyError,
  createInvalidValueError,
  findOthers,
  MAX_LISTED_DUPLICATES,
  mergeSummaries,
  RowErrors,
} from '../../../../packages/tables/src/sources/row-errors.js';
import { toTableError } from '../../../../packages/tables/src/writer/table-plan.js';

export type DeletionOptions = Pick<MergeOptions, 'continueOnError' | 'dryRun' | 'returnItems' | 'origin'>;

/** Keys of a request as they are stored, with the errors of the others. */
interface SentKeys {
  /** Undefined if the key is invalid or occurs twice. */
  keys: readonly (string | undefined)[];
  errors: RowErrors;
}

/** Deletes many rows of a table, in one transaction and with one revision. Each deleted row leaves a tombstone. */
@Injectable()
export class DeletionEngine {
  constructor(
    private readonly locks: TableLocks,
    private readonly engine: MergeEngine,
    private readonly rows: RowsRepository,
  ) {}

  /**
   * All or nothing, unless `continueOnError`. A key without a row is not an error.
   *
   * @throws {NotFoundError | InvalidTablesError | UnavailableError} and nothing is deleted.
   */
  async execute(ref: TableRef, sent: readonly unknown[], options: DeletionOptions): Promise<DeletionReportDto> {
    return catchDryRun(() =>
      this.locks.withLocks(ref, { referring: false }, async ({ table, readable }) => {
        const report = await this.delete(table, readable, readKeys(table, sent), options);
        if (options.dryRun) throw new DryRun(report);
        return report;
      }),
    );
  }

  /** @param readable for the caller, the rows that an access policy hides are missing. */
  private async delete(
    table: CatalogTable,
    readable: CatalogTable,
    { keys, errors }: SentKeys,
    options: DeletionOptions,
  ): Promise<DeletionReportDto> {
    if (!options.continueOnError) requireValidKeys(table, errors, keys.length);
    const valid = keys.filter((key) => key !== undefined);
    const toCounts = ({ totals: { deleted = 0 } }: ChangeReport) => ({
      totals: { received: keys.length, deleted, missing: valid.length - deleted, failed: errors.rows },
      ...reportKeyErrors(table, errors),
    });
    const existing = options.returnItems ? await this.rows.findExisting(readable, valid) : undefined;
    const { view } = readable;
    const locked = await this.engine.readLocked(view, table, { items: [], deletions: valid });
    const report = await this.engine.write({ view, options, tables: [locked] }, toCounts);
    const { batchId, proposalId, needsApproval, revision } = report;
    const items = existing && keys.map((key, index) => toResult(key, index, existing));
    return {
      batchId,
      proposalId,
      needsApproval,
      revision,
      ...toCounts(report),
      table: toTableSummary({ ...table, revision }),
      items,
    };
  }
}

/** The keys as they are stored. A key that several elements have is rejected in all of them. */
function readKeys(table: CatalogTable, sent: readonly unknown[]): SentKeys {
  const column = getPrimaryKey(table.columns).key;
  const errors = new RowErrors();
  const unique = new Set<string>();
  const keys = sent.map((value, index) => {
    const key = coerceKey(value);
    if (typeof key === 'string') {
      unique.add(key);
      return key;
    }
    errors.add({ index, ...(key ? createInvalidValueError(column, key) : createEmptyKeyError(column)) });
    errors.rows++;
    return undefined;
  });
  return { keys: unique.size + errors.rows < sent.length ? rejectDuplicates(keys, errors, column) : keys, errors };
}

/** @returns the keys without those that several elements have. */
function rejectDuplicates(keys: SentKeys['keys'], errors: RowErrors, column: string): SentKeys['keys'] {
  const indexes = new Map<string, number[]>();
  for (const [index, key] of keys.entries()) {
    const others = key === undefined ? undefined : indexes.get(key);
    if (others) others.push(index);
    else if (key !== undefined) indexes.set(key, [index]);
  }
  for (const [key, found] of indexes) {
    if (found.length === 1) continue;
    const first = found.slice(0, MAX_LISTED_DUPLICATES + 1).map((index) => ({ index }));
    for (const index of found)
      errors.add({ index, key, ...createDuplicateKeyError(column, findOthers(first, index, found.length)) });
    errors.rows += found.length;
  }
  return keys.map((key) => (key !== undefined && indexes.get(key)!.length > 1 ? undefined : key));
}

function reportKeyErrors(table: CatalogTable, errors: RowErrors) {
  return { summary: mergeSummaries([errors.summary]), errors: errors.first.map((error) => toTableError(table, error)) };
}

/** @throws {InvalidTablesError} */
function requireValidKeys(table: CatalogTable, errors: RowErrors, received: number): void {
  if (errors.total === 0) return;
  const message = `${errors.rows} of ${received} ${received === 1 ? 'key is' : 'keys are'} invalid; nothing was deleted.`;
  const { errors: listed, summary } = reportKeyErrors(table, errors);
  throw new InvalidTablesError('invalid_keys', message, listed, { total: errors.total, summary });
}

function toResult(key: string | undefined, index: number, deleted: ReadonlySet<string>): DeletionResultDto {
  const status: DeletionStatus = key === undefined ? 'failed' : deleted.has(key) ? 'deleted' : 'missing';
  return { index, key: key ?? null, status };
}
