import { Injectable } from '@nestjs/common';
import { MAX_REQUEST_ROWS } from '../../../../packages/tables/src/catalog/request-limits.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { DeletionEngine, type DeletionOptions } from './deletion-engine.js';
import type { DeletionReportDto } from '../engine/dto/deletion-report.dto.js';
import { RowMetrics } from '../engine/row-metrics.js';
import { BatchTooLargeError } from '../../../../packages/tables/src/catalog/tables.errors.js';

/** Deletes many rows of a table by their keys. */
@Injectable()
export class DeleteRowsService {
  constructor(
    private readonly engine: DeletionEngine,
    private readonly metrics: RowMetrics,
  ) {}

  /** @throws {BatchTooLargeError | NotFoundError | InvalidTablesError | UnavailableError} and nothing is deleted. */
  async delete(ref: TableRef, keys: readonly unknown[], options: DeletionOptions): Promise<DeletionReportDto> {
    if (keys.length > MAX_REQUEST_ROWS) throw new BatchTooLargeError('keys', MAX_REQUEST_ROWS, keys.length);
    const report = await this.engine.execute(ref, keys, options);
    const { failed } = report.totals;
    if (!options.dryRun && report.proposalId === undefined) this.metrics.countRows(ref.entity, { failed });
    return report;
  }
}
