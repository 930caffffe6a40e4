import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { PLAN_EACH_TIME } from '../../../platform/database/statement-options.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { previousRowsName } from '../catalog/physical-table.js';
import type { OpenBatch } from './open-batch.js';

/** The previous rows of batches. */
@Injectable()
export class PreviousRows {
  constructor(private readonly database: Database) {}

  /** Adds the bytes of the previous rows that a batch has stored since the last call. */
  async measure(batch: OpenBatch, tables: readonly CatalogTable[]): Promise<void> {
    for (const table of tables.filter(({ id }) => batch.unmeasured.delete(id))) {
      const [sum] = await this.database.query<{ bytes: number }>(
        `SELECT coalesce(sum(pg_column_size(u)), 0)::float8 AS bytes FROM ${previousRowsName(table)} u WHERE u._batch_id = $1`,
        [batch.id],
        PLAN_EACH_TIME,
      );
      batch.undoBytes += sum!.bytes;
    }
  }
}
