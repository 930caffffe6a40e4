import type { EdmType, EntitySet } from './edm.js';
import { findDay } from './day-literals.js';
import { toNavigationName } from './identifiers.js';
import type { Expression, Literal, OrderTerm, Path } from './expression.js';
import { InvalidODataQueryError, ODataNotImplementedError } from './odata.errors.js';

/** A filter of the selection language, in its form as JSON (docs/reference/filters.md). */
export type Filter = Record<string, unknown>;

/** The column at the end of a path, as the selection language writes it, such as `location.name`. */
interface FoundColumn {
  path: string;
  property: string;
  type: EdmType;
}

const FUNCTIONS: Record<string, string> = { contains: 'contains', startswith: 'startsWith', endswith: 'endsWith' };

/** Some of them only in comparisons (docs/reference/filters.md#in-odata). */
export const SUPPORTED_FUNCTIONS = [...Object.keys(FUNCTIONS), 'tolower', 'toupper', 'indexof'];

const SUPPORTED = `Supported: ${Object.keys(FUNCTIONS).join(', ')}, and tolower, toupper and indexof in comparisons.`;

/** Operators that ignore letter case, for operands of `tolower` and `toupper`. `contains` always ignores it. */
const IGNORING_CASE = new Map([
  ['contains', 'contains'],
  ['startsWith', 'startsWithIgnoreCase'],
  ['endsWith', 'endsWithIgnoreCase'],
]);

/** The operators of comparisons, and those with exchanged operands. */
const OPERATORS: Record<string, string> = { eq: 'eq', ne: 'ne', gt: 'gt', ge: 'gte', lt: 'lt', le: 'lte' };
const EXCHANGED: Record<string, string> = { eq: 'eq', ne: 'ne', gt: 'lt', ge: 'lte', lt: 'gt', le: 'gte' };

/** The literals with which properties of each type are compared. */
const LITERALS: Record<EdmType, { type: Literal['type']; example: string }> = {
  'Edm.String': { type: 'text', example: "'text'" },
  'Edm.Double': { type: 'number', example: '1.5' },
  'Edm.Date': { type: 'date', example: '2026-01-31' },
  'Edm.DateTimeOffset': { type: 'dateTime', example: '2026-01-31T08:30:00Z' },
  'Edm.Boolean': { type: 'boolean', example: 'true' },
};

/** Values of one `in` or `notIn`, at most as many as the selection language accepts. */
const MAX_LISTED_VALUES = 1_000;

const OPTION = '$filter';

/** Finds the entity sets that navigation properties lead to. */
export type FindSet = (set: EntitySet, navigation: string) => EntitySet | undefined;

/**
 * Translates `$filter` to the selection language.
 *
 * @throws {InvalidODataQueryError | ODataNotImplementedError}
 */
export function translateFilter(expression: Expression, set: EntitySet, findSet: FindSet): Filter {
  return new FilterTranslator(set, findSet).translate(expression, true);
}

/**
 * Translates `$orderby` to the parameter `sort`.
 *
 * @throws {InvalidODataQueryError | ODataNotImplementedError}
 */
export function translateOrder(terms: readonly OrderTerm[], set: EntitySet): string {
  const columns = terms.map(({ expression, descending }) => {
    if (expression.kind !== 'path' || expression.names.length !== 1 || expression.rest !== undefined)
      throw new ODataNotImplementedError('$orderby', 'only properties of the entity set itself can be sorted by.');
    return `${descending ? '-' : ''}${getProperty('$orderby', set, expression.names[0]!).key}`;
  });
  return columns.join(',');
}

/** @throws {InvalidODataQueryError} */
export function getProperty(option: string, { name: set, properties }: EntitySet, name: string) {
  const property = properties.find((each) => each.name === name);
  if (property) return property;
  throw new InvalidODataQueryError(option, `"${name.slice(0, 80)}" is not a property of ${set}. $metadata lists them.`);
}

type Call = Extract<Expression, { kind: 'call' }>;

/**
 * A condition of OData may be true, false or null; one of the selection language is true or false. Each expression is
 * therefore translated to the rows for which it is true, or to those for which it is false, and no negation contains
 * another expression: `not contains(name,'a')` is null, and not true, for a row without a name.
 */
class FilterTranslator {
  constructor(
    private readonly set: EntitySet,
    private readonly findSet: FindSet,
  ) {}

  /** @param wanted the value that the expression has for the rows */
  translate(expression: Expression, wanted: boolean): Filter {
    switch (expression.kind) {
      case 'and':
      case 'or': {
        const kind = (expression.kind === 'and') === wanted ? 'and' : 'or';
        return combine(
          kind,
          expression.terms.map((term) => this.translate(term, wanted)),
        );
      }
      case 'not':
        return this.translate(expression.term, !wanted);
      case 'compare':
        return this.compare(expression, wanted);
      case 'in':
        return this.listed(expression, wanted);
      case 'call':
        return this.call(expression, wanted);
      case 'path': {
        const column = this.getColumn(expression);
        if (column.type === 'Edm.Boolean') return { [column.path]: { eq: wanted } };
        throw invalid(
          `"${column.property}" is not a condition. Compare it, as in "${column.property} eq ${LITERALS[column.type].example}".`,
        );
      }
      case 'literal':
        throw unsupported('a literal is not supported as a condition. Omit it.');
      default:
        throw this.toUnsupported(expression);
    }
  }

  private compare({ operator, left, right }: Extract<Expression, { kind: 'compare' }>, wanted: boolean): Filter {
    if (operator === 'has')
      throw unsupported('the operator "has" is not supported, because no property is an enumeration.');
    if (left.kind === 'path' && right.kind === 'literal')
      return this.compareColumn(left, OPERATORS[operator]!, right, wanted);
    if (left.kind === 'literal' && right.kind === 'path')
      return this.compareColumn(right, EXCHANGED[operator]!, left, wanted);
    if (left.kind === 'call' && right.kind === 'literal' && !isCondition(left))
      return this.compareCall(left, OPERATORS[operator]!, right, wanted);
    if (right.kind === 'call' && left.kind === 'literal' && !isCondition(right))
      return this.compareCall(right, EXCHANGED[operator]!, left, wanted);
    if (isCondition(left) && right.kind === 'literal') return this.compareCondition(left, operator, right, wanted);
    if (left.kind === 'literal' && isCondition(right)) return this.compareCondition(right, operator, left, wanted);
    const other = [left, right].find(({ kind }) => kind !== 'path' && kind !== 'literal');
    if (other) throw this.toUnsupported(other);
    throw unsupported('only comparisons of a property with a literal are supported.');
  }

  private compareColumn(path: Path, operator: string, literal: Literal, wanted: boolean): Filter {
    const column = this.getColumn(path);
    const value = toValue(column, literal, operator);
    if (operator === 'eq' || operator === 'ne')
      return { [column.path]: (operator === 'eq') === wanted ? { eq: value } : { ne: value } };
    if (value === null) throw invalid(`null has no order. Compare "${column.property}" with a value, or by eq or ne.`);
    const condition = { [column.path]: { [operator]: value } };
    return wanted ? condition : { not: condition };
  }

  /** `tolower(name) eq 'a'`, and `indexof(name,'a') eq -1`, as grids send them for "equals" and "does not contain". */
  private compareCall(call: Call, operator: string, literal: Literal, wanted: boolean): Filter {
    const { name, operands } = call;
    if (name === 'indexof') return this.compareIndex(operands, operator, literal, wanted);
    const [operand] = operands;
    if (findCaseFunction(call) === undefined || operand?.kind !== 'path') throw this.toUnsupported(call);
    if (operator !== 'eq' && operator !== 'ne')
      throw unsupported(`${name}() is only supported with eq, ne, ${Object.keys(FUNCTIONS).join(', ')}.`);
    // Neither null nor the empty text has letters.
    if (literal.type !== 'text' || literal.value === '') return this.compareColumn(operand, operator, literal, wanted);
    const column = this.getColumn(operand);
    if (column.type !== 'Edm.String') throw invalid(`${name}() needs a text property.`);
    const condition = { [column.path]: { eqIgnoreCase: literal.value } };
    return (operator === 'eq') === wanted ? condition : { not: condition };
  }

  /** Only whether a text contains another one. The index in null is null: `ne` is true, other comparisons are false. */
  private compareIndex(operands: readonly Expression[], operator: string, literal: Literal, wanted: boolean): Filter {
    if (literal.type !== 'number') throw invalid('indexof() is a number. Compare it with -1 or 0.');
    const comparison = `${operator} ${String(literal.value)}`;
    const isContained = ['ne -1', 'gte 0', 'gt -1'].includes(comparison);
    if (!isContained && !['eq -1', 'lt 0', 'lte -1'].includes(comparison))
      throw unsupported('indexof() is only supported with "eq -1" and "ge 0". Use contains() or startswith().');
    const selectsNull = (operator === 'ne') === wanted;
    return this.call({ kind: 'call', name: 'contains', operands }, isContained === wanted, selectsNull);
  }

  /** A condition that is compared with `true` or `false`, as in `contains(name,'a') eq true`. */
  private compareCondition(condition: Expression, operator: string, { type, value }: Literal, wanted: boolean): Filter {
    if (type !== 'boolean' || (operator !== 'eq' && operator !== 'ne'))
      throw invalid('a condition can only be compared with true or false, by eq. Check the parentheses after "not".');
    if (operator === 'ne' || !wanted)
      throw unsupported('the comparison of a condition is only supported as "eq", without a negation.');
    return this.translate(condition, value as boolean);
  }

  private listed({ left, values }: Extract<Expression, { kind: 'in' }>, wanted: boolean): Filter {
    if (left.kind !== 'path') throw this.toUnsupported(left);
    const column = this.getColumn(left);
    const list = values.map((value) => {
      if (value.kind !== 'literal') throw unsupported('"in" is only supported with a list of literals.');
      return toValue(column, value);
    });
    return { [column.path]: wanted ? { in: list } : { notIn: list } };
  }

  /** @param selectsNull are the rows without a text selected, too? By itself, the function is null for them. */
  private call({ name, operands }: Call, wanted: boolean, selectsNull = false): Filter {
    const operator = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name]! : undefined;
    if (!operator) throw unsupported(`the function ${name.slice(0, 40)}() is not supported. ${SUPPORTED}`);
    const [subject, part] = operands;
    if (operands.length !== 2 || !subject || !part) throw invalid(`${name}() needs a property and a text.`);
    const { column, text, ignoresCase } = this.readOperands(name, subject, part);
    const isPresent = { [column.path]: { null: false } };
    const applied = ignoresCase ? IGNORING_CASE.get(operator)! : operator;
    // Every text contains the empty one.
    const condition = text === '' ? isPresent : { [column.path]: { [applied]: text } };
    if (selectsNull) return wanted ? { or: [{ [column.path]: { null: true } }, condition] } : { not: condition };
    return wanted ? condition : { and: [isPresent, { not: condition }] };
  }

  /** An operand whose letter case is changed is compared without letter case, as is the literal. */
  private readOperands(name: string, subject: Expression, part: Expression) {
    const changed = findCaseFunction(subject);
    const path = changed?.operand ?? subject;
    const sent = changed && part.kind === 'call' && part.name === changed.name ? part.operands[0] : part;
    if (path.kind !== 'path') throw this.toUnsupported(path);
    const column = this.getColumn(path);
    if (column.type !== 'Edm.String')
      throw invalid(`${name}() needs a text property; "${column.property}" is ${column.type}.`);
    if (!sent || sent.kind !== 'literal') throw sent ? this.toUnsupported(sent) : invalid(`${name}() needs a text.`);
    if (sent.type !== 'text') throw invalid(`${name}() needs a text in quotes.`);
    return { column, text: sent.value as string, ignoresCase: changed !== undefined };
  }

  private getColumn({ names, rest }: Path): FoundColumn {
    if (rest !== undefined) throw unsupported(`"${[...names, rest].join('/').slice(0, 80)}" is not supported.`);
    let set = this.set;
    const keys: string[] = [];
    for (const [at, name] of names.entries()) {
      if (at === names.length - 1) {
        const property = set.properties.find((each) => each.name === name);
        if (property) return { path: toPath([...keys, property.key]), property: names.join('/'), type: property.type };
        // The navigation properties are only known if the query needs them.
        if (set.table.columns.some(({ key, type }) => isReference(type) && toNavigationName(key) === name)) break;
      }
      const next = set.navigation.find((each) => each.name === name);
      const target = next && this.findSet(set, name);
      if (!next || !target)
        throw invalid(`"${name.slice(0, 80)}" is not a property of ${set.name}. $metadata lists them.`);
      keys.push(next.key);
      set = target;
    }
    const row = names.join('/').slice(0, 80);
    throw unsupported(`the row "${row}" cannot be compared. Compare its reference, or one of its properties.`);
  }

  private toUnsupported(expression: Expression): Error {
    switch (expression.kind) {
      case 'arithmetic':
        return unsupported(`the operator "${expression.operator}" is not supported.`);
      case 'call':
        return unsupported(`the function ${expression.name.slice(0, 40)}() is not supported here. ${SUPPORTED}`);
      case 'alias':
        return unsupported('parameter aliases are not supported. Send the value itself.');
      default:
        return unsupported('only comparisons of a property with a literal are supported.');
    }
  }
}

/**
 * The terms of a term of the same kind are those of the combination: they are not another level. Several values of a
 * property, as lists of grids send them (`a eq 1 or a eq 2`), are one condition.
 */
function combine(kind: 'and' | 'or', terms: readonly Filter[]): Filter {
  const flat = terms.flatMap((term) => (kind in term ? (term[kind] as Filter[]) : [term]));
  const [one, many] = kind === 'or' ? ['eq', 'in'] : ['ne', 'notIn'];
  const lists = new Map<string, unknown[]>();
  const others: Filter[] = [];
  for (const term of flat) {
    const { path, values } = findValues(term, one, many) ?? {};
    if (path === undefined) others.push(term);
    else {
      const list = lists.get(path) ?? [];
      list.push(...values!);
      lists.set(path, list);
    }
  }
  const listed = [...lists].flatMap(([path, values]) => {
    const different = [...new Set(values)];
    if (different.length === 1) return [{ [path]: { [one]: different[0] } }];
    const conditions: Filter[] = [];
    for (let at = 0; at < different.length; at += MAX_LISTED_VALUES)
      conditions.push({ [path]: { [many]: different.slice(at, at + MAX_LISTED_VALUES) } });
    return conditions;
  });
  const combined = [...others, ...listed];
  return combined.length === 1 ? combined[0]! : { [kind]: combined };
}

/** The values of a condition that only has the operator for one value, or for a list. */
function findValues(term: Filter, one: string, many: string): { path: string; values: unknown[] } | undefined {
  const [path = '', ...otherPaths] = Object.keys(term);
  if (otherPaths.length > 0 || ['and', 'or', 'not'].includes(path)) return undefined;
  const [[operator, value] = [], ...otherOperators] = Object.entries(term[path] as Filter);
  if (otherOperators.length > 0) return undefined;
  if (operator === one) return { path, values: [value] };
  return operator === many ? { path, values: value as unknown[] } : undefined;
}

/** In capital letters, the key of a column is not the name of a combination. */
function toPath(keys: readonly string[]): string {
  const path = keys.join('.');
  return ['and', 'or', 'not'].includes(path) ? path.toUpperCase() : path;
}

function isCondition(expression: Expression): boolean {
  if (expression.kind === 'call') return Object.hasOwn(FUNCTIONS, expression.name);
  return ['and', 'or', 'not', 'compare', 'in'].includes(expression.kind);
}

function findCaseFunction(expression: Expression): { name: string; operand: Expression } | undefined {
  if (expression.kind !== 'call' || !['tolower', 'toupper'].includes(expression.name)) return undefined;
  const [operand] = expression.operands;
  return operand && { name: expression.name, operand };
}

/**
 * The value that the selection language coerces like a value of a row: numbers as they are written.
 *
 * @param operator by which the value is compared
 */
function toValue({ property, type }: FoundColumn, { type: sent, value }: Literal, operator = 'eq'): unknown {
  if (sent === 'null' || sent === LITERALS[type].type) return value;
  // A day is compared with the day of the instant in UTC.
  if (sent === 'date' && type === 'Edm.DateTimeOffset') return value;
  const day = type === 'Edm.Date' ? findDay(sent, String(value), operator) : undefined;
  if (day !== undefined) return day;
  throw invalid(`"${property}" is ${type}. Compare it with a value such as ${LITERALS[type].example}.`);
}

function isReference(type: string): boolean {
  return type === 'reference' || type === 'hierarchyParent';
}

function invalid(message: string): InvalidODataQueryError {
  return new InvalidODataQueryError(OPTION, message);
}

function unsupported(message: string): ODataNotImplementedError {
  return new ODataNotImplementedError(OPTION, message);
}
