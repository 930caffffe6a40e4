import type { Value } from './models.js';

type Operator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'contains';
/** Conditions on one column, all of which must be true. A value is short for `{ eq: value }`. */
export type Condition = Value | ({ [operator in Operator]?: Value } & { in?: Value[]; null?: boolean });

/** Which rows of a table to read, and how. */
export interface RowQuery<Row = Record<string, Value>> {
  filter?: { [column in keyof Row]?: Condition };
  /** Searches all text columns. */
  q?: string;
  /** The row with this key and its subtree. */
  under?: string;
  depth?: number;
  /** For example `-weight,name`. */
  sort?: string;
  fields?: (keyof Row & string)[];
}

/** The query as parameters of a URL. */
export function toSearchParams<Row>(query: RowQuery<Row>): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const name of ['q', 'under', 'depth', 'sort'] as const)
    if (query[name] !== undefined) parameters.set(name, String(query[name]));
  if (query.fields) parameters.set('fields', query.fields.join(','));
  for (const [column, condition] of Object.entries((query.filter ?? {}) as Record<string, Condition | undefined>)) {
    if (condition === undefined) continue;
    if (condition === null) parameters.append(`filter[${column}][null]`, 'true');
    else if (typeof condition !== 'object') parameters.append(`filter[${column}]`, String(condition));
    else
      for (const [operator, value] of Object.entries(condition))
        parameters.append(`filter[${column}][${operator}]`, Array.isArray(value) ? value.join(',') : String(value));
  }
  return parameters;
}
