import { Injectable } from '@nestjs/common';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import { NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { hasOwnIndex } from '../../../../packages/tables/src/catalog/column-indexes.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { PhysicalTablesRepository } from '../../../../packages/tables/src/catalog/physical-tables.repository.js';
import { ReadMoments } from '../../../../packages/tables/src/catalog/read-moments.repository.js';
import type { EntityRef, TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { isRestricted } from '../../../../packages/tables/src/catalog/view.js';
import { DescribeTablesRepository, type ListedTable, type TableDetails } from './describe-tables.repository.js';
import {
  ColumnIndexDto,
  CompositeIndexDto,
  ListedTableDto,
  TableDto,
  TablesPageDto,
  TablesQueryDto,
} from './dto/tables.dto.js';

/** Lists and describes tables. */
@Injectable()
export class DescribeTablesService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly tables: DescribeTablesRepository,
    private readonly physical: PhysicalTablesRepository,
    private readonly moments: ReadMoments,
  ) {}

  /** Ordered by name. @throws {InvalidCursorError} */
  async list({ view, entity }: EntityRef, { limit, cursor, q = '' }: TablesQueryDto): Promise<TablesPageDto> {
    const part = normalizeName(q);
    const permitted = isRestricted(view)
      ? new Map((await this.catalog.list(view, entity)).map((table) => [table.id, table]))
      : undefined;
    const ids = permitted && [...permitted.keys()];
    const page = await this.tables.list(view.workspaceId, entity, { part, ids, limit, cursor });
    const items = page.items.map((table) => {
      const columnCount = permitted?.get(table.id)!.columns.length ?? table.columnCount;
      return toListedTable({ ...table, columnCount });
    });
    return { ...page, items };
  }

  /** @throws {NotFoundError} */
  get(ref: TableRef): Promise<TableDto> {
    return this.catalog.read(ref, (table) => this.describe(table));
  }

  /** @throws {NotFoundError} if the table was dropped in the meantime. */
  async describe(table: CatalogTable): Promise<TableDto> {
    const details = await this.tables.findDetails(table);
    if (!details) throw new NotFoundError('The table', undefined, 'Check the name or ID.');
    const { createdAt, updatedAt } = details;
    const columns = table.columns.map((column) => {
      const { ordinal, addedRevision: _, ...attributes } = column;
      return { ...attributes, index: toColumnIndex({ ordinal, ...attributes }, details) };
    });
    const indexes = toCompositeIndexes(table, details);
    const { options } = table;
    const history = {
      since: await this.moments.getHistoryStart(table),
      bytes: table.permission ? null : await this.physical.measureHistory(table),
    };
    const summary = { ...toTableSummary(table), columnCount: columns.length, createdAt, updatedAt };
    return { ...summary, options, columns, indexes, history };
  }
}

function toListedTable({ id, name, type, revision, columnCount, createdAt, updatedAt }: ListedTable): ListedTableDto {
  return { id, name, type, revision, columnCount, createdAt, updatedAt };
}

function toColumnIndex(column: CatalogColumn, { indexes }: TableDetails): ColumnIndexDto | null {
  if (hasOwnIndex(column)) return { state: 'ready', message: null };
  const index = indexes.find(({ ordinals }) => ordinals.length === 1 && ordinals[0] === column.ordinal);
  return index ? { state: index.state, message: index.message } : null;
}

function toCompositeIndexes({ columns }: CatalogTable, { indexes }: TableDetails): CompositeIndexDto[] {
  const keys = new Map(columns.map(({ ordinal, key }) => [ordinal, key]));
  return indexes
    .filter(({ ordinals }) => ordinals.length > 1 && ordinals.every((each) => keys.has(each)))
    .map(({ ordinals, state, message }) => ({ columns: ordinals.map((each) => keys.get(each)!), state, message }));
}
