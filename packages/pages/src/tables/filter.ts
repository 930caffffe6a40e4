import type { Column, ColumnType, Filter, Value } from '@atrium/client';
import { toCondition } from '../../../tabular/src/written-condition.js';
import type { Condition } from './routes.js';

interface Operator {
  name: string;
  label: string;
  /** Only for columns with texts. */
  isTextual?: boolean;
  hasValue: boolean;
}

/** The operators of docs/reference/filters.md. The last two are `null` with its values. */
const OPERATORS: readonly Operator[] = [
  { name: 'eq', label: 'is', hasValue: true },
  { name: 'ne', label: 'is not', hasValue: true },
  { name: 'contains', label: 'contains', hasValue: true, isTextual: true },
  { name: 'startsWith', label: 'starts with', hasValue: true, isTextual: true },
  { name: 'endsWith', label: 'ends with', hasValue: true, isTextual: true },
  { name: 'lt', label: 'is less than', hasValue: true },
  { name: 'lte', label: 'is at most', hasValue: true },
  { name: 'gt', label: 'is greater than', hasValue: true },
  { name: 'gte', label: 'is at least', hasValue: true },
  { name: 'between', label: 'is between (a,b)', hasValue: true },
  { name: 'in', label: 'is one of (a,b,c)', hasValue: true },
  { name: 'notIn', label: 'is none of (a,b,c)', hasValue: true },
  { name: 'empty', label: 'is empty', hasValue: false },
  { name: 'notEmpty', label: 'is not empty', hasValue: false },
];

const NOT_TEXTUAL: readonly ColumnType[] = ['number', 'checkbox'];
const COMBINATIONS = ['and', 'or', 'not'];

/** The columns whose values name rows. */
export const REFERENCE_TYPES: readonly ColumnType[] = ['reference', 'hierarchyParent'];

/** The operators that suit a column. */
export function listOperators(type: ColumnType): Operator[] {
  return OPERATORS.filter(({ isTextual }) => !isTextual || !NOT_TEXTUAL.includes(type));
}

export function findOperator(name: string): Operator | undefined {
  return OPERATORS.find((operator) => operator.name === name);
}

/** @param further a condition that the form does not have */
export function toFilter(conditions: readonly Condition[], further?: Filter): Filter {
  const parts = [...conditions.map(toTerm), ...(further ? [further] : [])];
  return parts.length === 0 ? {} : { and: parts };
}

/** Rows without a parent, and those whose parent does not exist: both have no value behind the reference. */
export function toRootFilter(parent: string, primaryKey: string): Filter {
  return { not: { or: [{ [`${parent}.${primaryKey}`]: { null: false } }] } };
}

function toTerm([column, name, value]: Condition): Filter {
  if (name === 'empty' || name === 'notEmpty') return { [toName(column)]: { null: name === 'empty' } };
  return { [toName(column)]: toCondition(name, value) };
}

/** The name of a column in a filter, in which the lower-case words combine conditions. */
export function toName(column: string): string {
  return COMBINATIONS.includes(column) ? column.toUpperCase() : column;
}

export function findPrimaryKey(columns: readonly Column[]): string {
  return columns.find(({ primaryKey }) => primaryKey)?.key ?? '';
}

/** A former or new value. The empty text differs from no value. */
export function formatChange(value: Value): string {
  return value === '' ? '""' : formatValue(value);
}

/** A value as a text of the page. */
export function formatValue(value: Value | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
