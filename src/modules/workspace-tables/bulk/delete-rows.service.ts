import { Injectable } from '@nestjs/common';
import type { RowResult } from '../../../../packages/tables/src/sources/row-source.js';
import { ArrayRowSource } from '../../../../packages/tables/src/sources/array-row-source.js';
import { type MergeOptions, reportErrors } from '../../../../packages/tables/src/writer/table-plan.js';
import { createDuplicateKeyError, type SameKeyRows } from '../../../../packages/tables/src/sources/row-errors.js';
import { BatchTooLargeError, InvalidTablesError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { MAX_REQUEST_ROWS } from '../../../../packages/tables/src/catalog/request-limits.js';
import { RowMetrics } from '../history/row-metrics.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { getPrimaryKey } from '../../../../packages/tables/src/catalog/physical-table.js';
import { RowsRepository } from '../../../../packages/tables/src/catalog/rows.repository.js';
import { TableLocks } from '../catalog/table-locks.js';
import type { View } from '../../../../packages/tables/src/catalog/view.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { catchDryRun, DryRun } from '../../../../packages/sql/src/dry-run.js';
import { MergeEngine } from '../../../../packages/tables/src/writer/merge-engine.js';
import type { DeletionReportDto, DeletionResultDto } from '../engine/dto/upsert-report.dto.js';
import type { ChangeReport } from '../../../../packages/tables/src/writer/report.js';

/** Deletes many rows of a table, in one transaction and with one revision. Each deleted row leaves a tombstone. */
@Injectable()
export class DeleteRowsService {
  constructor(
    private readonly locks: TableLocks,
    private readonly engine: MergeEngine,
    private readonly rows: RowsRepository,
    private readonly metrics: RowMetrics,
  ) {}

  /**
   * All or nothing, unless `continueOnError`. A key without a row is not an error.
   *
   * @throws {BatchTooLargeError | NotFoundError | InvalidTablesError | UnavailableError} and nothing is deleted.
   */
  async delete(ref: TableRef, sent: readonly unknown[], options: MergeOptions): Promise<DeletionReportDto> {
    if (sent.length > MAX_REQUEST_ROWS) throw new BatchTooLargeError('keys', MAX_REQUEST_ROWS, sent.length);
    const report = await catchDryRun(() =>
      this.locks.withLocks(ref, { referring: false }, async ({ table, readable }) => {
        const deleted = await this.deleteLocked(ref.view, table, readable, await this.readKeys(table, sent), options);
        if (options.dryRun) throw new DryRun(deleted);
        return deleted;
      }),
    );
    const { failed } = report.totals;
    if (!options.dryRun && report.proposalId === undefined) this.metrics.countRows(ref.entity, { failed });
    return report;
  }

  /** @param readable for the caller, the rows that an access policy hides are missing. */
  private async deleteLocked(
    view: View,
    table: CatalogTable,
    readable: CatalogTable,
    source: ArrayRowSource,
    options: MergeOptions,
  ): Promise<DeletionReportDto> {
    const { keys, errors, received } = source;
    const failures = reportErrors([{ input: table, errors }]);
    if (errors.total > 0 && !options.continueOnError) {
      const message = `${errors.rows} of ${received} ${received === 1 ? 'key is' : 'keys are'} invalid; nothing was deleted.`;
      const { summary } = failures;
      throw new InvalidTablesError('invalid_keys', message, failures.errors, { total: errors.total, summary });
    }
    const toCounts = ({ totals: { deleted = 0 } }: ChangeReport) => ({
      totals: { received, deleted, missing: keys.length - deleted, failed: errors.rows },
      ...failures,
    });
    const existing = options.returnItems ? await this.rows.findExisting(readable, keys) : undefined;
    const locked = await this.engine.readLocked(view, table, { items: [], deletions: keys });
    const report = await this.engine.write({ view, options, tables: [locked] }, toCounts);
    const { batchId, proposalId, needsApproval, revision } = report;
    return {
      batchId,
      proposalId,
      needsApproval,
      revision,
      ...toCounts(report),
      table: toTableSummary({ ...table, revision }),
      items: existing && source.listResults(new Map()).map((result) => toDeletionResult(result, existing)),
    };
  }

  /** The keys as they are stored. A key that several elements have is rejected in all of them. */
  private async readKeys({ columns }: CatalogTable, sent: readonly unknown[]): Promise<ArrayRowSource> {
    const primaryKey = getPrimaryKey(columns);
    const items = sent.map((key) => ({ [primaryKey.key]: key }));
    const source = ArrayRowSource.read(this.rows, items, [primaryKey], Infinity);
    const toError = ({ others }: { others: SameKeyRows }) => createDuplicateKeyError(primaryKey.key, others);
    await source.reject(await source.findDuplicateKeys(), toError);
    return source;
  }
}

function toDeletionResult({ index, key, status }: RowResult, existing: ReadonlySet<string>): DeletionResultDto {
  if (status === 'failed') return { index, key: null, status };
  return { index, key, status: existing.has(key!) ? 'deleted' : 'missing' };
}
