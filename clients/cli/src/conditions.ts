import type { Condition, Filter } from '@atrium/client';
import { parse } from 'lossless-json';
import { parseDecimal } from '../../../packages/tabular/src/stored-value.js';
import { toCondition } from '../../../packages/tabular/src/written-condition.js';
import { UsageError } from './exit-codes.js';
import { describeJsonError } from './json-error.js';

const OPERATORS = {
  '^=': 'startsWith',
  '$=': 'endsWith',
  '>=': 'gte',
  '<=': 'lte',
  '!=': 'ne',
  '=': 'eq',
  '>': 'gt',
  '<': 'lt',
  '~': 'contains',
} as const;

/** Such as the rest of `==` and `<>`, which are not operators. */
const LIKE_OPERATOR = /^[=<>~]/;

const CONDITION = /^([^<>=!~]+?)\s*(\^=|\$=|>=|<=|!=|=|>|<|~) *(.*)$/s;

/**
 * All conditions must be true: `weight>=100`, `name~pump`, `name^=Feed`, `location.name$=hall`, `plant=` (no value), or
 * `plant!=` (any value), or JSON such as `{"or":[{"weight":1},{"weight":2}]}`.
 *
 * @param options `selectsWrites`: what matches is changed. A text without a value, such as that of an empty variable of
 * a shell, is then rejected.
 * @throws {UsageError}
 */
export function parseConditions(texts: string[], { selectsWrites = false } = {}): Filter {
  const simple = new Map<string, ReturnType<typeof toCondition>>();
  const others: Filter[] = [];
  for (const text of texts) {
    if (text.trimStart().startsWith('{')) {
      others.push(parseJson(text));
      continue;
    }
    const match = CONDITION.exec(text);
    if (!match) throw new UsageError(`"${text}" is not a condition. Write for example 'weight>=100'.`);
    const [, column = '', operator = '=', value = ''] = match;
    if (LIKE_OPERATOR.test(value))
      throw new UsageError(
        `"${text}" has no known operator. Write one of ${Object.keys(OPERATORS).join(' ')}; a value that begins like one needs JSON.`,
      );
    const name = OPERATORS[operator as keyof typeof OPERATORS];
    if (value === '' && name !== 'eq' && name !== 'ne')
      throw new UsageError(`"${text}" has no value. Write for example 'weight>=100'; only = and != accept none.`);
    if (value === '' && selectsWrites)
      throw new UsageError(
        `"${text}" has no value. To select ${name === 'eq' ? 'empty values' : 'any value'}, write '{"${column}":{"null":${name === 'eq'}}}'.`,
      );
    const condition = toCondition(name, value);
    const former = simple.get(column);
    if (former && Object.keys(condition).some((each) => Object.hasOwn(former, each)))
      others.push({ [column]: condition });
    else simple.set(column, { ...former, ...condition });
  }
  const all: Record<string, Condition> = Object.fromEntries(simple);
  if (others.length === 0) return all;
  return { and: simple.size > 0 ? [all, ...others] : others };
}

function parseJson(text: string): Filter {
  try {
    return parse(text, undefined, readNumber) as Filter;
  } catch {
    const problem = describeJsonError(text);
    throw new UsageError(`"${text}" ${problem}. Write for example '{"or":[{"weight":1},{"weight":2}]}'.`);
  }
}

/** A number that a double would round is sent as its text, which the service reads by the type of the column. */
function readNumber(text: string): number | string {
  const value = parseDecimal(text);
  return typeof value === 'number' ? value : text;
}
