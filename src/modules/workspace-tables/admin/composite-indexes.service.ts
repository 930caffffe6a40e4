import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import { type AcceptedVersions, requireVersion } from '../../../platform/http/conditional-requests.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { CatalogWrites } from '../../../../packages/tables/src/catalog/catalog-writes.repository.js';
import {
  MAX_COMPOSITE_COLUMNS,
  MAX_COMPOSITE_INDEXES,
  MIN_COMPOSITE_COLUMNS,
} from '../../../../packages/tables/src/catalog/column-indexes.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import { TableLocks } from '../catalog/table-locks.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { InvalidTablesError, type TableError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { ColumnIndexesRepository } from './column-indexes.repository.js';
import { DescribeTablesService } from './describe-tables.service.js';
import { TableDto } from './dto/tables.dto.js';

type IndexError = Required<Pick<TableError, 'code' | 'message'>> & Pick<TableError, 'column'>;

/**
 * Requests and withdraws composite indexes. They change neither the revision of the table nor the rules for its rows.
 */
@Injectable()
export class CompositeIndexesService {
  constructor(
    private readonly locks: TableLocks,
    private readonly writes: CatalogWrites,
    private readonly indexes: ColumnIndexesRepository,
    private readonly tables: DescribeTablesService,
  ) {}

  /**
   * Requests an index that is built in the background. An existing index remains unchanged; if its build failed, it is
   * retried.
   *
   * @param keys the keys of its columns, separated by commas.
   * @throws {NotFoundError | PreconditionFailedError | InvalidTablesError | UnavailableError}
   */
  create(ref: TableRef, keys: string, accepted: AcceptedVersions): Promise<{ table: TableDto; created: boolean }> {
    return this.locks.withLocks(ref, { referring: false }, async ({ table }) => {
      requireVersion({ version: table.revision }, accepted);
      const columns = parseColumns(table, keys);
      const requested = await this.indexes.listComposite(table);
      const created = !requested.some((ordinals) => isSame(ordinals, columns));
      if (created && requested.length >= MAX_COMPOSITE_INDEXES) {
        const message = `A table has at most ${MAX_COMPOSITE_INDEXES} composite indexes. Drop one first.`;
        throw createInvalidIndexError(table, [{ code: 'too_many_indexes', message }]);
      }
      await this.writes.requestIndex(table, columns);
      return { table: await this.tables.describe(table), created };
    });
  }

  /**
   * Withdraws an index: queries stop using it at once, and it is dropped in the background.
   *
   * @param keys the keys of its columns, separated by commas.
   * @throws {NotFoundError | PreconditionFailedError | UnavailableError}
   */
  drop(ref: TableRef, keys: string, accepted: AcceptedVersions): Promise<TableDto> {
    return this.locks.withLocks(ref, { referring: false }, async ({ table }) => {
      const columns = splitKeys(keys).flatMap((key) => table.columns.find((column) => column.key === key) ?? []);
      const isComposite = columns.length > 1 && columns.length === splitKeys(keys).length;
      const requested = isComposite ? await this.indexes.listComposite(table) : [];
      if (!requested.some((ordinals) => isSame(ordinals, columns)))
        throw new NotFoundError('The index', undefined, 'Check the columns.');
      requireVersion({ version: table.revision }, accepted);
      await this.indexes.withdraw(table, columns);
      await this.writes.changeDefinition(table);
      return this.tables.describe(table);
    });
  }
}

function splitKeys(keys: string): string[] {
  return keys.split(',').map((key) => key.trim().toLowerCase());
}

function isSame(ordinals: readonly number[], columns: readonly CatalogColumn[]): boolean {
  return ordinals.length === columns.length && columns.every(({ ordinal }, at) => ordinal === ordinals[at]);
}

/** @throws {InvalidTablesError} */
function parseColumns(table: CatalogTable, sent: string): CatalogColumn[] {
  const keys = splitKeys(sent);
  if (keys.length < MIN_COMPOSITE_COLUMNS || keys.length > MAX_COMPOSITE_COLUMNS) {
    const message =
      `A composite index has ${MIN_COMPOSITE_COLUMNS} to ${MAX_COMPOSITE_COLUMNS} columns; this has ${keys.length}. ` +
      'For a single column set its option "indexed".';
    throw createInvalidIndexError(table, [{ code: 'invalid_index', message }]);
  }
  const columns: CatalogColumn[] = [];
  const errors: IndexError[] = [];
  for (const key of keys) {
    const column = table.columns.find((each) => each.key === key);
    const error = findError(key, column, columns);
    if (error) errors.push({ column: key.slice(0, 80), ...error });
    else columns.push(column!);
  }
  if (errors.length > 0) throw createInvalidIndexError(table, errors);
  return columns;
}

function findError(
  key: string,
  column: CatalogColumn | undefined,
  before: readonly CatalogColumn[],
): Omit<IndexError, 'column'> | undefined {
  if (!column) return { code: 'unknown_column', message: `The table has no column "${key.slice(0, 80)}".` };
  if (column.primaryKey) {
    const message = `"${key}" is the primary key, which is the last column of every index. Omit it.`;
    return { code: 'invalid_index', message };
  }
  if (!before.includes(column)) return undefined;
  return { code: 'invalid_index', message: `The index contains the column "${key}" twice. Send it once.` };
}

function createInvalidIndexError({ entity, name }: CatalogTable, errors: readonly IndexError[]): InvalidTablesError {
  const tableErrors = errors.map((error) => ({ type: entity, table: name, field: 'columns', ...error }));
  return new InvalidTablesError('invalid_index', 'The index is invalid. Nothing was changed.', tableErrors);
}
