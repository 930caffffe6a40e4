import { formatValue, parseDate, type StoredValue } from '../../../tabular/src/stored-value.js';
import type { CatalogColumn, ColumnError } from './column-plan.js';
import {
  type ColumnOptions,
  CONSTRAINT_CODES,
  type ConstraintCode,
  type ConstraintLevel,
  CONSTRAINTS,
  type ConstraintRule,
} from './column-types.js';
import type { TableOptions } from './table-options.js';

/** A constraint of a column, or of several columns of a table. */
export interface Constraint {
  /** The first, if there are several. */
  column: CatalogColumn;
  /** With `unique`: the other columns whose values together occur once. */
  others?: readonly CatalogColumn[];
  rule: ConstraintRule;
  level: ConstraintLevel;
}

/** A row that violates a constraint. */
export interface Violation {
  constraint: Constraint;
  /** The primary key of the row. */
  key: string;
  /** The value in the column; never null. */
  value: StoredValue;
  /** With `unique`: the key of another row with the value. Null also if the caller may not read that row. */
  otherKey: string | null;
}

export const MAX_PATTERN_LENGTH = 255;
export const TODAY = 'today';

interface ConstrainedTable {
  columns: readonly CatalogColumn[];
  options?: TableOptions;
}

/** All constraints of a table: those of its columns, then those of several columns. */
export function listConstraints({ columns, options = {} }: ConstrainedTable): Constraint[] {
  return [...columns.flatMap(listOfColumn), ...listOfTable(columns, options)];
}

function listOfTable(columns: readonly CatalogColumn[], { uniqueTogether = [] }: TableOptions): Constraint[] {
  return uniqueTogether.map((keys) => {
    const [column, ...others] = keys.map((key) => columns.find((each) => each.key === key)!);
    return { column: column!, others, rule: 'unique', level: 'error' };
  });
}

function listOfColumn(column: CatalogColumn): Constraint[] {
  const level = column.options.level ?? 'error';
  return CONSTRAINTS.filter((rule) => (column.options[rule] ?? false) !== false).map((rule) => ({
    column,
    rule,
    level,
  }));
}

/** The code and the message for the row. */
export function describeViolation({ constraint, value, otherKey: other }: Omit<Violation, 'key'>): {
  column: string;
  code: ConstraintCode;
  message: string;
} {
  const { column, rule, others } = constraint;
  const message = others
    ? `${describeOther(other)} has the same values in ${listKeys([column, ...others])}.`
    : explain(column, rule, value, other);
  return { column: column.key, code: CONSTRAINT_CODES[rule], message };
}

function explain(
  { type, options }: CatalogColumn,
  rule: ConstraintRule,
  value: StoredValue,
  other: string | null,
): string {
  const shown = formatValue(value);
  switch (rule) {
    case 'minimum':
      return `${shown} is less than the minimum ${options.minimum!}.`;
    case 'maximum':
      return `${shown} is greater than the maximum ${options.maximum!}.`;
    case 'minLength':
      return `The text has at least ${options.minLength!} characters; ${shown} has fewer.`;
    case 'maxLength':
      return `The text has at most ${options.maxLength!} characters; ${shown} has more.`;
    case 'pattern':
      return `${shown} does not match the pattern ${options.pattern!}.`;
    case 'earliest':
      return `${shown} is before the earliest date ${formatDay(options.earliest!)}.`;
    case 'latest':
      return `${shown} is after the latest date ${formatDay(options.latest!)}.`;
    case 'unique':
      return `${describeOther(other)} has the value ${shown}, too.`;
    case 'mustExist':
      return `No ${type === 'locationTag' ? 'tag has the ID' : 'row has the key'} ${shown}.`;
  }
}

function describeOther(key: string | null): string {
  return key === null ? 'Another row' : `The row ${formatValue(key)}`;
}

/** The columns of the constraint, for texts. */
export function listKeys(columns: readonly CatalogColumn[]): string {
  const keys = columns.map(({ key }) => `"${key}"`);
  return `${keys.slice(0, -1).join(', ')} and ${keys.at(-1)}`;
}

function formatDay(day: string): string {
  return day === TODAY ? `${new Date().toISOString().slice(0, 10)} (today, in UTC)` : day;
}

/** An error for each option of a constraint that is invalid, by itself or with the others. */
export function findInvalidConstraints({ key, options }: CatalogColumn): ColumnError[] {
  return [...findContradictions(options), ...findInvalidDays(options), ...findInvalidPattern(options)].map(
    (message) => ({ column: key, code: 'invalid_option', message }),
  );
}

const RANGES = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['earliest', 'latest'],
] as const;

function findContradictions(options: ColumnOptions): string[] {
  return RANGES.flatMap(([lower, upper]) => {
    const [from, to] = [options[lower], options[upper]];
    if (from === undefined || to === undefined || from === TODAY || to === TODAY || from <= to) return [];
    return [`The option "${lower}" (${from}) is greater than "${upper}" (${to}): no value satisfies both.`];
  });
}

function findInvalidDays(options: ColumnOptions): string[] {
  return (['earliest', 'latest'] as const).flatMap((option) => {
    const day = options[option];
    if (day === undefined || day === TODAY || (day.length === 10 && parseDate(day) === day)) return [];
    return [`The option "${option}" must be a date such as 2026-05-04, or "today"; ${formatValue(day)} is neither.`];
  });
}

/** The constructs of PostgreSQL's regular expressions whose time is not bounded, or that change its syntax. */
const UNSUPPORTED_CONSTRUCTS: [RegExp, string][] = [
  [/^\*\*\*/, 'a prefix of "***"'],
  [/^(?:[^\\]|\\[^1-9])*\\[1-9]/, 'a back reference'],
  [/^(?:[^\\]|\\.)*?\(\?(?!:)/, 'a group that begins with "(?", except "(?:"'],
];

function findInvalidPattern({ pattern }: ColumnOptions): string[] {
  if (pattern === undefined) return [];
  const [, construct] = UNSUPPORTED_CONSTRUCTS.find(([expression]) => expression.test(pattern)) ?? [];
  return construct === undefined ? [] : [`The option "pattern" cannot contain ${construct}.`];
}
