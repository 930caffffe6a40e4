/** Conditions and orders that a developer would write for pages with a filter and a sort. `$1` is the value. */
export const FILTERS = {
  ascending: 'left(c4, 40) = $1 ORDER BY c6, c1',
  descending: 'left(c4, 40) = $1 ORDER BY c6 DESC, c1 DESC',
  unindexed: 'c5 = $1 ORDER BY c6, c1',
} as const;

export type FilterName = keyof typeof FILTERS;
