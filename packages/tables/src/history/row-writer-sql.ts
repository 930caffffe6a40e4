import type { CatalogTable } from '../catalog/catalog-table.js';
import {
  formerRowsName,
  physicalColumnName,
  physicalColumnNames,
  physicalKeyName,
  physicalTableName,
} from '../catalog/physical-table.js';
import { mergedValue, type Relation } from '../catalog/relation.js';

/** The revision that rows receive, and its time as SQL. */
export interface RowStamp {
  revision: number;
  time: string;
}

/** Inserts rows that the table does not have. */
export function insertRows(table: CatalogTable, relation: Relation, { revision, time }: RowStamp): string {
  const { from, columns, createdAt = time, isUnsorted } = relation;
  const names = [physicalKeyName(table), ...columns.map(({ column }) => physicalColumnName(column))];
  const values = ['s.key', ...columns.map(({ value }) => value), `${revision}::bigint`, createdAt, time];
  return `INSERT INTO ${physicalTableName(table)} (${names.join(', ')}, _revision, _created_at, _updated_at)
          SELECT ${values.join(', ')} FROM ${from} ${isUnsorted ? 'ORDER BY s.key' : ''}`;
}

/** Updates rows that the table has. */
export function updateRows(table: CatalogTable, relation: Relation, { revision, time }: RowStamp): string {
  const { from, columns, createdAt, keys, keysInMemory } = relation;
  const key = `t.${physicalKeyName(table)}`;
  const values = [
    ...columns.map((column) => `${physicalColumnName(column.column)} = ${mergedValue(column, 't')}`),
    `_revision = ${revision}::bigint`,
    ...(createdAt ? [`_created_at = ${createdAt}`] : []),
    `_updated_at = ${time}`,
  ];
  // For some thousand keys the planner would read the whole table: by the condition it walks along the index.
  const isSelected = keysInMemory ? `AND ${key} ${keys.isSelected}` : '';
  return `UPDATE ${physicalTableName(table)} t SET ${values.join(', ')} FROM ${from} WHERE ${key} = s.key ${isSelected}`;
}

/**
 * Stores rows as they are as former rows, without those that the same revision has written: no moment has them.
 *
 * @param isSelected SQL: a condition on the key.
 * @param renamedTo SQL: the key that the row receives.
 */
export function storeFormerRows(
  table: CatalogTable,
  revision: number,
  isSelected: string,
  renamedTo = 'NULL::text',
): string {
  const names = physicalColumnNames(table).join(', ');
  return `INSERT INTO ${formerRowsName(table)} (_ended_revision, _renamed_to, ${names})
          SELECT ${revision}::bigint, ${renamedTo}, ${names} FROM ${physicalTableName(table)} t
           WHERE t.${physicalKeyName(table)} ${isSelected} AND t._revision < ${revision}`;
}
