import type { MergeRelation } from '../sources/relation.js';

/** `insert` creates the missing rows; `upsert` creates the missing rows, and updates the different ones. */
export type WriteStep = 'insert' | 'upsert';

/** How the rows of a relation are written to a table. */
export interface WriteStrategy {
  name: string;
  suits: (relation: MergeRelation) => boolean;
  /** In this order, until all rows are written. */
  steps: readonly WriteStep[];
}

/**
 * The first strategy that suits a relation is used. All have the same result. An INSERT of rows that the table does not
 * have is faster than an upsert of them, and an upsert finds the missing and the different rows together.
 */
export const WRITE_STRATEGIES: readonly WriteStrategy[] = [
  // The table has none of the rows.
  { name: 'insert all', suits: ({ isAllNew }) => isAllNew, steps: ['insert'] },
  // The table has at most half of the rows, as far as a sample shows.
  { name: 'insert, then upsert the others', suits: ({ isMostlyNew }) => isMostlyNew, steps: ['insert', 'upsert'] },
  { name: 'upsert', suits: () => true, steps: ['upsert'] },
];

export function chooseStrategy(relation: MergeRelation): WriteStrategy {
  return WRITE_STRATEGIES.find(({ suits }) => suits(relation))!;
}
