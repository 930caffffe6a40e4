import {
  coerceComparedNumber,
  coerceKey,
  coerceText,
  type Coercion,
  getCoercion,
} from '../../../tabular/src/coercions.js';
import { readFinerDecimals } from '../../../tabular/src/instant.js';
import { toNfc } from '../../../tabular/src/normalization.js';
import { formatValue, InvalidValue, type StoredValue } from '../../../tabular/src/stored-value.js';
import { parseFlag } from '../../../tabular/src/flag.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getNativeType, isReference } from '../catalog/column-types.js';
import { isPath } from '../catalog/referenced-tables.js';
import { InvalidQueryError } from '../catalog/query.errors.js';
import type { ColumnPath, ColumnPaths } from './column-path.js';
import {
  acceptsEmpty,
  and,
  type Comparison,
  COMPARISON_OPERATORS,
  type ComparisonOperator,
  type FilterExpression,
  listTerms,
  not,
} from './filter-expression.js';

const FILTER_OPERATORS = [...COMPARISON_OPERATORS, 'notIn'] as const;
type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** Maximum number of conditions per query, of values of one `in`, and of nested `and`, `or` and `not`. */
export const MAX_FILTERS = 50;
export const MAX_FILTER_VALUES = 1_000;
export const MAX_FILTER_LEVELS = 5;

/** Maximum number of characters of the text of an operator that ignores letter case. */
export const MAX_PART_LENGTH = 1_000;

/** Operators with a text that is a part of a value. */
const TEXT_OPERATORS: readonly FilterOperator[] = [
  'contains',
  'startsWith',
  'endsWith',
  'eqIgnoreCase',
  'startsWithIgnoreCase',
  'endsWithIgnoreCase',
];

/** Operators that no number meets with NaN. */
const ORDER_OPERATORS: readonly FilterOperator[] = ['lt', 'lte', 'gt', 'gte', 'between'];

/** Operators whose text PostgreSQL converts to lower case, or searches from each character, for each row. */
const SHORT_OPERATORS: readonly FilterOperator[] = TEXT_OPERATORS.filter((operator) => operator !== 'startsWith');

/**
 * Parses `filter[column][operator]=value`, or the same as an object; `filter[column]=value` is short for `eq`. In an
 * object, `and` and `or` combine a list of objects, and `not` negates an object. Values are coerced like values of
 * rows: for example, `X` is a true checkbox and `20260131` a date.
 *
 * @param paths the columns of the table, and those that its references lead to
 * @param parameter the name of the parameter, for messages
 * @returns the terms that must all be true
 * @throws {InvalidQueryError}
 */
export function parseFilters(paths: ColumnPaths, filter: object | undefined, parameter = 'filter'): FilterExpression[] {
  const parser = new FilterParser(paths);
  const terms = parser.parseObject(filter ?? {}, parameter, 0);
  if (parser.conditions <= MAX_FILTERS) return terms.flatMap(listTerms);
  const message = `A query has at most ${MAX_FILTERS} conditions; this has ${parser.conditions}.`;
  throw new InvalidQueryError(parameter, 'too_many_filters', message);
}

/** The different paths through references in a filter, before it is parsed; at most as many as a filter may contain. */
export function listPaths(filter: object | undefined): string[] {
  return listFilterColumns(filter).filter(isPath).slice(0, MAX_FILTERS);
}

/** The different names of columns, and paths, in a filter, before it is parsed. */
export function listFilterColumns(filter: object | undefined): string[] {
  const names = new Set<string>();
  const visit = (operand: unknown, level: number) => {
    if (!isObject(operand) || level > MAX_FILTER_LEVELS) return;
    for (const [name, sent] of Object.entries(operand) as [string, unknown][])
      if (isCombination(name)) for (const each of [sent].flat()) visit(each, level + 1);
      else names.add(name);
  };
  visit(filter, 0);
  return [...names];
}

const COMBINATIONS = ['and', 'or', 'not'] as const;

function isCombination(name: string): name is (typeof COMBINATIONS)[number] {
  return (COMBINATIONS as readonly string[]).includes(name);
}

class FilterParser {
  /** The number of conditions so far. */
  conditions = 0;

  constructor(private readonly paths: ColumnPaths) {}

  /**
   * @param field the path of the object, for messages
   * @param level the number of `and`, `or` and `not` that contain it
   * @returns the terms that must all be true
   */
  parseObject(filter: object, field: string, level: number): FilterExpression[] {
    return Object.entries(filter).flatMap(([name, sent]: [string, unknown]) => {
      if (!isCombination(name)) return this.parseConditions(name, sent, field);
      if (level === MAX_FILTER_LEVELS) {
        const message = `A filter has at most ${MAX_FILTER_LEVELS} nested levels of "and", "or" and "not".`;
        throw new InvalidQueryError(`${field}.${name}`, 'filter_too_deep', message);
      }
      if (name === 'not') return [not(and(this.parseCombined(sent, name, `${field}.not`, level)))];
      const terms = getCombinedList(sent, name, `${field}.${name}`).map((each, at) =>
        and(this.parseCombined(each, name, `${field}.${name}[${at}]`, level)),
      );
      return [{ kind: name, terms }];
    });
  }

  /** An operand of `and`, `or` or `not`. */
  private parseCombined(sent: unknown, name: string, field: string, level: number): FilterExpression[] {
    const terms = isObject(sent) ? this.parseObject(sent, field, level + 1) : [];
    if (terms.length > 0) return terms;
    const message = `"${name}" combines objects with at least one condition, such as {"weight":{"gte":100}}.`;
    throw createCombinationError(name, field, message);
  }

  private parseConditions(name: string, conditions: unknown, parent: string): FilterExpression[] {
    if (name === '') {
      const message = 'A condition has no column. Send all conditions in one form: as one JSON object, or in brackets.';
      throw new InvalidQueryError(parent, 'invalid_value', message);
    }
    const path = this.paths.get(name, `${parent}[${name.slice(0, 80)}]`);
    const field = `${parent}[${path.targets.length === 0 ? path.column.key : name}]`;
    const operators = Object.entries(isObject(conditions) ? conditions : { eq: conditions });
    if (operators.length === 0) throw createNoConditionError(field, name);
    this.conditions += operators.length;
    return applyToEnd(path, (column) =>
      operators.map(([operator, value]) =>
        parseCondition(column, operator, value, `${field}[${operator.slice(0, 80)}]`),
      ),
    );
  }
}

/**
 * Conditions on the column at the end of a path. One row must meet all of them.
 *
 * @param parse returns the conditions on a column, of which there is one per table
 */
function applyToEnd(
  { column, targets, emptyTargets }: ColumnPath,
  parse: (column: CatalogColumn) => FilterExpression[],
): FilterExpression[] {
  if (targets.length === 0) return parse(column);
  const conditions = targets.map(({ table, path }) => ({ table, condition: and(applyToEnd(path, parse)) }));
  // The conditions of all tables are equal, except for the column.
  const isEmptyAccepted = acceptsEmpty(conditions[0]!.condition);
  return [{ kind: 'reference', column, targets: conditions, emptyTargets, acceptsEmpty: isEmptyAccepted }];
}

function getCombinedList(sent: unknown, name: string, field: string): unknown[] {
  if (Array.isArray(sent) && sent.length > 0) return sent;
  const message = `"${name}" needs a list of conditions, such as [{"weight":{"gte":100}},{"name":"Feed pump"}].`;
  throw createCombinationError(name, field, message);
}

function createCombinationError(name: string, field: string, message: string): InvalidQueryError {
  const column = `For a column with the key "${name}" write "${name.toUpperCase()}".`;
  return new InvalidQueryError(field, 'invalid_value', `${message} ${column}`);
}

/** Without a condition the filter would not limit the rows, which is not what its sender means. */
function createNoConditionError(field: string, name: string): InvalidQueryError {
  const message = `The filter of "${name.slice(0, 80)}" has no condition. Send a value, or an operator with a value, such as {"eq":"A"}.`;
  return new InvalidQueryError(field, 'invalid_value', message);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseCondition(column: CatalogColumn, operator: string, sent: unknown, field: string): FilterExpression {
  if (operator === '') {
    const message = `${field.slice(0, -2)} is sent with and without an operator, and "" is not an operator. Send each condition once.`;
    throw new InvalidQueryError(field, 'unknown_operator', message);
  }
  if (!isOperator(operator)) {
    const message = `"${operator.slice(0, 80)}" is not an operator. Allowed: ${FILTER_OPERATORS.join(', ')}.`;
    throw new InvalidQueryError(field, 'unknown_operator', message);
  }
  const value = parseValue(column, operator, sent, field);
  // PostgreSQL would sort it after all numbers.
  if (ORDER_OPERATORS.includes(operator) && [value].flat().some(Number.isNaN)) return compare(column, 'in', []);
  if (operator === 'notIn') return not(compare(column, 'in', value));
  return compare(column, operator, value);
}

function compare(column: CatalogColumn, operator: ComparisonOperator, value: Comparison['value']): Comparison {
  return { kind: 'comparison', column, operator, value };
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
  const coerce = getFilterCoercion(column);
  if (TEXT_OPERATORS.includes(operator)) {
    if (getNativeType(column.type) !== 'text')
      throw invalid(`The operator "${operator}" is only for texts; "${column.key}" is a ${column.type} column.`);
    if (typeof sent !== 'string' || sent === '') throw invalid(`The operator "${operator}" needs a text.`);
    if (SHORT_OPERATORS.includes(operator)) requireShortPart(operator, sent, field);
    return coerceOne(coerceText, isKey(column) ? toNfc(sent) : sent, operator, field);
  }
  switch (operator) {
    case 'null': {
      const isNull = typeof sent === 'string' ? parseFlag(sent) : sent;
      if (typeof isNull === 'boolean') return isNull;
      throw invalid(`${field} must be "true" (no value) or "false".`);
    }
    case 'in':
    case 'notIn':
      return parseList(coerce, sent, operator, field);
    case 'between': {
      const values = parseList(coerce, sent, operator, field);
      if (values.length === 2 && !values.includes(null)) return values;
      throw invalid('The operator "between" needs two values: the lowest and the highest.');
    }
    default: {
      const value = coerceOne(coerce, sent, operator, field);
      if (value === null && operator !== 'eq' && operator !== 'ne')
        throw invalid(`The operator "${operator}" needs a value.`);
      return value;
    }
  }
}

/** Keys are stored trimmed and in NFC. */
export function isKey({ primaryKey, type, hasKeys = false }: CatalogColumn): boolean {
  return primaryKey || isReference(type) || hasKeys;
}

function getFilterCoercion(column: CatalogColumn): Coercion {
  if (!isKey(column) && column.type === 'number') return coerceComparedNumber;
  const { normalize } = column;
  if (normalize) return (sent) => normalizeText(coerceText(sent), normalize);
  const coerce = isKey(column) ? coerceKey : getCoercion(column.type);
  if (!isKey(column) && column.type === 'date') return (sent) => coerceComparedDate(coerce, sent);
  // Also an integer that no column stores as a number. If a double would round it, it is a text (`JsonOptions`).
  return (sent) => coerce(typeof sent === 'number' && Number.isFinite(sent) ? String(sent) : sent);
}

function normalizeText(value: StoredValue | InvalidValue, normalize: (text: string) => string) {
  return typeof value === 'string' ? normalize(value) : value;
}

/** Stored instants have milliseconds. A finer one is compared as a text that follows that of its millisecond. */
function coerceComparedDate(coerce: Coercion, sent: unknown): StoredValue | InvalidValue {
  const value = coerce(sent);
  return typeof value === 'string' && typeof sent === 'string' ? value + readFinerDecimals(sent.trim()) : value;
}

function requireShortPart(operator: FilterOperator, part: string, field: string): void {
  const length = [...part].length;
  if (length <= MAX_PART_LENGTH) return;
  const message = `The operator "${operator}" accepts at most ${MAX_PART_LENGTH} characters; this has ${length}. Use "startsWith" or "eq" for longer texts.`;
  throw new InvalidQueryError(field, 'part_too_long', message);
}

/**
 * A list, whose values are converted as that of `eq`, or values separated by commas, of which empty ones are skipped:
 * as text, and before the conversion, since an empty checkbox is unchecked.
 */
function parseList(coerce: Coercion, sent: unknown, operator: FilterOperator, field: string): StoredValue[] {
  const list = Array.isArray(sent) ? (sent as unknown[]) : typeof sent === 'string' ? splitValues(sent) : [sent];
  if (list.length > MAX_FILTER_VALUES) {
    const message = `The operator "${operator}" accepts at most ${MAX_FILTER_VALUES} values; there are ${list.length}.`;
    throw new InvalidQueryError(field, 'invalid_value', message);
  }
  return list.map((each) => coerceOne(coerce, each, operator, field));
}

function splitValues(text: string): string[] {
  return text.split(',').filter((value) => value.trim() !== '');
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
