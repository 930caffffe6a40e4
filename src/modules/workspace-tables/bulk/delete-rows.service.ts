import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { DeletionEngine, type DeletionOptions } from '../engine/deletion-engine.js';
import type { DeletionReportDto } from '../engine/dto/deletion-report.dto.js';
import { RowMetrics } from '../engine/row-metrics.js';
import { BatchTooLargeError } from '../workspace-tables.errors.js';

/** Deletes many rows of a table by their keys. */
@Injectable()
export class DeleteRowsService {
  constructor(
    private readonly engine: DeletionEngine,
    private readonly metrics: RowMetrics,
    private readonly config: Config,
  ) {}

  /** @throws {BatchTooLargeError | NotFoundError | InvalidTablesError | UnavailableError} and nothing is deleted. */
  async delete(ref: TableRef, keys: readonly unknown[], options: DeletionOptions): Promise<DeletionReportDto> {
    const { bulkMaxRows } = this.config.tables;
    if (keys.length > bulkMaxRows) throw new BatchTooLargeError('keys', bulkMaxRows, keys.length);
    const report = await this.engine.execute(ref, keys, options);
    if (!options.dryRun) this.metrics.countRows(ref.entity, report.totals);
    return report;
  }
}
