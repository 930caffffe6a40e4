import { Injectable } from '@nestjs/common';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import { isReference } from '../../../../packages/tables/src/catalog/column-types.js';
import { listTargets } from '../../../../packages/tables/src/catalog/reference-targets.js';
import { type FoundRow, RowsRepository } from '../../../../packages/tables/src/catalog/rows.repository.js';
import type { StoredValue } from '../../../../packages/tabular/src/stored-value.js';
import { InvalidQueryError } from '../../../../packages/tables/src/catalog/query.errors.js';
import type { RowTitleDto } from './dto/query-rows.dto.js';

/** Titles by column and key. Unresolved references, and rows that a policy hides, are missing. */
export type RowTitles = Record<string, Record<string, RowTitleDto>>;

/** Finds the titles of referenced rows, for `expand`. */
@Injectable()
export class RowTitlesService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly rows: RowsRepository,
  ) {}

  /**
   * Runs a few statements per column.
   *
   * @param table as the caller may read it.
   * @param values of the columns, by column key.
   * @throws {InvalidQueryError} if a column is not a reference column.
   */
  async getTitles(
    table: CatalogTable,
    columns: readonly CatalogColumn[],
    values: ReadonlyMap<string, readonly StoredValue[]>,
  ): Promise<RowTitles> {
    const invalid = columns.find(({ type }) => !isReference(type));
    if (invalid) {
      const message = `"${invalid.key}" is a ${invalid.type} column, not a reference column.`;
      throw new InvalidQueryError('expand', 'invalid_value', message);
    }
    const titles: RowTitles = {};
    for (const column of columns) {
      const keys = new Set(values.get(column.key)!.filter((key) => typeof key === 'string'));
      const found = new Map<string, RowTitleDto>();
      for (const { table: target, key, title } of keys.size > 0 ? await this.listRows(table, column, [...keys]) : [])
        if (!found.has(key)) found.set(key, { tableId: target.id, table: target.name, title });
      titles[column.key] = Object.fromEntries(found);
    }
    return titles;
  }

  private async listRows(table: CatalogTable, column: CatalogColumn, keys: readonly string[]): Promise<FoundRow[]> {
    return this.rows.listByKeys(await listTargets(this.catalog, table.view, table, column), keys);
  }
}
