import { Injectable } from '@nestjs/common';
import { ExpensiveReads } from '../../../platform/http/expensive-reads.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { readReferencedTables } from '../../../../packages/tables/src/catalog/referenced-tables.js';
import { ReplicaReads } from '../catalog/replica-reads.js';
import { MAX_GROUPS } from '../../../../packages/tables/src/catalog/request-limits.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { TooManyGroupsError } from '../../../../packages/tables/src/catalog/query.errors.js';
import {
  type Aggregate,
  listAggregatePaths,
  parseAggregate,
} from '../../../../packages/tables/src/reader/aggregate-parser.js';
import { AggregatesRepository } from '../../../../packages/tables/src/reader/aggregates.repository.js';
import type { AggregatePageDto, AggregateQueryDto } from './dto/aggregate.dto.js';
import { getFilterIdentity } from '../../../../packages/tables/src/reader/filter-expression.js';
import { listPaths } from '../../../../packages/tables/src/reader/filter-parser.js';
import { getCursorPosition, toKeyset } from '../../../../packages/tables/src/reader/order.js';
import { getQueryIdentity } from '../../../../packages/tables/src/reader/query-compiler.js';

/** Groups of the rows of a table, with measures. */
@Injectable()
export class AggregatesService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly aggregates: AggregatesRepository,
    private readonly replica: ReplicaReads,
    private readonly reads: ExpensiveReads,
  ) {}

  /**
   * A page of groups. Each page aggregates the rows as they are then.
   *
   * @throws {NotFoundError | InvalidQueryError | InvalidCursorError | TooManyGroupsError | QueryTooExpensiveError}
   */
  async list(tableRef: TableRef, query: AggregateQueryDto): Promise<AggregatePageDto> {
    const ref = await this.catalog.asOf(tableRef, query.asOf);
    const paths = [...listPaths(query.filter), ...listAggregatePaths(query)];
    const read = () =>
      this.catalog.read(ref, async (table) => ({
        table: toTableSummary(table),
        ...(await this.readPage(table, query, paths)),
      }));
    const listCurrent = async () => [await this.catalog.get(ref)];
    // The replica may contain older rows of the other tables.
    const readReplica = () =>
      paths.length === 0 && !ref.view.moment ? this.replica.read(listCurrent, read) : undefined;
    return this.reads.run(async () => (await readReplica()) ?? read());
  }

  /**
   * As `list`, of a relation that the caller has described as a table.
   *
   * @param selection what determines its rows: a cursor is valid only for the same.
   */
  listOf(table: CatalogTable, query: AggregateQueryDto, selection: object): Promise<Omit<AggregatePageDto, 'table'>> {
    const paths = [...listPaths(query.filter), ...listAggregatePaths(query)];
    return this.reads.run(() => this.catalog.readTogether(() => this.readPage(table, query, paths, selection)));
  }

  private async readPage(
    table: CatalogTable,
    query: AggregateQueryDto,
    paths: readonly string[],
    selection?: object,
  ): Promise<Omit<AggregatePageDto, 'table'>> {
    const referenced = await readReferencedTables(this.catalog, table, paths);
    const aggregate = parseAggregate(table, query, referenced);
    const { groups, measures, order } = aggregate;
    const identity = selection ? [getIdentity(aggregate), selection] : getIdentity(aggregate);
    const keyset = toKeyset(order);
    const after = keyset.decode(identity, query.cursor);
    const { groups: count, rows, hasMore } = await this.aggregates.getPage(aggregate, after, query.limit);
    if (count > MAX_GROUPS) throw new TooManyGroupsError();
    const pick = (names: readonly { name: string }[], row: (typeof rows)[number]) =>
      Object.fromEntries(names.map(({ name }) => [name, row[name]!]));
    return {
      items: rows.map((row) => ({ group: pick(groups, row), measures: pick(measures, row) })),
      hasMore,
      nextCursor: hasMore ? keyset.encode(identity, getCursorPosition(rows.at(-1)!, order)) : null,
    };
  }
}

/** Everything that determines the groups and their order. */
function getIdentity({ rows, columns, order, having }: Aggregate): unknown {
  return [
    'aggregate',
    getQueryIdentity(rows),
    columns.map(({ key }) => key),
    order.map(({ column, descending }) => [column.key, descending]),
    having.map(getFilterIdentity),
  ];
}
