import fc from 'fast-check';
import type { Item } from './tables.js';

/** Filters as their JSON, and what they must select: an evaluator that knows neither the parser nor SQL. */

type Value = Item[string];
/** A column of dates has only days, or also instants. */
type Kind = 'text' | 'number' | 'date' | 'instant' | 'checkbox' | 'key';
export type Filter = { [name: string]: unknown };

/** Random filters of all tests together: 500, and 20,000 at night. */
const FILTER_RUNS = Number(process.env['FILTER_RUNS'] ?? 500);

/** @param part of 500 filters. */
export const runsOf = (part: number): number => Math.ceil((part * FILTER_RUNS) / 500);

/** Timeout of a test with random filters, in milliseconds. */
export const RUNS_TIMEOUT_MS = 60_000 + 60 * FILTER_RUNS;

/** A table in memory. */
export interface ModelTable {
  columns: Record<string, Kind>;
  rows: Item[];
  /** The tables that its references name: several for a reference without target. */
  references: Record<string, readonly ModelTable[]>;
}

/** Parts of texts: letters in both cases and beyond the basic plane, wildcards and quotes. */
const PARTS = [
  'a',
  'A',
  'b',
  'é',
  'É',
  'e\u0301',
  '\u{10FFFF}',
  '😀',
  '\uFFFD',
  '%',
  '_',
  '\\',
  "'",
  '"',
  '.*',
  '(',
  '[',
  '$1',
  '--',
  ' x',
];

/** Operators that ignore letter case. */
export const CASELESS = ['eqIgnoreCase', 'startsWithIgnoreCase', 'endsWithIgnoreCase'];

const someText = fc.array(fc.constantFrom(...PARTS), { maxLength: 4 }).map((parts) => parts.join(''));
const VALUES: Record<Kind, fc.Arbitrary<Exclude<Value, null>>> = {
  text: fc.oneof(
    { weight: 9, arbitrary: someText },
    { weight: 1, arbitrary: someText.map((end) => 'x'.repeat(300) + end) },
  ),
  number: fc.constantFrom(-3, -0.5, 0, 1, 1.5, 20, 2 ** 52, 1e-7),
  date: fc.constantFrom('0001-01-02', '2024-02-29', '2024-03-01', '2026-12-31', '9999-12-31'),
  instant: fc.constantFrom(
    '2024-02-28T23:59:59.999Z',
    '2024-02-29',
    '2024-02-29T00:00:00.000Z',
    '2024-02-29T23:59:59.999Z',
    '2024-03-01',
    '2024-03-01T00:00:00.000Z',
  ),
  checkbox: fc.boolean(),
  key: fc.constantFrom('K1', 'K2', 'k1', 'É1', 'E\u03011', "K'1", 'K%', 'K_', 'none'),
};

/** Keys are stored in NFC. */
export function cellOf(kind: Kind): fc.Arbitrary<Value> {
  return valueOrNullOf(kind).map((value) => (kind === 'key' ? toNfc(value) : value));
}

function toNfc<T>(sent: T): T {
  return (Array.isArray(sent) ? sent.map(toNfc) : typeof sent === 'string' ? sent.normalize() : sent) as T;
}

function valueOrNullOf(kind: Kind): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 4, arbitrary: VALUES[kind] }, { weight: 1, arbitrary: fc.constant(null) });
}

/** Is the text empty or a null, which brackets cannot send in a list? */
const isSendableInList = (value: Value) => value !== null && value !== '' && !String(value).includes(',');

function operatorsOf(kind: Kind, isForBrackets: boolean): fc.Arbitrary<Filter> {
  const value = VALUES[kind];
  const one: fc.Arbitrary<Value> = isForBrackets ? value : valueOrNullOf(kind);
  const list = fc.array(isForBrackets ? value.filter(isSendableInList) : one, {
    minLength: isForBrackets ? 1 : 0,
    maxLength: 4,
  });
  const pair = fc.tuple(value, value).filter((values) => !isForBrackets || values.every(isSendableInList));
  const operators: fc.Arbitrary<Filter>[] = [
    one.map((eq) => ({ eq })),
    one.map((ne) => ({ ne })),
    fc.tuple(fc.constantFrom('lt', 'lte', 'gt', 'gte'), value).map(([name, each]) => ({ [name]: each })),
    fc.tuple(fc.constantFrom('in', 'notIn'), list).map(([name, each]) => ({ [name]: each })),
    pair.map((between) => ({ between })),
    fc.boolean().map((empty) => ({ null: empty })),
  ];
  const part =
    kind === 'key'
      ? fc.constantFrom('K', 'k1', 'É', 'E\u0301', 'e\u03011', "'", '%', '_', '1')
      : someText.filter((text) => text !== '');
  if (kind === 'text' || kind === 'key')
    operators.push(
      fc
        .tuple(fc.constantFrom('contains', 'startsWith', 'endsWith', ...CASELESS), part)
        .map(([name, each]) => ({ [name]: each })),
    );
  const combined = fc
    .tuple(fc.oneof(...operators), fc.oneof(...operators))
    .map(([first, second]) => ({ ...first, ...second }));
  return fc.oneof({ weight: 8, arbitrary: fc.oneof(...operators) }, { weight: 1, arbitrary: combined });
}

/** The columns of the table, and those that at most three references lead to. */
export function listPaths({ columns, references }: ModelTable, depth = 0): [path: string, kind: Kind][] {
  const own = Object.entries(columns);
  const others = depth === 3 ? [] : Object.entries(references);
  return [
    ...own,
    ...others.flatMap(([name, targets]) => {
      const paths = new Map(targets.flatMap((target) => listPaths(target, depth + 1)));
      return [...paths].map(([path, kind]): [string, Kind] => [`${name}.${path}`, kind]);
    }),
  ];
}

/** Conditions that must all be true. */
export function flatFilters(table: ModelTable): fc.Arbitrary<Filter> {
  return fc
    .array(conditionOf(table, true), { minLength: 1, maxLength: 3 })
    .map((all) => Object.assign({}, ...all) as Filter);
}

function conditionOf(table: ModelTable, isForBrackets: boolean): fc.Arbitrary<Filter> {
  return fc
    .constantFrom(...listPaths(table))
    .chain(([path, kind]) => operatorsOf(kind, isForBrackets).map((operators) => ({ [path]: operators })));
}

/** Trees of at most five levels and few conditions. */
export function filterTrees(table: ModelTable): fc.Arbitrary<Filter> {
  const { tree } = fc.letrec<{ tree: Filter; leaf: Filter }>((tie) => ({
    leaf: conditionOf(table, false),
    tree: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      tie('leaf'),
      fc.array(tie('tree'), { minLength: 1, maxLength: 2 }).map((and) => ({ and })),
      fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((or) => ({ or })),
      tie('tree').map((not) => ({ not })),
      fc.tuple(tie('leaf'), tie('tree')).map(([leaf, not]) => ({ ...leaf, not })),
    ),
  }));
  return tree;
}

/** The flat filter as parameters of a URL. */
export function toBrackets(filter: Filter): string {
  const parameters = Object.entries(filter).flatMap(([path, operators]) =>
    Object.entries(operators as Filter).map(([operator, value]) => {
      const sent = Array.isArray(value) ? value.join(',') : String(value);
      return `filter[${path}][${operator}]=${encodeURIComponent(sent)}`;
    }),
  );
  return parameters.join('&');
}

/** The keys of the rows that meet the filter, in order. */
export function selectKeys(table: ModelTable, filter: Filter): string[] {
  const keys = table.rows.filter((row) => meets(filter, row, table)).map(({ key }) => String(key));
  return keys.toSorted(compareBytes);
}

function meets(filter: Filter, row: Item, table: ModelTable): boolean {
  return Object.entries(filter).every(([name, operand]) => {
    if (name === 'and') return (operand as Filter[]).every((each) => meets(each, row, table));
    if (name === 'or') return (operand as Filter[]).some((each) => meets(each, row, table));
    if (name === 'not') return !meets(operand as Filter, row, table);
    const path = name.split('.');
    const isKey = findKind(path, table) === 'key';
    return listValues(row, path, table).some((value) =>
      Object.entries(operand as Filter).every(([operator, sent]) =>
        isTrue(operator, value, isKey ? toNfc(sent) : sent),
      ),
    );
  });
}

function findKind([name = '', ...rest]: string[], { columns, references }: ModelTable): Kind | undefined {
  if (rest.length === 0) return columns[name];
  return references[name]?.map((target) => findKind(rest, target)).find((kind) => kind !== undefined);
}

/** The values of the rows that a path can mean. One of a row that does not exist, or without the column, is empty. */
function listValues(row: Item, [name = '', ...rest]: string[], table: ModelTable): Value[] {
  const value = row[name] ?? null;
  if (rest.length === 0) return [value];
  const values = (table.references[name] ?? []).flatMap((target) =>
    target.rows.filter(({ key }) => key === value).flatMap((each) => listValues(each, rest, target)),
  );
  return values.length === 0 ? [null] : values;
}

function isTrue(operator: string, value: Value, sent: unknown): boolean {
  const list = sent as Value[];
  switch (operator) {
    case 'null':
      return (value === null) === sent;
    case 'eq':
      return isEqual(value, sent as Value);
    case 'ne':
      return !isEqual(value, sent as Value);
    case 'in':
      return list.some((each) => isEqual(value, each));
    case 'notIn':
      return !list.some((each) => isEqual(value, each));
  }
  if (value === null) return false;
  switch (operator) {
    case 'lt':
      return compare(value, sent as Value) < 0;
    case 'lte':
      return compare(value, sent as Value) <= 0;
    case 'gt':
      return compare(value, sent as Value) > 0;
    case 'gte':
      return compare(value, sent as Value) >= 0;
    case 'between':
      return compare(value, list[0]!) >= 0 && compare(value, list[1]!) <= 0;
    case 'contains':
      return String(value).toLowerCase().includes(String(sent).toLowerCase());
    case 'startsWith':
      return String(value).startsWith(String(sent));
    case 'endsWith':
      return String(value).endsWith(String(sent));
    case 'eqIgnoreCase':
      return String(value).toLowerCase() === String(sent).toLowerCase();
    case 'startsWithIgnoreCase':
      return String(value).toLowerCase().startsWith(String(sent).toLowerCase());
    case 'endsWithIgnoreCase':
      return String(value).toLowerCase().endsWith(String(sent).toLowerCase());
    default:
      throw new Error(`unknown operator ${operator}`);
  }
}

function isEqual(value: Value, sent: Value): boolean {
  return value === null || sent === null ? value === sent : compare(value, sent) === 0;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** A day is equal to its instants. */
function compare(a: Value, b: Value): number {
  if (typeof a === 'string' && DAY.test(String(b)) && a.startsWith(String(b))) return 0;
  return typeof a === 'string' ? compareBytes(a, String(b)) : Number(a) - Number(b);
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
