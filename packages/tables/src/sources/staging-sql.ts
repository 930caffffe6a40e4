import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getNativeType, getSqlType } from '../catalog/column-types.js';
import { physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import type { TemporaryTables } from '../catalog/temporary-tables.js';
import type { Relation, RelationColumn } from '../catalog/relation.js';

/** How many rows a replacement may delete. */
export interface DeletionLimit {
  value: number;
  /** Is the value a percentage of the rows in the scope? */
  isPercentage: boolean;
}

/** SQL: the keys of the rows of a table that a replacement may delete, as `key`. These rows are its scope. */
export type SelectScope = (table: CatalogTable) => string;

/** A merge that deletes the rows which its source lacks. */
export interface Replacement {
  /** Absent: all rows of the table. */
  selectScope?: SelectScope;
  limit: DeletionLimit;
  /** Rows with a higher revision were written after the merge began, and are not deleted. */
  revision: number;
}

export function stagingName(staging: TemporaryTables): string {
  return staging.name('import_rows');
}

/** The rows that were not rejected, as a FROM item. @param condition SQL: on the row `r`. */
export function validRows(staging: TemporaryTables, condition = 'true'): string {
  return `(SELECT * FROM ${stagingName(staging)} r WHERE NOT r.rejected AND ${condition}) s`;
}

/** The valid rows as a relation. @param selected SQL: the keys of those to select. */
export function toStagedRelation(
  staging: TemporaryTables,
  { columns, rows, isUnsorted }: Pick<Relation, 'columns' | 'rows' | 'isUnsorted'>,
  selected?: string,
): Relation {
  const from = validRows(staging, selected && `r.key IN (${selected})`);
  const keys = { isSelected: `IN (${selected ?? `SELECT s.key FROM ${from}`})`, parameters: [] };
  return { from, columns, rows, isUnsorted, keys, parameters: [] };
}

/** In front of the values: position, line, state, a bit per column that the row sent (null: all), and the key. */
const OWN_COLUMNS = 'row_index integer, line integer, rejected boolean, sent bytea, key text COLLATE "C"';

export function createStaging(staging: TemporaryTables, columns: readonly CatalogColumn[]): string {
  const values = columns.map((column) => {
    const type = getNativeType(column.type);
    return `, ${stagedName(column)} ${getSqlType(type)}${type === 'text' ? ' COLLATE "C"' : ''}`;
  });
  return staging.create('import_rows', `${OWN_COLUMNS}${values.join('')}`);
}

/** @param position bit of the column in `sent`; undefined if every row sent it. */
export function toStagedColumn(column: CatalogColumn, position: number | undefined): RelationColumn {
  const value = `s.${stagedName(column)}`;
  if (position === undefined) return { column, value };
  return { column, value, sent: `(s.sent IS NULL OR get_bit(s.sent, ${position}) = 1)` };
}

function stagedName({ ordinal }: CatalogColumn): string {
  return `v${ordinal}`;
}

/**
 * Condition: the table does not have the row, and the row does not send the column.
 *
 * @param table undefined if it is new.
 * @param staged undefined if no row sends it.
 */
export function isNewWithout(table: CatalogTable | undefined, staged: RelationColumn | undefined): string {
  const isWithout = staged ? `NOT ${staged.sent}` : 'true';
  if (!table) return isWithout;
  return `${isWithout} AND NOT EXISTS (
            SELECT 1 FROM ${physicalTableName(table)} t WHERE t.${physicalKeyName(table)} = s.key)`;
}

/** The valid rows that meet the condition. @param detail SQL: what the message contains besides the position. */
export function findValid(staging: TemporaryTables, condition: string, detail: string): string {
  return `SELECT s.row_index, s.line, s.key, to_json(${detail}) AS detail FROM ${stagingName(staging)} s WHERE NOT s.rejected AND ${condition}`;
}

export function rejectValid(staging: TemporaryTables, condition: string): string {
  return `UPDATE ${stagingName(staging)} s SET rejected = true WHERE NOT s.rejected AND ${condition}`;
}

/** Rows of the table that a replacement deletes, because the file lacks them. */
export function missingName(staging: TemporaryTables): string {
  return staging.name('import_missing');
}

/** The keys of valid rows that are not in the scope after the merge. */
export function listOutside(staging: TemporaryTables, scope: string): string {
  return `SELECT s.key FROM ${validRows(staging)} WHERE NOT EXISTS (SELECT 1 FROM (${scope}) scope WHERE scope.key = s.key)`;
}
