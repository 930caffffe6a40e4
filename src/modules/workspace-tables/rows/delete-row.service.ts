import { Injectable } from '@nestjs/common';
import { type AcceptedVersions, requireVersion } from '../../../platform/http/conditional-requests.js';
import { NotFoundError } from '../../../platform/http/domain-error.js';
import { CatalogRepository } from '../catalog/catalog.repository.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { PhysicalTablesRepository } from '../catalog/physical-tables.repository.js';
import { RecentTables } from '../catalog/recent-tables.js';
import { RowsRepository } from '../catalog/rows.repository.js';
import { TableLocks } from '../catalog/table-locks.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { RowWriter } from '../engine/row-writer.js';
import { TombstonesRepository } from '../engine/tombstones.repository.js';
import type { DeletedItemDto } from './dto/row.dto.js';
import { toRowKey } from './row-key.js';
import { toSingleRevision } from './single-revision.js';

/** Deletes single rows. */
@Injectable()
export class DeleteRowService {
  constructor(
    private readonly locks: TableLocks,
    private readonly catalog: CatalogRepository,
    private readonly recent: RecentTables,
    private readonly physical: PhysicalTablesRepository,
    private readonly writer: RowWriter,
    private readonly rows: RowsRepository,
    private readonly tombstones: TombstonesRepository,
  ) {}

  /** Deletes the row and leaves a tombstone. @throws {PreconditionFailedError | NotFoundError} */
  async delete(ref: TableRef, sentKey: string, accepted: AcceptedVersions): Promise<DeletedItemDto> {
    const recent = this.recent.find(ref);
    const table = recent ?? (await this.recent.read(ref));
    const key = toRowKey(sentKey);
    const revision = toSingleRevision(accepted);
    const deleted = revision === 'several' ? undefined : await this.writer.delete(table, key, revision);
    if (deleted)
      return { table: toTableSummary({ ...table, name: deleted.tableName, revision: deleted.revision }), key };
    if (recent) await this.recent.read(ref);
    return this.deleteLocked(ref, key, accepted);
  }

  private deleteLocked(ref: TableRef, key: string, accepted: AcceptedVersions): Promise<DeletedItemDto> {
    return this.locks.withLocks(ref, { referring: false }, async ({ table }) => {
      await this.physical.upgradeLayout(table);
      const stored = await this.rows.find(table, key);
      if (!stored) throw new NotFoundError('The row', undefined, 'Check the key.');
      requireVersion({ version: stored.revision }, accepted);
      table.revision++;
      await this.tombstones.markDeleted(table, [key], table.revision);
      await this.catalog.setRevision(table, table.revision);
      return { table: toTableSummary(table), key };
    });
  }
}
