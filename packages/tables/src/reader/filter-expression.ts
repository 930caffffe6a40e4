import type { StoredValue } from '../../../tabular/src/stored-value.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';

/** Operators of a comparison. `notIn` is the negation of `in`. */
export const COMPARISON_OPERATORS = [
  'eq',
  'ne',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'between',
  'contains',
  'startsWith',
  'endsWith',
  'eqIgnoreCase',
  'startsWithIgnoreCase',
  'endsWithIgnoreCase',
  'null',
] as const;
export type ComparisonOperator = (typeof COMPARISON_OPERATORS)[number];

/** A condition on one column of a row. */
export interface Comparison {
  kind: 'comparison';
  column: CatalogColumn;
  operator: ComparisonOperator;
  /** Coerced like a value of a row. Null means an empty value. */
  value: StoredValue | StoredValue[];
}

/**
 * A condition on the rows that a reference can mean: several if several tables have the key. It is true if one of them
 * meets the condition, or if there is no such row and empty values meet it (ADR 0167).
 */
export interface ReferenceCondition {
  kind: 'reference';
  column: CatalogColumn;
  /** The tables that may contain a row, each with its condition. */
  targets: readonly { table: CatalogTable; condition: FilterExpression }[];
  /** The tables that may contain a row, whose values are empty because they do not have the column. */
  emptyTargets: readonly CatalogTable[];
  /** Do empty values meet the condition? */
  acceptsEmpty: boolean;
}

/**
 * A condition on a row. It is true or false, never unknown: a row either meets it, or meets its negation (ADR 0167).
 */
export type FilterExpression =
  | Comparison
  | ReferenceCondition
  | { kind: 'and' | 'or'; terms: readonly FilterExpression[] }
  | { kind: 'not'; term: FilterExpression };

export const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** Is the value a day of a `date` column? It also means the instants of this day in UTC, which begin with its text. */
export function isDay({ type }: CatalogColumn, value: Comparison['value']): value is string {
  return type === 'date' && typeof value === 'string' && value.length === DAY_LENGTH;
}

export function isComparison(expression: FilterExpression): expression is Comparison {
  return expression.kind === 'comparison';
}

/** The terms that must all be true. */
export function listTerms(expression: FilterExpression): readonly FilterExpression[] {
  return expression.kind === 'and' ? expression.terms.flatMap(listTerms) : [expression];
}

export function and(terms: readonly FilterExpression[]): FilterExpression {
  return terms.length === 1 ? terms[0]! : { kind: 'and', terms };
}

export function not(term: FilterExpression): FilterExpression {
  return term.kind === 'not' ? term.term : { kind: 'not', term };
}

/** Does a row whose columns are all empty meet the condition? */
export function acceptsEmpty(expression: FilterExpression): boolean {
  switch (expression.kind) {
    case 'comparison': {
      const { operator, value } = expression;
      if (operator === 'null') return value === true;
      if (operator === 'eq') return value === null;
      if (operator === 'ne') return value !== null;
      return operator === 'in' && (value as StoredValue[]).includes(null);
    }
    case 'reference':
      return expression.acceptsEmpty;
    case 'not':
      return !acceptsEmpty(expression.term);
    case 'and':
      return expression.terms.every(acceptsEmpty);
    case 'or':
      return expression.terms.some(acceptsEmpty);
  }
}

/** The value of the expression for all rows: `in` without values is false. Undefined if it depends on the row. */
export function findConstant(expression: FilterExpression): boolean | undefined {
  switch (expression.kind) {
    case 'comparison':
      return expression.operator === 'in' && (expression.value as StoredValue[]).length === 0 ? false : undefined;
    case 'reference':
      return undefined;
    case 'not': {
      const value = findConstant(expression.term);
      return value === undefined ? undefined : !value;
    }
    case 'and':
    case 'or': {
      const deciding = expression.kind === 'or';
      const values = expression.terms.map(findConstant);
      if (values.includes(deciding)) return deciding;
      return values.includes(undefined) ? undefined : !deciding;
    }
  }
}

/** JSON has no infinite numbers. */
function toIdentity(value: Comparison['value']): unknown {
  if (Array.isArray(value)) return value.map(toIdentity);
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

/** Everything that determines which rows meet the condition, for the identity of a query. */
export function getFilterIdentity(expression: FilterExpression): unknown {
  switch (expression.kind) {
    case 'comparison':
      return [expression.column.key, expression.operator, toIdentity(expression.value)];
    case 'reference':
      return { reference: expression.column.key, meets: getFilterIdentity(expression.targets[0]!.condition) };
    case 'not':
      return { not: getFilterIdentity(expression.term) };
    case 'and':
    case 'or':
      return { [expression.kind]: expression.terms.map(getFilterIdentity) };
  }
}
