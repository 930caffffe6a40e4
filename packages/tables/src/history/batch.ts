import type { EntityKind } from '../catalog/entity-kind.js';

/** What can write several rows. */
export const BATCH_SOURCES = ['bulk', 'import', 'delete', 'webhook', 'undo', 'restore'] as const;
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
