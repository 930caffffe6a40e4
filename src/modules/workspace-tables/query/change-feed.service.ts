import { Injectable } from '@nestjs/common';
import type { Page } from '../../../../packages/sql/src/page-reader.js';
import { PolicyDeniedError } from '../../../platform/security/security.errors.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { ReadMoments } from '../../../../packages/tables/src/catalog/read-moments.repository.js';
import { RowHistory } from '../../../../packages/tables/src/catalog/row-history.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { findPolicyVersion } from '../../../../packages/tables/src/catalog/view.js';
import { RevisionGoneError, UnknownRevisionError } from '../../../../packages/tables/src/catalog/query.errors.js';
import { ExportAudit } from './export-audit.js';
import {
  CHANGE_KEYSET,
  type ChangedRow,
  ChangeFeedRepository,
  MOMENT_KEYSET,
} from '../../../../packages/tables/src/reader/change-feed.repository.js';
import { type ChangesPageDto, ChangesQueryDto } from './dto/change-feed.dto.js';

const NO_HISTORY =
  'The table stores no former rows (historyDays is 0), so the rows that have left the part which the access policy ' +
  'permits are unknown. Export the table, or ask an owner of the workspace to set historyDays.';

/** A page of changes, and the revision after which the next changes are. */
interface Changes {
  page: Page<ChangedRow>;
  until: number;
}

/** The change feed of a table (specification, section 4.5). */
@Injectable()
export class ChangeFeedService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly changes: ChangeFeedRepository,
    private readonly moments: ReadMoments,
    private readonly history: RowHistory,
    private readonly audit: ExportAudit,
  ) {}

  /**
   * The rows that were written or deleted after the revision `since`, ordered by revision and key. Each row appears
   * once, in its current state. A row that is written while the caller reads the pages appears on a later page, or next
   * time.
   *
   * For a caller whose access policies limit the rows, all pages are of the moment of the first one. A row that has
   * left the permitted part is deleted.
   *
   * @throws {PolicyDeniedError} if access policies limit the rows of the table, and it stores no former rows.
   * @throws {RevisionGoneError} if tombstones, or former rows, since that revision were removed.
   * @throws {UnknownRevisionError | HistoryExpiredError | InvalidCursorError | NotFoundError}
   */
  async list(ref: TableRef, query: ChangesQueryDto): Promise<ChangesPageDto> {
    const { since, cursor } = query;
    const read = await this.catalog.read(ref, async (table) => {
      if (since > table.revision) throw new UnknownRevisionError(since, table.revision);
      const { page, until } = table.permission?.rows
        ? await this.listPermitted(table, query)
        : await this.listAll(table, query);
      const addedColumns = table.columns.filter(({ addedRevision = 0 }) => addedRevision > since);
      const content = {
        table: toTableSummary(table),
        addedColumns: addedColumns.map(({ key }) => key),
        ...page,
        revision: page.hasMore ? null : until,
      };
      return { table, content };
    });
    const { items, hasMore } = read.content;
    await this.audit.recordPage(read.table, { cursor, length: items.length, hasMore }, 'changes');
    return read.content;
  }

  private async listAll(table: CatalogTable, { since, limit, cursor }: ChangesQueryDto): Promise<Changes> {
    // A caller without any rows does not need the tombstones.
    if (since > 0 && since < table.changesSince) throw new RevisionGoneError(since, table.changesSince);
    const identity = ['changes', table.id, since];
    const after = CHANGE_KEYSET.decode(identity, cursor);
    const rows = await this.changes.list(table, since, after, limit);
    return {
      page: CHANGE_KEYSET.toPage(rows, identity, ({ revision, key }) => [revision, key]),
      until: table.revision,
    };
  }

  private async listPermitted(table: CatalogTable, { since, limit, cursor }: ChangesQueryDto): Promise<Changes> {
    if (this.history.getDays(table) === 0) throw new PolicyDeniedError(undefined, NO_HISTORY);
    const start = Math.max(await this.moments.getHistoryStart(table), table.changesSince);
    if (since > 0 && since < start) throw new RevisionGoneError(since, start);
    const identity = ['changes', table.id, since, findPolicyVersion(table.view)];
    const position = MOMENT_KEYSET.decode<[moment: number, revision: number, key: string]>(identity, cursor);
    const until = position?.[0] ?? table.revision;
    const readAsOf = async (field: string, revision: number) =>
      revision === table.revision ? table : this.catalog.getAsOf(table, { field, text: String(revision) });
    const before = since === 0 ? undefined : await readAsOf('since', since);
    const after = await readAsOf('cursor', until);
    const rows = await this.changes.listPermitted({ before, after }, position, limit);
    return { page: MOMENT_KEYSET.toPage(rows, identity, ({ revision, key }) => [until, revision, key]), until };
  }
}
