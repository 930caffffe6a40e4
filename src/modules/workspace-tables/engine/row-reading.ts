import type { CatalogColumn } from '../catalog/column-plan.js';
import type { Coercion } from '../../../../packages/tabular/src/coercions.js';

/** Which of several rows with the same key is stored; with `error` none of them. */
export type OnDuplicate = 'error' | 'first' | 'last';

/** How the rows of a source are read, if not by the rules of bulk. */
export interface RowReading {
  /** Skip fields that match no column? */
  ignoresUnknown?: boolean;
  /** Column keys by names of fields that differ from key and name of the column. */
  columnKeys?: ReadonlyMap<string, string>;
  /** Converts values of other formats. @param coerce the rules of bulk. */
  adapt?: (column: CatalogColumn, coerce: Coercion) => Coercion;
  onDuplicate?: OnDuplicate;
}
