import type { Filter, Row, Rows, Value } from './access-policy-model.js';
import type { ApiResponse } from './api.js';

/** The words of a text, as the search compares them. */
export function wordsOf(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss');
  return folded.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The rows in which a search finds the beginning of a word. Numbers are not searched. */
export function findRows(rows: Rows, columns: readonly string[], q: string): string[] {
  const [word] = wordsOf(q);
  const isFound = (value: Value) => typeof value === 'string' && wordsOf(value).some((each) => each.startsWith(word!));
  return [...rows].filter(([, row]) => columns.some((column) => isFound(row[column] ?? null))).map(([key]) => key);
}

export interface Group {
  value: Value;
  measures: Record<string, Value>;
}

/** The groups of rows by a value of each, with the count and the sum of a column, in no order. */
export function groupRows(rows: readonly Row[], valueOf: (row: Row) => Value, summed: string | undefined): Group[] {
  const groups = new Map<Value, Group>();
  for (const row of rows) {
    const value = valueOf(row);
    const { measures }: Group = groups.get(value) ?? { value, measures: { count: 0 } };
    groups.set(value, { value, measures });
    measures['count'] = Number(measures['count']) + 1;
    if (summed === undefined) continue;
    const name = `sum(${summed})`;
    // The sum of no values is null.
    measures[name] ??= null;
    if (row[summed] !== null) measures[name] = Number(measures[name] ?? 0) + Number(row[summed]);
  }
  return [...groups.values()];
}

const OPERATORS: Record<string, string> = { eq: 'eq', ne: 'ne', gte: 'ge', lt: 'lt' };

/** A filter of the model as `$filter`. A condition on a text is false, not null, for a row without the text. */
export function toODataFilter(filter: Filter): string {
  const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value));
  const terms = Object.entries(filter).flatMap(([column, conditions]) =>
    Object.entries(conditions).map(([operator, value]) => {
      if (operator === 'null') return `${column} ${value === true ? 'eq' : 'ne'} null`;
      if (operator === 'in') return `${column} in (${(value as unknown[]).map(literal).join(',')})`;
      // The letter case counts in OData.
      if (operator === 'contains') return `contains(tolower(${column}),${literal(value)})`;
      return `${column} ${OPERATORS[operator]!} ${literal(value)}`;
    }),
  );
  return terms.join(' and ');
}

/**
 * Reads by a tool of assistants what a REST operation reads.
 *
 * @param query of the operation.
 * @returns the response of the operation.
 */
export async function readByTool(
  call: (tool: string, input: object) => Promise<ApiResponse>,
  tool: string,
  { fields, sort, group, measures, expand: _, ...query }: Record<string, unknown>,
): Promise<ApiResponse> {
  const lists = Object.entries({ fields, sort, group, measures }).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value.split(',')]] : [],
  );
  const response = await call(tool, { ...query, ...(Object.fromEntries(lists) as object) });
  const { data } = response.body;
  return data ? { ...response, body: { data: TO_DATA[tool]!(data) } } : response;
}

const tableOf = (name: string) => ({ name: name.split('/')[1] });

/** The data of the operation by those of the tool. */
const TO_DATA: Record<string, (data: any) => object> = {
  query_rows: ({ columns, rows, ...page }) => ({ ...page, items: toObjects(columns, rows) }),
  aggregate_rows: ({ columns: [group, ...measures], rows, ...page }) => {
    const items = rows.map(([value, ...values]: Value[]) => ({
      group: { [group]: value },
      measures: toObjects(measures, [values])[0],
    }));
    return { ...page, items };
  },
  get_row_history: ({ changes: items, ...page }) => ({ ...page, items }),
  list_notes: ({ notes: items, ...page }) => ({ ...page, items }),
  search: ({ groups, ...found }) => {
    const toHit = ({ table, matches, ...hit }: any) => {
      const parts = matches.map(({ field, text }: any) => ({ field, parts: [text] }));
      return { ...hit, table: tableOf(table), matches: parts };
    };
    return { ...found, groups: groups.map(({ kind, hits }: any) => ({ kind, items: hits.map(toHit) })) };
  },
};

function toObjects(columns: readonly string[], rows: readonly Value[][]): Row[] {
  return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]!])));
}
