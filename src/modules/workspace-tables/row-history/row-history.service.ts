import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { compareValues } from '../catalog/compare-values.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { getPrimaryKey } from '../../../../packages/tables/src/catalog/physical-table.js';
import { ReadMoments } from '../../../../packages/tables/src/catalog/read-moments.repository.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { coerceKey } from '../../../../packages/tabular/src/coercions.js';
import type { RowHistoryEntryDto, RowHistoryPageDto, RowHistoryQueryDto } from './dto/row-history.dto.js';
import {
  type RevisionOrigin,
  type RowVersion,
  RowVersionsRepository,
  VERSION_KEYSET,
} from '../../../../packages/tables/src/reader/row-versions.repository.js';

/** A change of a row without its origin. */
type Change = Pick<RowHistoryEntryDto, 'revision' | 'change' | 'columns'> & { at?: Date | null };

/** The history of single rows. */
@Injectable()
export class RowHistoryService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly versions: RowVersionsRepository,
    private readonly moments: ReadMoments,
  ) {}

  /**
   * The changes of a row, the newest first, also under its former keys. The versions of a page and the one before them
   * are read. For a caller with an access policy, a row is created when it enters the permitted part and deleted when
   * it leaves it, and changes of hidden columns do not exist.
   *
   * @throws {NotFoundError} if the table has neither the row nor former ones with the key.
   * @throws {InvalidCursorError}
   */
  list(ref: TableRef, sentKey: string, { limit, cursor }: RowHistoryQueryDto): Promise<RowHistoryPageDto> {
    const key = coerceKey(sentKey);
    if (typeof key !== 'string') throw toMissingRowError();
    return this.catalog.read(ref, async (table) => {
      const identity = ['history', table.id, key];
      const after = VERSION_KEYSET.decode<[revision: number]>(identity, cursor);
      const since = await this.moments.getHistoryStart(table);
      const found = await this.versions.list(table, key, since, after, limit + 1);
      if (found.items.length === 0 && !after) throw toMissingRowError();
      const hasMore = found.hasMore || found.items.length > limit;
      const shown = hasMore ? found.items.slice(0, -1) : found.items;
      const changes = toChanges(table, shown, found.items[shown.length], { since, before: after?.[0] });
      return {
        table: toTableSummary(table),
        historySince: since,
        items: await this.addOrigins(table, changes),
        hasMore,
        nextCursor: hasMore ? VERSION_KEYSET.encode(identity, [shown.at(-1)!.revision]) : null,
      };
    });
  }

  private async addOrigins(table: CatalogTable, changes: readonly Change[]): Promise<RowHistoryEntryDto[]> {
    const revisions = changes.map(({ revision }) => revision);
    const origins = await this.versions.listOrigins(table, revisions);
    return changes.map(({ at, ...change }) => toEntry(change, at, origins.get(change.revision)));
  }
}

function toEntry(change: Omit<Change, 'at'>, at: Change['at'], origin: RevisionOrigin | undefined): RowHistoryEntryDto {
  const { revision, columns } = change;
  const isRestored = origin?.source === 'undo' || origin?.source === 'restore';
  const kind = isRestored && change.change !== 'deleted' ? 'restored' : change.change;
  const { by = null, batchId = null } = origin ?? {};
  return { revision, at: (at ?? origin?.at)!, by, batchId, change: kind, columns };
}

/**
 * @param before the version before the others, if there is one.
 * @param page `before`: the revision at which the version after the first one begins.
 */
function toChanges(
  table: CatalogTable,
  versions: readonly RowVersion[],
  before: RowVersion | undefined,
  page: { since: number; before: number | undefined },
): Change[] {
  const { key: primaryKey } = getPrimaryKey(table.columns);
  return versions.flatMap((version, position) => {
    const next = position === 0 ? page.before : versions[position - 1]!.revision;
    const previous = versions[position + 1] ?? before;
    const changes: Change[] = [];
    if (version.ended !== null && version.ended !== next) changes.push(toEnd(version, primaryKey));
    const start = toStart(version, previous, page.since);
    if (start && !isHidden(table, start)) changes.push(start);
    return changes;
  });
}

/** The end of a row: its deletion, or its rename to the key of another history. */
function toEnd({ ended, renamedTo, key, item }: RowVersion, primaryKey: string): Change {
  if (renamedTo === null) return { revision: ended!, change: 'deleted', columns: compareValues(item, {}) };
  return { revision: ended!, change: 'renamed', columns: { [primaryKey]: { from: key, to: renamedTo } } };
}

/** @returns undefined if the history does not contain how the version began. */
function toStart(version: RowVersion, previous: RowVersion | undefined, since: number): Change | undefined {
  const { revision, item, updatedAt: at, isFirst } = version;
  if (previous?.ended === revision) {
    const change = previous.key === version.key ? 'updated' : 'renamed';
    return { revision, at, change, columns: compareValues(previous.item, item) };
  }
  if (revision <= since && !isFirst) return undefined;
  return { revision, at, change: 'created', columns: compareValues({}, item) };
}

/** Did the row change only in columns that the caller may not read? */
function isHidden({ permission }: CatalogTable, { change, columns }: Change): boolean {
  return permission !== undefined && change === 'updated' && Object.keys(columns).length === 0;
}

function toMissingRowError(): NotFoundError {
  return new NotFoundError('The row', undefined, 'Check the key.');
}
