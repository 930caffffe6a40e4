import { Injectable } from '@nestjs/common';
import { EXAMPLE_BATCHES } from '../catalog/dto/table.examples.js';
import { MAX_REQUEST_ROWS } from '../../../../packages/tables/src/catalog/request-limits.js';
import { TableTurns } from '../catalog/table-turns.js';
import type { View } from '../../../../packages/tables/src/catalog/view.js';
import { UpsertReportDto } from '../engine/dto/upsert-report.dto.js';
import { MergeEngine } from '../../../../packages/tables/src/writer/merge-engine.js';
import type { MergeOptions, TableItems } from '../../../../packages/tables/src/writer/table-plan.js';
import { BatchTooLargeError } from '../../../../packages/tables/src/catalog/tables.errors.js';

/** Bulk requests: rows for several tables, which are created if absent (specification, section 4.4). */
@Injectable()
export class BulkService {
  /** The tables of the examples in the OpenAPI document. */
  static readonly examples: readonly TableItems[] = EXAMPLE_BATCHES;

  constructor(
    private readonly engine: MergeEngine,
    private readonly turns: TableTurns,
  ) {}

  /**
   * Upserts rows by primary key. All or nothing, unless `continueOnError`.
   *
   * @param complete a part of the transaction after everything is written, unless it is a dry run. It must be
   *   repeatable.
   * @throws {BatchTooLargeError | InvalidTablesError | ColumnConflictError} and nothing is stored.
   */
  async upsert(
    view: View,
    batches: readonly TableItems[],
    options: MergeOptions,
    complete?: (report: UpsertReportDto) => Promise<void>,
  ): Promise<UpsertReportDto> {
    requireAllowedSize(batches);
    const upsert = () => this.engine.execute(view, batches, options, complete);
    return this.turns.run(view.workspaceId, batches, upsert);
  }
}

function requireAllowedSize(batches: readonly TableItems[]): void {
  const rows = batches.reduce((sum, batch) => sum + batch.items.length, 0);
  if (rows > MAX_REQUEST_ROWS) throw new BatchTooLargeError('rows', MAX_REQUEST_ROWS, rows);
}
