import { quoteLiteral } from '../../../sql/src/sql-literal.js';
import type { CatalogTable } from './catalog-table.js';
import { type Constraint, TODAY } from './column-constraints.js';
import type { CatalogColumn } from './column-plan.js';
import { getNativeType } from './column-types.js';
import { compileMissing, type KeySpace } from './key-space.js';
import { physicalColumnName, physicalKeyName, physicalTableName, sortExpression } from './physical-table.js';

/** Where the rows are, and the rows that references may name. */
export interface CheckedTable {
  table: CatalogTable;
  /** Where the columns with `mustExist` look for keys. */
  targets: ReadonlyMap<CatalogColumn, KeySpace>;
}

/**
 * SQL condition: does the row `r` violate the constraint? An empty value violates none; the empty text is one.
 *
 * @param isChecked SQL condition on the row `r`: does the statement check it?
 */
export function violatesConstraint(
  { column, rule, others = [] }: Constraint,
  { table, targets }: CheckedTable,
  isChecked: string,
): string {
  const name = physicalColumnName(column);
  const value = `r.${name}`;
  const { options } = column;
  switch (rule) {
    case 'minimum':
      return `${value} < ${numberLiteral(options.minimum!)}`;
    case 'maximum':
      return `${value} > ${numberLiteral(options.maximum!)}`;
    case 'minLength':
      return `(${value} <> '' AND char_length(${value}) < ${options.minLength!})`;
    case 'maxLength':
      return `char_length(${value}) > ${options.maxLength!}`;
    case 'pattern':
      return `(${value} <> '' AND ${value} !~ ${quoteLiteral(options.pattern!)})`;
    case 'earliest':
      return `left(${value}, 10) < ${dayLiteral(options.earliest!)}`;
    case 'latest':
      return `left(${value}, 10) > ${dayLiteral(options.latest!)}`;
    case 'unique': {
      const rows = physicalTableName(table);
      // An index contains only the first characters of a text: they choose the rows whose values are counted.
      const checked = `SELECT ${sortExpression(column, 'r.')} FROM ${rows} r WHERE ${isChecked}`;
      const listed = (alias: string) =>
        [column, ...others].map((each) => `${alias}.${physicalColumnName(each)}`).join(', ');
      const texts = [column, ...others].filter(({ type }) => getNativeType(type) === 'text');
      const isFilled = texts.map((each) => `r.${physicalColumnName(each)} <> '' AND `).join('');
      return `(${isFilled}(${listed('r')}) IN (SELECT ${listed('o')} FROM ${rows} o WHERE ${sortExpression(column, 'o.')} IN (${checked})
                            GROUP BY ${listed('o')} HAVING count(*) > 1))`;
    }
    case 'mustExist':
      return `(${value} IS NOT NULL AND ${compileMissing(targets.get(column)!, value)})`;
  }
}

/** SQL: with `unique`, the key of another row that has the value of the row `r`. */
export function otherKey({ column, rule, others = [] }: Constraint, table: CatalogTable): string {
  if (rule !== 'unique') return 'NULL::text';
  const key = physicalKeyName(table);
  const isEqual = [column, ...others].map(physicalColumnName).map((name) => `o.${name} = r.${name}`);
  return `(SELECT min(o.${key}) FROM ${physicalTableName(table)} o
            WHERE ${sortExpression(column, 'o.')} = ${sortExpression(column, 'r.')} AND ${isEqual.join(' AND ')} AND o.${key} <> r.${key})`;
}

function numberLiteral(value: number): string {
  return `${quoteLiteral(String(value))}::double precision`;
}

function dayLiteral(day: string): string {
  return day === TODAY ? `to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD') COLLATE "C"` : quoteLiteral(day);
}
