import type { SearchKind, Value } from './models.js';

type Operator =
  'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | TextOperator | `${Exclude<TextOperator, 'contains'> | 'eq'}IgnoreCase`;
type TextOperator = 'contains' | 'startsWith' | 'endsWith';
/** Conditions on one column, all of which must be true. A value is short for `{ eq: value }`. */
export type Condition =
  | Value
  | ({ [operator in Operator]?: Value } & {
      in?: Value[];
      notIn?: Value[];
      /** The lowest and the highest value. */
      between?: [Value, Value];
      null?: boolean;
    });

/**
 * Conditions, all of which must be true: on columns, on columns of referenced rows such as `location.name`, and
 * combined by `and`, `or` and `not`. A column with one of these keys is named in upper case.
 */
export type Filter<Row = Record<string, Value>> = string extends keyof Row
  ? { [name: string]: Condition | Filter<Row> | Filter<Row>[] | undefined }
  : { [column in Exclude<keyof Row, Combination>]?: Condition } & {
      and?: Filter<Row>[];
      or?: Filter<Row>[];
      not?: Filter<Row>;
    } & { [path: `${string}.${string}`]: Condition | undefined };
type Combination = 'and' | 'or' | 'not';

/** Which rows of a table to select. */
interface RowSelection<Row> {
  filter?: Filter<Row>;
  /** Searches all text columns. */
  q?: string;
  /** The row with this key and its subtree. */
  under?: string;
  depth?: number;
  /** For example `-weight,name`. */
  sort?: string;
  /** Reads the rows, and the rows that they reference, as they were. */
  asOf?: Moment | undefined;
}

/** A revision of the table, or a time: a text has its zone, such as `2026-03-01T08:00:00Z`. */
export type Moment = number | string | Date;

/** Which rows of a table to read, and how. */
export interface RowQuery<Row = Record<string, Value>> extends RowSelection<Row> {
  fields?: (keyof Row & string)[];
}

/** What to search in a workspace. */
export interface SearchOptions {
  /** All kinds by default for which the scopes suffice. */
  kinds?: SearchKind[];
  /** Only rows of these tables: IDs, or entity and name such as `assets/Equipment`. A name contains no comma. */
  tables?: string[];
  /** Hits of each kind, 10 by default. */
  limit?: number;
  signal?: AbortSignal;
}

/** `count` is the number of rows; the others are of the values of a column, such as `sum(weight)`. */
export type Measure = 'count' | `${'count' | 'countDistinct' | 'sum' | 'avg' | 'min' | 'max'}(${string})`;

/** How to group rows, and what to compute of each group. */
export interface AggregateQuery<Row = Record<string, Value>> extends RowSelection<Row> {
  /** Up to three: columns, dates by a unit such as `installed:month`, and columns of referenced rows. */
  group?: string[];
  /** `['count']` by default. */
  measures?: Measure[];
  /** Conditions on groups and measures. */
  having?: Filter;
}

export interface AggregateGroup {
  /** A period of dates is its first day. */
  group: Record<string, Value>;
  measures: Record<string, Value>;
}

/** The query as parameters of a URL. */
export function toSearchParams<Row>(query: RowQuery<Row> & AggregateQuery<Row>): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const name of ['q', 'under', 'depth', 'sort'] as const)
    if (query[name] !== undefined) parameters.set(name, String(query[name]));
  if (query.asOf !== undefined) parameters.set('asOf', formatMoment(query.asOf));
  for (const name of ['fields', 'group', 'measures'] as const)
    if (query[name]) parameters.set(name, query[name].join(','));
  // As JSON: brackets have neither combinations nor lists of values with commas.
  for (const name of ['filter', 'having'] as const) {
    const filter = query[name] && JSON.stringify(query[name], nameNumbers);
    if (filter !== undefined && filter !== '{}') parameters.set(name, filter);
  }
  return parameters;
}

/** Replaces numbers that JSON does not have, such as `Infinity`, by their names, which filters read. */
export function nameNumbers(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

/** The moment as a parameter or a field of a request. */
export function formatMoment(moment: Moment): string {
  return moment instanceof Date ? moment.toISOString() : String(moment);
}
