import { Injectable } from '@nestjs/common';
import { MAX_LEVELS } from '../../../../packages/tables/src/catalog/request-limits.js';
import { NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { getParentColumn } from '../../../../packages/tables/src/catalog/column-finder.js';
import { withAllRows } from '../../../../packages/tables/src/catalog/physical-table.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import type { ItemDto, ItemPathDto } from './dto/row.dto.js';
import { toRowKey } from './row-key.js';
import { RowsRepository } from '../../../../packages/tables/src/catalog/rows.repository.js';

/** Reads single rows and their paths in the hierarchy. */
@Injectable()
export class ReadRowService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly rows: RowsRepository,
  ) {}

  /** @param asOf a former moment. @throws {NotFoundError | HistoryExpiredError} */
  async get(ref: TableRef, key: string, asOf?: string): Promise<ItemDto> {
    const read = async (table: CatalogTable): Promise<ItemDto> => {
      const row = await this.rows.find(table, toRowKey(key));
      if (!row) throw new NotFoundError('The row', undefined, 'Check the key.');
      return { table: toTableSummary(table), ...row };
    };
    return this.catalog.readRows(await this.catalog.asOf(ref, asOf), read);
  }

  /** The rows above a row, from the top. @throws {NotFoundError | InvalidQueryError | HistoryExpiredError} */
  async getPath(ref: TableRef, key: string, asOf?: string): Promise<ItemPathDto> {
    const read = async (table: CatalogTable): Promise<ItemPathDto> => {
      const steps = await this.rows.listPath(table, getParentColumn(table, 'key'), toRowKey(key));
      if (steps.length === 0) throw new NotFoundError('The row', undefined, 'Check the key.');
      const nearest = steps.slice(0, MAX_LEVELS).map(({ key, title }) => ({ key, title }));
      const truncated = steps.length > MAX_LEVELS;
      const parent = truncated ? null : steps.at(-1)!.parent;
      // A policy may hide the rows above: they exist, so the parent is not unresolved.
      const isHidden = parent !== null && (await this.rows.findExisting(withAllRows(table), [parent])).size > 0;
      const unresolvedParent = isHidden ? null : parent;
      return { table: toTableSummary(table), path: nearest.reverse(), unresolvedParent, truncated };
    };
    return this.catalog.read(await this.catalog.asOf(ref, asOf), read);
  }
}
