import type { Expression, OrderTerm } from './expression.js';
import { InvalidODataQueryError, ODataNotImplementedError } from './odata.errors.js';

/** Rows of a page at most; the default without the preference `maxpagesize`. */
export const MAX_PAGE_ROWS = 5_000;

/** Rows of a page with `$expand`, for each of which the referenced rows are looked up. */
export const MAX_EXPANDED_PAGE_ROWS = 1_000;

/** Maximum of `$skip`, whose rows the database reads and drops. */
export const MAX_SKIP = 100_000;

/** Properties of `$select` and `$expand` at most. */
export const MAX_NAMES = 1_000;

/** One navigation property of `$expand`. */
export interface Expansion {
  name: string;
  /** The properties in its `$select`; undefined for all. */
  select: readonly string[] | undefined;
}

/** The options of a query. Names and types are not checked yet. */
export interface QueryOptions {
  filter?: Expression;
  orderBy?: readonly OrderTerm[];
  /** Undefined for all properties. */
  select?: readonly string[];
  expand?: '*' | readonly Expansion[];
  top?: number;
  skip?: number;
  count: boolean;
  skipToken?: string;
  deltaToken?: string;
}

/** The options of each kind of request; others are an error, so that nothing that the caller sent is ignored. */
const ROW_OPTIONS = ['$select', '$expand', '$format'] as const;
export const OPTIONS = {
  documents: ['$format'],
  row: ROW_OPTIONS,
  reference: ['$select', '$format'],
  rows: [...ROW_OPTIONS, '$filter', '$orderby', '$top', '$skip', '$count', '$skiptoken', '$deltatoken'],
  count: ['$filter'],
} as const;

const KNOWN = new Set<string>(OPTIONS.rows);

/** Options of OData 4.0 and 4.01 that the feed does not have. */
const UNSUPPORTED = new Set(['$apply', '$compute', '$search', '$levels', '$index', '$schemaversion', '$id']);

type Query = Record<string, unknown>;

/**
 * The system query options of a request. Options without `$` are those of the client (OData 4.0, part 2, section 5.2),
 * which are ignored.
 *
 * @throws {InvalidODataQueryError | ODataNotImplementedError}
 */
export async function parseQueryOptions(query: Query, kind: keyof typeof OPTIONS): Promise<QueryOptions> {
  const allowed: readonly string[] = OPTIONS[kind];
  for (const [name, value] of Object.entries(query)) {
    if (name.startsWith('@'))
      throw new ODataNotImplementedError(
        name.slice(0, 80),
        'parameter aliases are not supported. Send the value itself.',
      );
    if (!name.startsWith('$')) continue;
    requireAllowed(name, allowed);
    if (typeof value !== 'string') throw new InvalidODataQueryError(name, 'the option is sent twice. Send it once.');
  }
  const read = <T>(name: string, parse: (text: string) => T): T | undefined => {
    const text = query[name] as string | undefined;
    return text === undefined ? undefined : parse(text);
  };
  // It has 700 modules, a quarter of those of a start, which only feeds need.
  const { parseFilterExpression, parseOrderBy } = await import('./expression-parser.js');
  return {
    filter: read('$filter', parseFilterExpression),
    orderBy: read('$orderby', parseOrderBy),
    select: read('$select', parseSelect),
    expand: read('$expand', parseExpand),
    top: read('$top', (text) => parseNumber('$top', text, Number.MAX_SAFE_INTEGER)),
    skip: read('$skip', (text) => parseNumber('$skip', text, MAX_SKIP)),
    count: read('$count', parseCount) ?? false,
    skipToken: read('$skiptoken', (text) => text),
    deltaToken: read('$deltatoken', (text) => text),
  };
}

function requireAllowed(name: string, allowed: readonly string[]): void {
  if (allowed.includes(name)) return;
  if (KNOWN.has(name)) {
    const options = allowed.length > 0 ? `Allowed: ${allowed.join(', ')}.` : 'It has no options.';
    throw new InvalidODataQueryError(name, `this resource does not have the option. ${options}`);
  }
  if (UNSUPPORTED.has(name)) throw new ODataNotImplementedError(name, 'the option is not supported.');
  throw new InvalidODataQueryError(name.slice(0, 80), `the option does not exist. Allowed: ${allowed.join(', ')}.`);
}

function parseNumber(option: string, text: string, maximum: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : undefined;
  if (value === undefined)
    throw new InvalidODataQueryError(option, `"${text.slice(0, 40)}" is not a whole number from 0.`);
  if (value <= maximum) return value;
  const remedy = option === '$skip' ? ' Follow @odata.nextLink, or use $filter, to read further rows.' : '';
  throw new InvalidODataQueryError(option, `at most ${maximum} is allowed; this is ${value}.${remedy}`);
}

function parseCount(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidODataQueryError('$count', `"${text.slice(0, 40)}" is neither true nor false.`);
}

/** Undefined for all properties. */
function parseSelect(text: string): readonly string[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  if (names.length > MAX_NAMES)
    throw new InvalidODataQueryError('$select', `at most ${MAX_NAMES} properties are allowed.`);
  const invalid = names.find((name) => name !== '*' && !/^[\p{L}_][\p{L}\p{N}_]{0,127}$/u.test(name));
  if (invalid !== undefined) {
    const message = `"${invalid.slice(0, 80)}" is not the name of a property.`;
    if (invalid.includes('/'))
      throw new ODataNotImplementedError('$select', 'paths are not supported. Use $select in $expand.');
    throw new InvalidODataQueryError('$select', message);
  }
  return isAll('$select', names) ? undefined : names;
}

function parseExpand(text: string): '*' | readonly Expansion[] {
  const items = splitOutsideParentheses('$expand', text, ',');
  if (items.length > MAX_NAMES)
    throw new InvalidODataQueryError('$expand', `at most ${MAX_NAMES} properties are allowed.`);
  if (isAll('$expand', items)) return '*';
  return items.map((item) => {
    const [, name = '', rest = ''] = /^([\p{L}_][\p{L}\p{N}_]{0,127})(.*)$/su.exec(item) ?? [];
    if (name === '')
      throw new InvalidODataQueryError('$expand', `"${item.slice(0, 80)}" is not a navigation property.`);
    if (rest.startsWith('/'))
      throw new ODataNotImplementedError('$expand', `the path "${item.slice(0, 80)}" is not supported; one level is.`);
    if (rest === '') return { name, select: undefined };
    if (!rest.startsWith('(') || !rest.endsWith(')'))
      throw new InvalidODataQueryError(
        '$expand',
        `"${item.slice(0, 80)}" is not valid. Write a name, or a name with options in parentheses.`,
      );
    return { name, select: parseNestedOptions(rest.slice(1, -1)) };
  });
}

/** @throws {InvalidODataQueryError} for `*` with names, which would be ignored */
function isAll(option: string, names: readonly string[]): boolean {
  if (!names.includes('*')) return false;
  if (names.length === 1) return true;
  throw new InvalidODataQueryError(option, '"*" is all properties. Send it without others.');
}

/** The `$select` of a property of `$expand`. */
function parseNestedOptions(text: string): readonly string[] | undefined {
  let select: readonly string[] | undefined;
  let isSent = false;
  for (const option of splitOutsideParentheses('$expand', text, ';').filter((each) => each !== '')) {
    const [name = '', ...value] = option.split('=');
    if (name.trim() !== '$select')
      throw new ODataNotImplementedError(
        '$expand',
        `the nested option "${name.slice(0, 40)}" is not supported; $select is.`,
      );
    if (isSent) throw new InvalidODataQueryError('$expand', 'the nested option "$select" is sent twice. Send it once.');
    isSent = true;
    select = parseSelect(value.join('='));
  }
  return select;
}

/** The parts of a text between separators that are neither in parentheses nor in quotes, trimmed. */
function splitOutsideParentheses(option: string, text: string, separator: string): string[] {
  const parts: string[] = [];
  let part = '';
  let depth = 0;
  let isQuoted = false;
  for (const character of text) {
    if (character === "'") isQuoted = !isQuoted;
    else if (!isQuoted && character === '(') depth++;
    else if (!isQuoted && character === ')') depth--;
    if (character !== separator || depth !== 0 || isQuoted) part += character;
    else {
      parts.push(part);
      part = '';
    }
  }
  if (depth !== 0 || isQuoted) throw new InvalidODataQueryError(option, 'a parenthesis or quote is not closed.');
  return [...parts, part].map((each) => each.trim());
}

/** Do the entities also depend on the rows that their references name? */
export function readsOtherTables({ filter, expand }: QueryOptions): boolean {
  return expand !== undefined || (filter !== undefined && hasPath(filter));
}

function hasPath(expression: Expression): boolean {
  switch (expression.kind) {
    case 'path':
      return expression.names.length > 1;
    case 'and':
    case 'or':
      return expression.terms.some(hasPath);
    case 'not':
      return hasPath(expression.term);
    case 'compare':
      return hasPath(expression.left) || hasPath(expression.right);
    case 'in':
      return hasPath(expression.left);
    case 'call':
      return expression.operands.some(hasPath);
    default:
      return false;
  }
}
