import type { Condition } from '@atrium/client';
import { UsageError } from './exit-codes.js';

const OPERATORS = { '>=': 'gte', '<=': 'lte', '!=': 'ne', '=': 'eq', '>': 'gt', '<': 'lt', '~': 'contains' } as const;

/** `weight>=100`, `name~pump`, `plant=` (no value). @throws {UsageError} */
export function parseConditions(texts: string[]): Record<string, Condition> {
  const filter: Record<string, Record<string, string | boolean>> = {};
  for (const text of texts) {
    const match = /^([^<>=!~]+?)\s*(>=|<=|!=|=|>|<|~)\s*(.*)$/.exec(text);
    if (!match) throw new UsageError(`"${text}" is not a filter. Write for example --filter 'weight>=100'.`);
    const [, column = '', operator = '=', value = ''] = match;
    const name = OPERATORS[operator as keyof typeof OPERATORS];
    filter[column] = { ...filter[column], ...(name === 'eq' && value === '' ? { null: true } : { [name]: value }) };
  }
  return filter;
}
