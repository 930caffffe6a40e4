import { Injectable } from '@nestjs/common';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import { coerceKey } from '../../../../packages/tabular/src/coercions.js';
import { EXAMPLE_BATCHES } from '../catalog/dto/table.examples.js';
import { MAX_REQUEST_ROWS } from '../../../../packages/tables/src/catalog/request-limits.js';
import { TableTurns } from '../catalog/table-turns.js';
import type { View } from '../../../../packages/tables/src/catalog/view.js';
import { UpsertReportDto } from '../engine/dto/upsert-report.dto.js';
import { MergeEngine } from '../../../../packages/tables/src/writer/merge-engine.js';
import type { MergeOptions } from '../../../../packages/tables/src/writer/merge-options.js';
import { RowMetrics } from '../engine/row-metrics.js';
import type { TableBatch } from '../../../../packages/tables/src/writer/table-plan.js';
import {
  BatchTooLargeError,
  InvalidTablesError,
  type TableError,
} from '../../../../packages/tables/src/catalog/tables.errors.js';

export type BulkOptions = Pick<MergeOptions, 'continueOnError' | 'dryRun' | 'returnItems' | 'origin'>;

/** Bulk requests: rows for several tables, which are created if absent (specification, section 4.4). */
@Injectable()
export class BulkService {
  /** The key of a row as it is stored and compared; undefined if the value is not a valid key. */
  static readonly toStoredKey = (value: unknown): string | undefined => {
    const key = coerceKey(value);
    return typeof key === 'string' ? key : undefined;
  };

  /** The tables of the examples in the OpenAPI document. */
  static readonly examples: readonly TableBatch[] = EXAMPLE_BATCHES;

  constructor(
    private readonly engine: MergeEngine,
    private readonly turns: TableTurns,
    private readonly metrics: RowMetrics,
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
    batches: readonly TableBatch[],
    options: BulkOptions,
    complete?: (report: UpsertReportDto) => Promise<void>,
  ): Promise<UpsertReportDto> {
    requireAllowedSize(batches);
    requireDistinctTables(batches);
    const upsert = () => this.engine.execute(view, batches, options, complete);
    const report = await this.turns.run(view.workspaceId, batches, upsert);
    if (!options.dryRun && report.proposalId === undefined)
      for (const table of report.tables) this.metrics.countRows(table.type, table);
    return report;
  }
}

function requireAllowedSize(batches: readonly TableBatch[]): void {
  const rows = batches.reduce((sum, batch) => sum + batch.items.length, 0);
  if (rows > MAX_REQUEST_ROWS) throw new BatchTooLargeError('rows', MAX_REQUEST_ROWS, rows);
}

function requireDistinctTables(batches: readonly TableBatch[]): void {
  const seen = new Set<string>();
  const errors: TableError[] = [];
  for (const { entity, name } of batches) {
    const identity = `${entity} ${normalizeName(name)}`;
    const message = `The request contains the ${entity} table "${name}" more than once. Send its rows together.`;
    if (seen.has(identity)) errors.push({ type: entity, table: name, code: 'duplicate_table', message });
    seen.add(identity);
  }
  if (errors.length === 0) return;
  const message = 'The request contains a table more than once; nothing was stored.';
  throw new InvalidTablesError('duplicate_table', message, errors);
}
