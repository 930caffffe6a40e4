import { getNativeType, getSqlType } from '../catalog/column-types.js';
import { encodeArray } from '../catalog/pg-array.js';
import type { Relation, RelationColumn } from '../catalog/relation.js';
import type { ColumnValues, RowBatch } from './row-reader.js';

/**
 * Arrays as a relation: `key`, a value per column, and for a column that not every row sent a flag whether the row did.
 * The first parameter has the keys.
 */
export function toRelation({ keys, columns }: Pick<RowBatch, 'keys' | 'columns'>): Relation {
  const parameters: Buffer[] = [];
  const selected: string[] = [];
  // In the SELECT list, unnest functions of the same length advance together; in FROM, each result would be stored
  // first.
  const add = (array: Buffer, type: string, name: string) => {
    selected.push(`unnest($${parameters.push(array)}::${type}) AS ${name}`);
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
  return {
    from: `(SELECT ${selected.join(', ')}) s`,
    parameters,
    columns: relationColumns,
    rows: keys.length,
    keys: { isSelected: '= ANY ($1::text[])', parameters: parameters.slice(0, 1) },
    keysInMemory: keys,
  };
}

export function sliceColumns(columns: readonly ColumnValues[], from: number, to: number): ColumnValues[] {
  return columns.map((column) => ({ ...column, values: column.values.slice(from, to) }));
}
