import type { CatalogTable } from '../catalog/catalog.repository.js';
import { getNativeType, getSqlType } from '../catalog/column-types.js';
import { encodeArray } from '../catalog/pg-array.js';
import { rowsByKeys } from '../catalog/row-sql.js';
import type { MergeRelation, Relation, RelationColumn } from './relation.js';
import type { ColumnValues, RowBatch } from './row-reader.js';

/**
 * The rows of a table that probably has most of them, sorted by their keys.
 *
 * @param first number of the first parameter.
 */
export function toMergeRelation(
  table: CatalogTable,
  { keys, columns }: Pick<RowBatch, 'keys' | 'columns'>,
  first = 1,
): MergeRelation {
  return {
    ...toRelation(keys, columns, first),
    rows: keys.length,
    existing: rowsByKeys(table, `$${first}`),
    isAllNew: false,
    isMostlyNew: false,
    isUnsorted: false,
  };
}

export function sliceColumns(columns: readonly ColumnValues[], from: number, to: number): ColumnValues[] {
  return columns.map((column) => ({ ...column, values: column.values.slice(from, to) }));
}

/**
 * Arrays as a relation: `key`, a value per column, and for a column that not every row sent a flag whether the row did.
 */
function toRelation(keys: readonly string[], columns: readonly ColumnValues[], first: number): Relation {
  const parameters: Buffer[] = [];
  const selected: string[] = [];
  // In the SELECT list, unnest functions of the same length advance together; in FROM, each result would be stored
  // first.
  const add = (array: Buffer, type: string, name: string) => {
    selected.push(`unnest($${first + parameters.push(array) - 1}::${type}) AS ${name}`);
    return `s.${name}`;
  };
  add(encodeArray('text', keys), 'text[]', 'key');
  const relationColumns = columns.map(({ column, values, complete }, position): RelationColumn => {
    const type = getNativeType(column.type);
    const value = add(encodeArray(type, values), `${getSqlType(type)}[]`, `v${position}`);
    if (complete) return { column, value };
    const isSent = values.map((sent) => sent !== undefined);
    return { column, value, sent: add(encodeArray('boolean', isSent), 'boolean[]', `m${position}`) };
  });
  return { from: `(SELECT ${selected.join(', ')}) s`, parameters, columns: relationColumns };
}
