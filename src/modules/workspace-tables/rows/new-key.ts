import type { CatalogTable } from '../catalog/catalog.repository.js';
import { coerceKey } from '../catalog/column-types.js';
import { getPrimaryKey } from '../catalog/physical-table.js';
import { InvalidValue } from '../catalog/stored-value.js';
import { InvalidTablesError } from '../workspace-tables.errors.js';

/**
 * The key that a row is to have, as it is stored, by the rules of bulk.
 *
 * @param of the row that is to have it. @throws {InvalidTablesError}
 */
export function newKey(table: CatalogTable, sent: string, of = sent): string {
  const key = coerceKey(sent);
  if (typeof key === 'string') return key;
  const column = getPrimaryKey(table.columns).key;
  if (key instanceof InvalidValue) throw invalidKey(table, of, column, 'type_mismatch', key.message);
  throw invalidKey(table, of, column, 'required_key', `"${column}" is the primary key and cannot be empty.`);
}

export function invalidKey(table: CatalogTable, key: string, column: string, code: string, message: string) {
  return new InvalidTablesError('invalid_key', 'The row cannot have this key; nothing was changed.', [
    { field: 'key', type: table.entity, table: table.name, key, column, code, message },
  ]);
}
