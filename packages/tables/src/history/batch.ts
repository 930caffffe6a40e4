import type { EntityKind } from '../catalog/entity-kind.js';
import type { CatalogTable } from '../catalog/catalog-table.js';

/** What can write several rows. */
export const BATCH_SOURCES = ['bulk', 'import', 'delete', 'webhook', 'undo', 'restore', 'assistant'] as const;
export type BatchSource = (typeof BATCH_SOURCES)[number];

/** What a batch did to a table. */
export interface BatchTable {
  id: string;
  entity: EntityKind;
  name: string;
  fromRevision: number;
  /** Equal to `fromRevision` if nothing changed. */
  toRevision: number;
  counts: { created: number; updated: number; deleted: number };
}

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
