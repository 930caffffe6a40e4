import type { CatalogTable } from '../catalog/catalog.repository.js';

/** How many rows a replacement may delete. */
export interface DeletionLimit {
  value: number;
  /** Is the value a percentage of the rows in the scope? */
  isPercentage: boolean;
}

/** A merge that deletes the rows which its source lacks. */
export interface Replacement {
  /** SQL: the keys of the rows that it may delete, as `key`. Absent: all rows. */
  selectScope?: (table: CatalogTable) => string;
  limit: DeletionLimit;
  /** Rows with a higher revision were written after the merge began, and are not deleted. */
  revision: number;
}
