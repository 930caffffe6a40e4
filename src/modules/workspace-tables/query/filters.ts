import { toLikePattern } from '../../../platform/database/sql-literal.js';
import { getColumn } from '../catalog/column-finder.js';
import { isIndexed, isLongText, SORTED_CHARACTERS } from '../catalog/column-indexes.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getCoercion, coerceKey, coerceText, type Coercion } from '../../../../packages/tabular/src/coercions.js';
import { getNativeType, getSqlType } from '../catalog/column-types.js';
import { indexExpression, physicalColumnName } from '../catalog/physical-table.js';
import { formatValue, InvalidValue, type StoredValue } from '../../../../packages/tabular/src/stored-value.js';
import { InvalidQueryError } from '../query.errors.js';
import type { Bindings } from './bindings.js';

export const FILTER_OPERATORS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'contains', 'null'] as const;
type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** Maximum number of conditions per query, and of values of one `in`. */
export const MAX_FILTERS = 50;
export const MAX_FILTER_VALUES = 1_000;

/** A condition on one column. All conditions of a query must be true. */
export interface ColumnFilter {
  column: CatalogColumn;
  operator: FilterOperator;
  /** Coerced like a value of a row. Null means an empty value. */
  value: StoredValue | StoredValue[];
}

/**
 * Parses `filter[column][operator]=value`, or the same as an object; `filter[column]=value` is short for `eq`. Values
 * are coerced like values of rows: for example, `X` is a true checkbox and `20260131` a date.
 *
 * @throws {InvalidQueryError}
 */
export function parseFilters(columns: readonly CatalogColumn[], filter: object | undefined): ColumnFilter[] {
  const filters = Object.entries(filter ?? {}).flatMap(([name, conditions]) => {
    const column = getColumn(columns, `filter[${name.slice(0, 80)}]`, name);
    const operators = Object.entries(parseOperators(conditions));
    if (operators.length === 0) throw createNoConditionError(column);
    return operators.map(([operator, value]) =>
      parseFilter(column, operator, value, `filter[${column.key}][${operator.slice(0, 80)}]`),
    );
  });
  if (filters.length <= MAX_FILTERS) return filters;
  const message = `A query has at most ${MAX_FILTERS} conditions; this has ${filters.length}.`;
  throw new InvalidQueryError('filter', 'too_many_filters', message);
}

/** Without a condition the filter would not limit the rows, which is not what its sender means. */
function createNoConditionError({ key }: CatalogColumn): InvalidQueryError {
  const message = `The filter of "${key}" has no condition. Send a value, or an operator with a value, such as {"eq":"A"}.`;
  return new InvalidQueryError(`filter[${key}]`, 'invalid_value', message);
}

/** Swagger UI sends nested objects as JSON. */
function parseOperators(conditions: unknown): object {
  if (typeof conditions === 'object' && conditions !== null && !Array.isArray(conditions)) return conditions;
  if (typeof conditions === 'string' && conditions.startsWith('{')) {
    try {
      return JSON.parse(conditions) as object;
    } catch {
      // A text that starts with a brace.
    }
  }
  return { eq: conditions };
}

function parseFilter(column: CatalogColumn, operator: string, sent: unknown, field: string): ColumnFilter {
  if (!isOperator(operator)) {
    const message = `"${operator.slice(0, 80)}" is not an operator. Allowed: ${FILTER_OPERATORS.join(', ')}.`;
    throw new InvalidQueryError(field, 'unknown_operator', message);
  }
  return { column, operator, value: parseValue(column, operator, sent, field) };
}

function isOperator(name: string): name is FilterOperator {
  return (FILTER_OPERATORS as readonly string[]).includes(name);
}

function parseValue(
  column: CatalogColumn,
  operator: FilterOperator,
  sent: unknown,
  field: string,
): StoredValue | StoredValue[] {
  const invalid = (message: string) => new InvalidQueryError(field, 'invalid_value', message);
  // The choices of a tagStatus column do not apply: rows can contain former choices.
  const coerce = column.primaryKey ? coerceKey : getCoercion(column.type);
  switch (operator) {
    case 'null':
      if (sent === true || sent === 'true') return true;
      if (sent === false || sent === 'false') return false;
      throw invalid(`${field} must be "true" (no value) or "false".`);
    case 'in':
      return parseList(coerce, sent, field);
    case 'contains':
      if (getNativeType(column.type) !== 'text')
        throw invalid(`The operator "contains" is only for texts; "${column.key}" is a ${column.type} column.`);
      if (typeof sent !== 'string' || sent === '') throw invalid('The operator "contains" needs a text.');
      return coerceOne(coerceText, sent, operator, field);
    default: {
      const value = coerceOne(coerce, sent, operator, field);
      if (value === null && operator !== 'eq' && operator !== 'ne')
        throw invalid(`The operator "${operator}" needs a value.`);
      return value;
    }
  }
}

/** A list, or values separated by commas, of which empty ones are skipped. A null in the body means an empty value. */
function parseList(coerce: Coercion, sent: unknown, field: string): StoredValue[] {
  const list = Array.isArray(sent) ? (sent as unknown[]) : typeof sent === 'string' ? sent.split(',') : [sent];
  if (list.length > MAX_FILTER_VALUES) {
    const message = `The operator "in" accepts at most ${MAX_FILTER_VALUES} values; there are ${list.length}.`;
    throw new InvalidQueryError(field, 'invalid_value', message);
  }
  return list.flatMap((each) => {
    const value = coerceOne(coerce, each, 'in', field);
    return value === null && each !== null ? [] : [value];
  });
}

function coerceOne(coerce: Coercion, sent: unknown, operator: FilterOperator, field: string): StoredValue {
  if (Array.isArray(sent)) {
    const message = `The operator "${operator}" accepts one value, not ${formatValue(sent)}. Use "in" for several.`;
    throw new InvalidQueryError(field, 'invalid_value', message);
  }
  const value = coerce(sent);
  if (value instanceof InvalidValue) throw new InvalidQueryError(field, 'invalid_value', value.message);
  return value;
}

const COMPARISONS = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

/**
 * The number of characters that the index of a text column contains, if conditions should use this index. Shorter texts
 * compare by these characters as they do as a whole, so they need one condition. Two conditions would make PostgreSQL's
 * estimate of the number of rows too low by the selectivity of one of them.
 */
export type FindPrefixLength = (column: CatalogColumn) => number | undefined;

/** The characters of the column's own index. */
export const findOwnPrefixLength: FindPrefixLength = (column) =>
  isIndexed(column) && isLongText(column) ? SORTED_CHARACTERS : undefined;

/** The SQL conditions of filters, on the table alias `t`. */
export function compileFilters(
  filters: readonly ColumnFilter[],
  bindings: Bindings,
  findLength: FindPrefixLength = findOwnPrefixLength,
): string[] {
  return filters.map((filter) => compileFilter(filter, bindings, findLength(filter.column)));
}

function compileFilter({ column, operator, value }: ColumnFilter, bindings: Bindings, indexed?: number): string {
  const name = `t.${physicalColumnName(column)}`;
  const start = indexExpression(column, indexed, 't.');
  const bind = (each: string | number | boolean) => `${bindings.bind(each)}::${getSqlType(getNativeType(column.type))}`;
  if (operator === 'null') return value === true ? `${start} IS NULL` : `${name} IS NOT NULL`;
  if (Array.isArray(value)) return compileList(column, value, bindings, indexed);
  if (value === null) return operator === 'ne' ? `${name} IS NOT NULL` : `${start} IS NULL`;
  if (operator === 'contains') return compileContains(column, bindings.bind(toLikePattern(String(value))));
  if (operator === 'ne') return `${name} IS DISTINCT FROM ${bind(value)}`;
  const comparison = COMPARISONS[operator as keyof typeof COMPARISONS];
  if (indexed === undefined || isShorter(String(value), indexed)) return `${start} ${comparison} ${bind(value)}`;
  // The start of the text finds candidates; the exact condition decides.
  const candidates = `${start} ${comparison.replace(/^[<>]$/, '$&=')} ${bind(truncateText(String(value), indexed))}`;
  return `(${candidates} AND ${name} ${comparison} ${bind(value)})`;
}

function compileList(
  column: CatalogColumn,
  sent: readonly StoredValue[],
  bindings: Bindings,
  indexed?: number,
): string {
  const start = indexExpression(column, indexed, 't.');
  const values = sent.filter((value) => value !== null);
  if (values.length < sent.length) return `(${compileList(column, values, bindings, indexed)} OR ${start} IS NULL)`;
  const any = (of: readonly (string | number | boolean)[]) =>
    `ANY (${bindings.bind(of)}::${getSqlType(getNativeType(column.type))}[])`;
  if (indexed === undefined || values.every((value) => isShorter(String(value), indexed)))
    return `${start} = ${any(values)}`;
  const candidates = `${start} = ${any(values.map((value) => truncateText(String(value), indexed)))}`;
  return `(${candidates} AND t.${physicalColumnName(column)} = ${any(values)})`;
}

/** The start of a text: by default the part that `sortExpression` contains. A pair of surrogates is one character. */
export function truncateText(text: string, characters = SORTED_CHARACTERS): string {
  return [...text.slice(0, 2 * characters)].slice(0, characters).join('');
}

function isShorter(text: string, characters: number): boolean {
  return [...text.slice(0, 2 * characters)].length < characters;
}

/** Ignores letter case by the collation of the database: in byte order only ASCII letters have a case. */
function compileContains(column: CatalogColumn, pattern: string): string {
  return `t.${physicalColumnName(column)} COLLATE "default" ILIKE ${pattern}`;
}

/** The condition that any text column contains the text. */
export function compileSearch(columns: readonly CatalogColumn[], text: string, bindings: Bindings): string {
  const pattern = bindings.bind(toLikePattern(text));
  const searched = columns.filter(({ type }) => getNativeType(type) === 'text' && type !== 'date');
  return `(${searched.map((column) => compileContains(column, pattern)).join(' OR ')})`;
}
