import type { Literal } from './expression.js';

/** Its midnight, or its last second. */
const DAY_BOUNDARY = /^(\d{4}-\d\d-\d\d)T(?:00:00(?::00(?:\.0+)?)?|(23:59:59(?:\.9+)?))(?:Z|[+-]00:00)$/;

/**
 * Grids send a day as a text, or as its midnight in UTC. With `gt` and `lte`, its last second means the same as the
 * day. Other instants may be a day in another timezone, so they are not accepted.
 */
export function findDay(sent: Literal['type'], value: string, operator: string): string | undefined {
  if (sent === 'text') return /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined;
  const [, day, lastSecond] = (sent === 'dateTime' && DAY_BOUNDARY.exec(value)) || [];
  return lastSecond === undefined || operator === 'gt' || operator === 'lte' ? day : undefined;
}
