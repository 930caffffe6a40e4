import type { CatalogTable } from '../catalog/catalog-table.js';

/** How many rows a replacement may delete. */
export interface DeletionLimit {
  value: number;
  /** Is the value a percentage of the rows in the scope? */
  isPercentage: boolean;
}

/** SQL: the keys of the rows of a table that a replacement may delete, as `key`. These rows are its scope. */
export type SelectScope = (table: CatalogTable) => string;

/** A merge that deletes the rows which its source lacks. */
export interface Replacement {
  /** Absent: all rows of the table. */
  selectScope?: SelectScope;
  limit: DeletionLimit;
  /** Rows with a higher revision were written after the merge began, and are not deleted. */
  revision: number;
}
