import { Injectable } from '@nestjs/common';
import type { ColumnType } from '../../../../packages/tabular/src/coercions.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import { isReference } from '../../../../packages/tables/src/catalog/column-types.js';
import { listTargets } from '../../../../packages/tables/src/catalog/reference-targets.js';
import { MAX_EXPANSIONS } from '../../../../packages/tables/src/catalog/request-limits.js';
import { RowsRepository } from '../../../../packages/tables/src/catalog/rows.repository.js';
import type { StoredValue } from '../../../../packages/tabular/src/stored-value.js';
import { InvalidQueryError } from '../../../../packages/tables/src/catalog/query.errors.js';
import type { RowTitleDto, TagTitleDto } from './dto/query-rows.dto.js';

export type { TagTitleDto };

/** Titles by column and key. Unresolved references, and rows that a policy hides, are missing. */
export type RowTitles = Record<string, Record<string, RowTitleDto | TagTitleDto>>;

/** Finds what values of a column name. Those that name nothing are missing. */
type FindTitles = (workspaceId: string, values: readonly string[]) => Promise<Map<string, RowTitleDto | TagTitleDto>>;

/** Finds the titles of referenced rows, for `expand`. */
@Injectable()
export class RowTitlesService {
  /** By the type of a column, if its values do not name rows. */
  private readonly others = new Map<ColumnType, FindTitles>();

  constructor(
    private readonly catalog: CatalogRepository,
    private readonly rows: RowsRepository,
  ) {}

  /** From now on, columns of the type can be expanded. */
  register(type: ColumnType, find: FindTitles): void {
    this.others.set(type, find);
  }

  /** @throws {InvalidQueryError} if the values of a column name nothing, or there are too many columns. */
  requireExpandable(columns: readonly CatalogColumn[]): void {
    const invalid = columns.find(({ type }) => !isReference(type) && !this.others.has(type));
    if (!invalid && columns.length <= MAX_EXPANSIONS) return;
    const message = invalid
      ? `"${invalid.key}" is a ${invalid.type} column, not a reference column.`
      : `At most ${MAX_EXPANSIONS} columns are allowed; these are ${columns.length}.`;
    throw new InvalidQueryError('expand', 'invalid_value', message);
  }

  /**
   * Runs a few statements per column.
   *
   * @param table as the caller may read it.
   * @param columns that can be expanded.
   * @param values of the columns, by column key.
   */
  async getTitles(
    table: CatalogTable,
    columns: readonly CatalogColumn[],
    values: ReadonlyMap<string, readonly StoredValue[]>,
  ): Promise<RowTitles> {
    const titles: RowTitles = {};
    for (const column of columns) {
      const keys = new Set(values.get(column.key)!.filter((key) => typeof key === 'string'));
      titles[column.key] = keys.size > 0 ? Object.fromEntries(await this.findTitles(table, column, [...keys])) : {};
    }
    return titles;
  }

  private async findTitles(table: CatalogTable, column: CatalogColumn, keys: readonly string[]) {
    const find = this.others.get(column.type);
    if (find) return find(table.workspaceId, keys);
    const found = new Map<string, RowTitleDto>();
    const targets = await listTargets(this.catalog, table.view, table, column);
    for (const { table: target, key, title } of await this.rows.listByKeys(targets, keys))
      if (!found.has(key)) found.set(key, { tableId: target.id, table: target.name, title });
    return found;
  }
}
