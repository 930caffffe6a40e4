import { Injectable } from '@nestjs/common';
import { toPage } from '../../../platform/http/cursor.js';
import { PolicyDeniedError } from '../../../platform/security/security.errors.js';
import { CatalogRepository } from '../catalog/catalog.repository.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { RevisionGoneError, UnknownRevisionError } from '../query.errors.js';
import { ChangeFeedRepository } from './change-feed.repository.js';
import { type ChangesPageDto, ChangesQueryDto } from './dto/change-feed.dto.js';
import { decodeNumberAndKey } from '../catalog/cursors.js';

/** The change feed of a table (specification, section 4.5). */
@Injectable()
export class ChangeFeedService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly changes: ChangeFeedRepository,
  ) {}

  /**
   * The rows that were written or deleted after the revision `since`, ordered by revision and key. Each row appears
   * once, in its current state. A row that is written while the caller reads the pages appears on a later page, or next
   * time.
   *
   * @throws {PolicyDeniedError} if an access policy limits the rows of the table.
   * @throws {RevisionGoneError} if tombstones since that revision were removed.
   * @throws {UnknownRevisionError | InvalidCursorError | NotFoundError}
   */
  list(ref: TableRef, { since, limit, cursor }: ChangesQueryDto): Promise<ChangesPageDto> {
    return this.catalog.read(ref, async (table) => {
      // Which rows have left the permitted part is not stored.
      if (table.permission && table.relation !== undefined) throw new PolicyDeniedError();
      if (since > table.revision) throw new UnknownRevisionError(since, table.revision);
      // A caller without any rows does not need the tombstones.
      if (since > 0 && since < table.changesSince) throw new RevisionGoneError(since, table.changesSince);
      const identity = ['changes', table.id, since];
      const after = cursor === undefined ? undefined : decodeNumberAndKey(identity, cursor);
      const rows = await this.changes.list(table, since, after, limit);
      const page = toPage(rows, identity, ({ revision, key }) => [revision, key]);
      return {
        table: toTableSummary(table),
        addedColumns: table.columns.filter(({ addedRevision = 0 }) => addedRevision > since).map(({ key }) => key),
        ...page,
        revision: page.hasMore ? null : table.revision,
      };
    });
  }
}
