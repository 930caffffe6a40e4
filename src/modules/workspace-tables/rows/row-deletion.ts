import { Injectable } from '@nestjs/common';
import { type AcceptedVersions, requireVersion } from '../../../platform/http/conditional-requests.js';
import { NotFoundError } from '../../../platform/http/domain-error.js';
import { CatalogWrites } from '../catalog/catalog-writes.repository.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { RowsRepository } from '../catalog/rows.repository.js';
import { TableLocks } from '../catalog/table-locks.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { BatchRecorder } from '../history/batch-recorder.js';
import { TombstonesRepository } from '../history/tombstones.repository.js';
import type { DeletedItemDto } from './dto/row.dto.js';

/** Deletes a row under the lock of its table. */
@Injectable()
export class RowDeletion {
  constructor(
    private readonly locks: TableLocks,
    private readonly catalog: CatalogWrites,
    private readonly rows: RowsRepository,
    private readonly tombstones: TombstonesRepository,
    private readonly recorder: BatchRecorder,
  ) {}

  /** @throws {PreconditionFailedError | NotFoundError} */
  execute(ref: TableRef, key: string, accepted: AcceptedVersions): Promise<DeletedItemDto> {
    return this.locks.withLocks(ref, { referring: false }, async ({ table }) => {
      const stored = await this.rows.find(this.locks.findReadable(table), key);
      if (!stored) throw new NotFoundError('The row', undefined, 'Check the key.');
      requireVersion({ version: stored.revision }, accepted);
      table.revision++;
      const change = await this.recorder.beginSingle();
      await this.tombstones.deleteRows(table, [key], table.revision, change);
      await this.catalog.setRevision(table, table.revision);
      await this.recorder.recordRows(table, table.revision - 1, { deleted: 1 }, change);
      return { table: toTableSummary(table), key };
    });
  }
}
