import { toLikePattern } from '../../../platform/database/sql-literal.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { coerceKey, getCoercion } from '../catalog/column-types.js';
import { formatValue, InvalidValue, type StoredValue } from '../catalog/stored-value.js';
import { physicalColumnName } from '../catalog/physical-table.js';
import { nativeType, sqlType } from '../catalog/column-types.js';
import { InvalidQueryError } from '../workspace-tables.errors.js';
import type { Bindings } from './bindings.js';
import { getColumn } from '../catalog/column-finder.js';
import { sortedBy } from './row-order.js';
import { isLongText, SORTED_CHARACTERS } from '../catalog/column-indexes.js';

export const FILTER_OPERATORS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'contains', 'null'] as const;
type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** Conditions of one query, and values of one `in`. */
export const MAX_FILTERS = 50;
export const MAX_FILTER_VALUES = 1_000;

/** A condition on one column. Of several, all must hold. */
export interface RowFilter {
  column: CatalogColumn;
  operator: FilterOperator;
  /** Coerced by the rule of the column. Null stands for an empty value. */
  value: StoredValue | StoredValue[];
}

/**
 * Reads `filter[column][operator]=value`, or the same as an object; `filter[column]=value` is short for `eq`. Values are
 * taken as rows' values are: `X` is a true checkbox, `20260131` a date.
 *
 * @throws {InvalidQueryError}
 */
export function parseFilters(columns: readonly CatalogColumn[], filter: object | undefined): RowFilter[] {
  const filters = Object.entries(filter ?? {}).flatMap(([name, conditions]) => {
    const column = getColumn(columns, `filter[${name.slice(0, 80)}]`, name);
    return Object.entries(operatorsOf(conditions)).map(([operator, value]) =>
      filterOf(column, operator, value, `filter[${column.key}][${operator.slice(0, 80)}]`),
    );
  });
  if (filters.length <= MAX_FILTERS) return filters;
  const message = `A query has at most ${MAX_FILTERS} conditions; this has ${filters.length}.`;
  throw new InvalidQueryError('filter', 'too_many_filters', message);
}

/** Swagger UI writes what is nested in JSON. */
function operatorsOf(conditions: unknown): object {
  if (typeof conditions === 'object' && conditions !== null && !Array.isArray(conditions)) return conditions;
  if (typeof conditions === 'string' && conditions.startsWith('{')) {
    try {
      return JSON.parse(conditions) as object;
    } catch {
      // A text that begins so.
    }
  }
  return { eq: conditions };
}

function filterOf(column: CatalogColumn, operator: string, sent: unknown, field: string): RowFilter {
  if (!isOperator(operator)) {
    const message = `"${operator.slice(0, 80)}" is no operator; there are ${FILTER_OPERATORS.join(', ')}.`;
    throw new InvalidQueryError(field, 'unknown_operator', message);
  }
  return { column, operator, value: valueOf(column, operator, sent, field) };
}

function isOperator(name: string): name is FilterOperator {
  return (FILTER_OPERATORS as readonly string[]).includes(name);
}

function valueOf(column: CatalogColumn, operator: FilterOperator, sent: unknown, field: string): RowFilter['value'] {
  const refuse = (message: string) => new InvalidQueryError(field, 'invalid_value', message);
  if (operator === 'null') {
    if (sent === true || sent === 'true') return true;
    if (sent === false || sent === 'false') return false;
    throw refuse('null takes true, for rows without a value, or false.');
  }
  if (operator === 'in') return valuesOf(column, sent, field);
  if (operator === 'contains') {
    if (nativeType(column.type) !== 'text') throw refuse(`contains is for texts; "${column.key}" is a ${column.type}.`);
    if (typeof sent !== 'string' || sent === '') throw refuse('contains takes a text.');
    return coerced('text', sent, refuse);
  }
  const value = coerced(column, sent, refuse);
  if (value === null && operator !== 'eq' && operator !== 'ne') throw refuse(`${operator} takes a value.`);
  return value;
}

/** A list, or values separated by commas, between which may be nothing. Null, which a body can say, is an empty value. */
function valuesOf(column: CatalogColumn, sent: unknown, field: string): StoredValue[] {
  const refuse = (message: string) => new InvalidQueryError(field, 'invalid_value', message);
  const list = Array.isArray(sent) ? (sent as unknown[]) : typeof sent === 'string' ? sent.split(',') : [sent];
  if (list.length > MAX_FILTER_VALUES)
    throw refuse(`in takes at most ${MAX_FILTER_VALUES} values; there are ${list.length}.`);
  return list.flatMap((each) => {
    const value = coerced(column, each, refuse);
    return value === null && each !== null ? [] : [value];
  });
}

function coerced(
  column: CatalogColumn | 'text',
  sent: unknown,
  refuse: (message: string) => InvalidQueryError,
): StoredValue {
  if (Array.isArray(sent)) throw refuse(`One value is taken, and not ${formatValue(sent)}; several go with in.`);
  // What a status may be today is no matter: rows may have what it could be yesterday.
  const coerce = column === 'text' ? getCoercion('text') : column.primaryKey ? coerceKey : getCoercion(column.type);
  const value = coerce(sent);
  if (value instanceof InvalidValue) throw refuse(value.message);
  return value;
}

const COMPARED = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

/** The conditions as SQL. */
export function filterSql(filters: readonly RowFilter[], bindings: Bindings): string[] {
  return filters.map((filter) => conditionOf(filter, bindings));
}

function conditionOf({ column, operator, value }: RowFilter, bindings: Bindings): string {
  const name = `t.${physicalColumnName(column)}`;
  const type = sqlType(nativeType(column.type));
  const bound = (each: string | number | boolean) => `${bindings.bind(each)}::${type}`;
  if (operator === 'null') return `${name} IS ${value === true ? '' : 'NOT '}NULL`;
  if (Array.isArray(value)) return anyOf(column, value, bindings);
  if (value === null) return `${name} IS ${operator === 'ne' ? 'NOT ' : ''}NULL`;
  if (operator === 'contains') return containsSql(column, String(value), bindings);
  if (operator === 'ne') return `${name} IS DISTINCT FROM ${bound(value)}`;
  const sign = COMPARED[operator as keyof typeof COMPARED];
  const exact = `${name} ${sign} ${bound(value)}`;
  if (!isLongText(column)) return exact;
  // Indexes and orders have the beginning alone: it finds the rows, and the whole value decides.
  const beginning = [...String(value)].slice(0, SORTED_CHARACTERS).join('');
  return `(${sortedBy(column)} ${sign.replace(/^[<>]$/, '$&=')} ${bound(beginning)} AND ${exact})`;
}

function anyOf(column: CatalogColumn, sent: readonly StoredValue[], bindings: Bindings): string {
  const values = sent.filter((value) => value !== null);
  if (values.length < sent.length) {
    return `(${anyOf(column, values, bindings)} OR t.${physicalColumnName(column)} IS NULL)`;
  }
  const any = (of: readonly (string | number | boolean)[]) =>
    `ANY (${bindings.bind(of)}::${sqlType(nativeType(column.type))}[])`;
  const exact = `t.${physicalColumnName(column)} = ${any(values)}`;
  if (!isLongText(column)) return exact;
  const beginnings = values.map((value) => [...String(value)].slice(0, SORTED_CHARACTERS).join(''));
  return `(${sortedBy(column)} = ${any(beginnings)} AND ${exact})`;
}

/** Without regard to case, as the database's own collation knows it: byte by byte only ASCII has cases. */
function containsSql(column: CatalogColumn, text: string, bindings: Bindings): string {
  return `t.${physicalColumnName(column)} COLLATE "default" ILIKE ${bindings.bind(toLikePattern(text))}`;
}

/** A text in any of the columns of texts. */
export function searchSql(columns: readonly CatalogColumn[], text: string, bindings: Bindings): string {
  const pattern = bindings.bind(toLikePattern(text));
  const searched = columns.filter(({ type }) => nativeType(type) === 'text' && type !== 'date');
  return `(${searched.map((column) => `t.${physicalColumnName(column)} COLLATE "default" ILIKE ${pattern}`).join(' OR ')})`;
}
