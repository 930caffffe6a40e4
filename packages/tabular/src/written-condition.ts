/** Operators with a list of values. */
const LISTS: readonly string[] = ['in', 'notIn', 'between'];

/**
 * The condition that a person writes as an operator of docs/reference/filters.md and one text. An empty text means no
 * value, whatever the type of the column: a filter would read `""` as an empty text of a text column, or as an
 * unchecked checkbox. A list has values between commas, of which empty ones are skipped.
 */
export function toCondition(operator: string, text: string): Record<string, string | string[] | boolean> {
  if (text === '' && operator === 'eq') return { null: true };
  if (text === '' && operator === 'ne') return { null: false };
  return { [operator]: LISTS.includes(operator) ? splitValues(text) : text };
}

/** Values between commas, without outer white space; empty ones are skipped. */
function splitValues(text: string): string[] {
  return text
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
}
