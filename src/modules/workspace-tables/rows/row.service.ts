import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../../platform/http/domain-error.js';
import { CatalogRepository } from '../catalog/catalog.repository.js';
import { coerceKey } from '../catalog/column-types.js';
import { toTableSummary } from '../catalog/dto/table.dto.js';
import { getParentColumn } from '../catalog/subtree.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import type { ItemDto, ItemPathDto } from './dto/row.dto.js';
import { RowRepository, MAX_LEVELS } from './row.repository.js';

/** Single rows, where they stand, and what changed since. */
@Injectable()
export class RowService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly items: RowRepository,
  ) {}

  /** @throws {NotFoundError} */
  get(path: TableRef, sentKey: string): Promise<ItemDto> {
    return this.catalog.read(path, async (table) => {
      const found = await this.items.find(table, keyOf(sentKey));
      if (!found) throw new NotFoundError('The row');
      return { table: toTableSummary(table), ...found };
    });
  }

  /** @throws {NotFoundError | InvalidQueryError} */
  path(path: TableRef, sentKey: string): Promise<ItemPathDto> {
    return this.catalog.read(path, async (table) => {
      const steps = await this.items.path(table, getParentColumn(table, 'key'), keyOf(sentKey));
      if (steps.length === 0) throw new NotFoundError('The row');
      const shown = steps.slice(0, MAX_LEVELS).map(({ key, title }) => ({ key, title }));
      const truncated = steps.length > MAX_LEVELS;
      const unresolvedParent = truncated ? null : steps.at(-1)!.parent;
      return { table: toTableSummary(table), path: shown.reverse(), unresolvedParent, truncated };
    });
  }
}

/** The key as it is stored; what cannot be a key is no row's. @throws {NotFoundError} */
export function keyOf(sent: string): string {
  const key = coerceKey(sent);
  if (typeof key === 'string') return key;
  throw new NotFoundError('The row');
}
