import { Injectable } from '@nestjs/common';
import type { AcceptedVersions } from '../../../platform/http/conditional-requests.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { RecentTables } from '../catalog/recent-tables.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { RowWriter } from '../engine/row-writer.js';
import type { DeletedItemDto } from './dto/row.dto.js';
import { RowDeletion } from './row-deletion.js';
import { toRowKey } from './row-key.js';
import { toSingleRevision } from './single-revision.js';

/** Deletes single rows. */
@Injectable()
export class DeleteRowService {
  constructor(
    private readonly recent: RecentTables,
    private readonly writer: RowWriter,
    private readonly deletion: RowDeletion,
  ) {}

  /** Deletes the row and leaves a tombstone. @throws {PreconditionFailedError | NotFoundError} */
  async delete(ref: TableRef, sentKey: string, accepted: AcceptedVersions): Promise<DeletedItemDto> {
    const recent = this.recent.find(ref);
    const table = recent ?? (await this.recent.read(ref));
    const key = toRowKey(sentKey);
    // What a policy permits is checked under the lock of the table.
    if (table.permission) return this.deletion.execute(ref, key, accepted);
    const revision = toSingleRevision(accepted);
    const deleted = revision === 'several' ? undefined : await this.writer.delete(table, key, revision);
    if (deleted)
      return { table: toTableSummary({ ...table, name: deleted.tableName, revision: deleted.revision }), key };
    if (recent) await this.recent.read(ref);
    return this.deletion.execute(ref, key, accepted);
  }
}
