import type { Condition } from '@atrium/client';
import { UsageError } from './exit-codes.js';

const OPERATORS = { '>=': 'gte', '<=': 'lte', '!=': 'ne', '=': 'eq', '>': 'gt', '<': 'lt', '~': 'contains' } as const;

/** `weight>=100`, `name~pump`, `plant=` (no value). @throws {UsageError} */
export function parseConditions(texts: string[]): Record<string, Condition> {
  const filter = new Map<string, Record<string, string | boolean>>();
  for (const text of texts) {
    const match = /^([^<>=!~]+?)\s*(>=|<=|!=|=|>|<|~)\s*(.*)$/.exec(text);
    if (!match) throw new UsageError(`"${text}" is not a filter. Write for example --filter 'weight>=100'.`);
    const [, column = '', operator = '=', value = ''] = match;
    const name = OPERATORS[operator as keyof typeof OPERATORS];
    const condition = name === 'eq' && value === '' ? { null: true } : { [name]: value };
    filter.set(column, { ...filter.get(column), ...condition });
  }
  return Object.fromEntries(filter);
}
