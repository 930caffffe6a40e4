import { NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { coerceKey } from '../../../../packages/tabular/src/coercions.js';
import { getPrimaryKey } from '../../../../packages/tables/src/catalog/physical-table.js';
import { InvalidValue } from '../../../../packages/tabular/src/stored-value.js';
import {
  createEmptyKeyError,
  createInvalidValueError,
  type RowErrorContent,
} from '../../../../packages/tables/src/sources/row-errors.js';
import { InvalidTablesError } from '../../../../packages/tables/src/catalog/tables.errors.js';

/** The key of an existing row, as it is stored. @throws {NotFoundError} if it is not a valid key: no row has it. */
export function toRowKey(sent: string): string {
  const key = coerceKey(sent);
  if (typeof key === 'string') return key;
  throw new NotFoundError('The row', undefined, 'Check the key.');
}

/**
 * A new key of a row, as it is stored.
 *
 * @param currentKey of the row, if it exists.
 * @throws {InvalidTablesError} by the rules of bulk.
 */
export function toNewKey(table: CatalogTable, sent: string, currentKey = sent): string {
  const key = coerceKey(sent);
  if (typeof key === 'string') return key;
  const column = getPrimaryKey(table.columns).key;
  const error = key instanceof InvalidValue ? createInvalidValueError(column, key) : createEmptyKeyError(column);
  throw createInvalidKeyError(table, currentKey, error);
}

export function createInvalidKeyError(table: CatalogTable, key: string, error: RowErrorContent): InvalidTablesError {
  return new InvalidTablesError('invalid_key', 'The row cannot have this key; nothing was changed.', [
    { field: 'key', type: table.entity, table: table.name, key, ...error },
  ]);
}
