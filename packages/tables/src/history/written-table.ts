import type { CatalogTable } from '../catalog/catalog-table.js';
import type { BatchTable } from './batch.js';

/** A table after a batch has written it. */
export interface WrittenTable {
  table: CatalogTable;
  fromRevision: number;
  /** What happened to the table or its columns. */
  definition?: 'created' | 'updated';
  counts: BatchTable['counts'];
  /** Rows that it has received and not written. */
  others?: { unchanged: number; failed: number };
}
