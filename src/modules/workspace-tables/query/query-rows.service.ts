import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '../../../../packages/errors/src/domain-error.js';
import { ExpensiveReads } from '../../../platform/http/expensive-reads.js';
import type { JsonText } from '../../../../packages/sql/src/json-text.js';
import type { CursorPosition, KeyColumn, Keyset } from '../../../../packages/sql/src/keyset.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { getColumn } from '../../../../packages/tables/src/catalog/column-finder.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { hasSelectedRows } from '../../../../packages/tables/src/catalog/physical-table.js';
import type { RowValues } from '../../../../packages/tables/src/catalog/row-sql.js';
import { ReplicaReads } from '../catalog/replica-reads.js';
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS } from '../../../../packages/tables/src/catalog/request-limits.js';
import { readReferencedTables } from '../../../../packages/tables/src/catalog/referenced-tables.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import type { ItemsPageDto, ItemsQueryDto } from './dto/query-rows.dto.js';
import { ExportAudit, type PageSurface } from './export-audit.js';
import { listPaths } from '../../../../packages/tables/src/reader/filter-parser.js';
import { getCursorPosition, splitList, toKeyset } from '../../../../packages/tables/src/reader/order.js';
import {
  canWalkByKeys,
  dependsOnOtherTables,
  getQueryIdentity,
  mayReadManyRows,
  parseQuery,
  type RowQuery,
  type RowSelection,
  suggestIndex,
} from '../../../../packages/tables/src/reader/query-compiler.js';
import { QueryRowsRepository, type RowsPage } from '../../../../packages/tables/src/reader/query-rows.repository.js';
import {
  listMemberPaths,
  resolveMembers,
  type SentMember,
} from '../../../../packages/tables/src/reader/row-members.js';
import type { SubtreeWalk } from '../../../../packages/tables/src/reader/subtree-walk.js';
import { RowTitlesService } from './row-titles.service.js';

export type { SentMember };

/** The content of an `ItemsPageDto`, with the rows as PostgreSQL serialized them. */
type RowsPageDto = Omit<ItemsPageDto, 'items'> & { items: JsonText };

/** What determines the rows of a query, besides the query: the columns of a former revision are those of now. */
export type RowsVersion = Pick<CatalogTable, 'revision' | 'definitionId' | 'rows'>;

/** What the statements of a page have read. */
interface ReadRows {
  page: Omit<RowsPageDto, 'table'>;
  /** Of the table in the snapshot of the page. */
  revision: number;
  /** The number of rows. */
  length: number;
  /** The keys of the columns of the rows, unless the query has members. */
  columns: string[];
}

interface FoundPage extends Omit<ReadRows, 'page' | 'revision'> {
  version: RowsVersion;
  page: RowsPageDto;
}

/** A query of another module, which may also skip rows. */
export type PageQuery = ItemsQueryDto &
  Pick<RowQuery, 'parentKey'> & {
    /** The number of rows before the first page. PostgreSQL reads and drops them. */
    skip?: number;
    /** The members of the objects of rows, whose columns are among `fields`. Default: the fields by their keys. */
    members?: readonly SentMember[];
    /** Default: `pages`. */
    via?: PageSurface;
  };

/** The duration of a query after which its page suggests an index, in milliseconds. */
const SLOW_QUERY_MS = 100;

/** The column of a cursor that says whether a subtree is read by its keys. */
const IS_WALK_BY_KEYS: KeyColumn = { isValid: (value) => typeof value === 'boolean' };

/** Pages of rows (specification, section 4.5). */
@Injectable()
export class QueryRowsService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly replica: ReplicaReads,
    private readonly rows: QueryRowsRepository,
    private readonly titles: RowTitlesService,
    private readonly reads: ExpensiveReads,
    private readonly audit: ExportAudit,
  ) {}

  /**
   * A page of rows. It starts after the last row of the previous page, by the values of that row: no row is skipped or
   * repeated under concurrent writes.
   *
   * @param isKnown does the caller have the page of this version? It is then not read. Undefined if it has none.
   * @returns the version of the rows, and the page with its number of rows and its columns unless the caller has it.
   * @throws {NotFoundError | InvalidRequestError | InvalidQueryError | InvalidCursorError | HistoryExpiredError}
   */
  async list(
    tableRef: TableRef,
    query: PageQuery,
    isKnown?: (version: RowsVersion) => boolean,
  ): Promise<Pick<FoundPage, 'version'> & Partial<FoundPage>> {
    const ref = await this.catalog.asOf(tableRef, query.asOf);
    const known = isKnown && !dependsOnOtherTables(query) ? await this.catalog.get(ref) : undefined;
    if (known && isKnown?.(known)) return { version: known };
    // The replica may contain older rows of the other tables.
    const isReplicated = !dependsOnOtherTables(query);
    const { table, rows } = await this.catalog.readRows(ref, async (current) => {
      const read = () => this.readRows(current, query);
      const copy = isReplicated ? await this.replica.read(() => Promise.resolve([current]), read) : undefined;
      return { table: current, rows: copy ?? (await read()) };
    });
    return this.finishPage(table, rows, query);
  }

  /**
   * As `list`, of a relation that the caller describes as a table. It has no revisions and no indexes of tables.
   *
   * @param readTable is called again if a table that the query reads is dropped.
   */
  async listOf(readTable: () => Promise<CatalogTable>, query: PageQuery): Promise<Omit<FoundPage, 'version'>> {
    const { table, rows } = await this.catalog.readRowsOf(readTable, async (current) => ({
      table: current,
      rows: await this.readRows(current, query, true),
    }));
    const { version: _, ...found } = await this.finishPage(table, rows, query);
    return found;
  }

  private async finishPage(
    table: CatalogTable,
    { page, revision, ...rows }: ReadRows,
    { cursor, via = 'pages' }: PageQuery,
  ): Promise<FoundPage> {
    const version = { ...table, revision };
    await this.audit.recordPage(version, { cursor, length: rows.length, hasMore: page.hasMore }, via);
    return { version, page: { table: toTableSummary(version), ...page }, ...rows };
  }

  /**
   * The page is read by one statement. With a number of rows or titles, all its statements read one snapshot.
   *
   * @param readsManyRows does each page read many more rows than it returns?
   */
  private async readRows(table: CatalogTable, query: PageQuery, readsManyRows = false): Promise<ReadRows> {
    const paths = [...listPaths(query.filter), ...listMemberPaths(query.members)];
    const referenced = await readReferencedTables(this.catalog, table, paths);
    const members = query.members && resolveMembers(table, query.members, referenced);
    const parsed = { ...parseQuery(table, query, referenced), members };
    const read = () => this.executeQuery(parsed, query);
    const readTogether = () => (query.count === 'exact' || query.expand ? this.rows.readTogether(read) : read());
    const counts =
      query.count === 'exact' || Boolean(query.skip) || (query.count !== undefined && hasSelectedRows(table));
    const readsRowsOfReferences = members?.some(({ row }) => row) ?? false;
    const isExpensive = readsManyRows || counts || readsRowsOfReferences || mayReadManyRows(parsed);
    return isExpensive ? this.reads.run(readTogether) : readTogether();
  }

  private async executeQuery(parsed: RowSelection, query: PageQuery): Promise<ReadRows> {
    const { table } = parsed;
    const limit = getLimit(query);
    const expanded = splitList(query.expand).map((name) => getColumn(table.columns, 'expand', name));
    this.titles.requireExpandable(expanded);
    const identity = getQueryIdentity(parsed);
    const keyset = toRowsKeyset(parsed);
    const after = keyset.decode(identity, query.cursor);
    const startedAt = performance.now();
    const walk = canWalkByKeys(parsed) ? await this.findWalk(parsed, after, limit) : 'subtree';
    const read = await this.readPage({ ...parsed, walk, skip: query.skip }, expanded, after, limit);
    const isSlow = performance.now() - startedAt > SLOW_QUERY_MS;
    const { selection, page } = read;
    const { items, length, hasMore, last, revision } = page;
    const total = await this.countRows(selection, query, length + Number(hasMore));
    const titles = expanded.length > 0 ? await this.titles.getTitles(table, expanded, page.expanded) : undefined;
    const nextCursor = hasMore && last ? keyset.encode(identity, toPosition(selection, last)) : null;
    const suggestedIndex = isSlow ? suggestIndex(selection) : undefined;
    return {
      page: { items, hasMore, nextCursor, total, expanded: titles, suggestedIndex },
      revision,
      length,
      columns: selection.fields.map(({ key }) => key),
    };
  }

  /** The last value of the cursor, or the walk for a first page. */
  private findWalk(
    selection: RowSelection,
    after: CursorPosition | undefined,
    limit: number,
  ): Promise<SubtreeWalk> | SubtreeWalk {
    if (!after) return this.rows.chooseWalk(selection, limit);
    return after.at(-1) === true ? 'keys' : 'subtree';
  }

  private async readPage(
    selection: RowSelection,
    expanded: readonly CatalogColumn[],
    after: CursorPosition | undefined,
    limit: number,
  ): Promise<{ page: RowsPage; selection: RowSelection }> {
    const page = await this.rows.getPage(selection, expanded, after, limit);
    return page.isUnknown
      ? this.readPage({ ...selection, walk: 'subtree' }, expanded, after, limit)
      : { page, selection };
  }

  /** @param read the number of rows that were read: the estimate is at least that. */
  private async countRows(
    selection: RowSelection,
    { count }: ItemsQueryDto,
    read: number,
  ): Promise<number | undefined> {
    if (!count) return undefined;
    // The statistics of the planner include rows that a policy hides.
    if (count === 'exact' || hasSelectedRows(selection.table)) return this.rows.count(selection);
    return Math.max(read, await this.rows.estimate(selection));
  }
}

/** The cursor of a subtree ends with its walk. */
function toRowsKeyset(selection: RowSelection): Keyset {
  return toKeyset(selection.order, canWalkByKeys(selection) ? [IS_WALK_BY_KEYS] : []);
}

function toPosition(selection: RowSelection, last: RowValues): CursorPosition {
  const position = getCursorPosition(last, selection.order);
  return canWalkByKeys(selection) ? [...position, selection.walk === 'keys'] : position;
}

/** The DTO accepts any number, for a message with the range. @throws {InvalidRequestError} */
function getLimit({ limit = DEFAULT_PAGE_ROWS }: ItemsQueryDto): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE_ROWS) return limit;
  const message = `limit must be a whole number from 1 to ${MAX_PAGE_ROWS}.`;
  throw new InvalidRequestError([{ field: 'limit', code: 'invalid_field', message }]);
}
