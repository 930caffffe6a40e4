import { Injectable } from '@nestjs/common';
import { CatalogRepository, type CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { isReference } from '../catalog/column-types.js';
import type { StoredValue } from '../catalog/stored-value.js';
import { InvalidQueryError } from '../workspace-tables.errors.js';
import { findReferenceTargets } from '../catalog/reference-targets.js';
import { RowLookupRepository } from './row-lookup.repository.js';

/** What a link leads to: the row's table, and what people call the row. */
export interface RowTitle {
  tableId: string;
  table: string;
  title: string;
}

/** What links lead to, by column and key. Keys whose row is not there are missing. */
export type RowTitles = Record<string, Record<string, RowTitle>>;

/** Tells what the rows are called that links name. */
@Injectable()
export class RowTitlesService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly rows: RowLookupRepository,
  ) {}

  /** One statement a column and target. @throws {InvalidQueryError} where a column has no links. */
  async of(
    table: CatalogTable,
    columns: readonly CatalogColumn[],
    items: readonly Record<string, StoredValue>[],
  ): Promise<RowTitles> {
    const wrong = columns.find(({ type }) => !isReference(type));
    if (wrong)
      throw new InvalidQueryError('expand', 'invalid_value', `"${wrong.key}" is a ${wrong.type}, and no link.`);
    const tables = await this.catalog.listAll(table.workspaceId);
    const titles: RowTitles = {};
    for (const column of columns) {
      const keys = new Set(items.map((item) => item[column.key]).filter((key) => typeof key === 'string'));
      const found: Record<string, RowTitle> = {};
      for (const target of keys.size > 0 ? findReferenceTargets(table, column, tables) : [])
        for (const { key, name } of await this.rows.findAll(target, [...keys]))
          found[key] ??= { tableId: target.id, table: target.name, title: name };
      titles[column.key] = found;
    }
    return titles;
  }
}
