import { isUuid } from '../../../sql/src/uuid.js';
import { normalizeName } from '../../../tabular/src/normalization.js';
import type { TableIdentity } from './catalog-table.js';
import type { EntityKind } from './entity-kind.js';
import type { View } from './view.js';

/** The tables of one entity, as a path refers to them: `…/{workspaceId}/cw/{entity}`. */
export interface EntityRef {
  /** What is visible of the workspace. */
  view: View;
  entity: EntityKind;
}

/** A table as a path refers to it: `…/{workspaceId}/cw/{entity}/{table}`. */
export interface TableRef extends EntityRef {
  /** The ID of the table, or its name in any letter case. */
  table: string;
}

/** The reference as a request body names a table. */
export function toIdentity({ entity, table }: Pick<TableRef, 'entity' | 'table'>): TableIdentity {
  return { entity, name: table, id: isUuid(table) ? table.toLowerCase() : undefined };
}

/** Is the table the one that the reference names? No table has a name that looks like an ID. */
export function isNamedBy(
  { entity, table }: TableRef,
  entry: { id: string; entity: EntityKind; nameKey: string },
): boolean {
  const isNamed = isUuid(table) ? entry.id === table.toLowerCase() : entry.nameKey === normalizeName(table);
  return isNamed && entry.entity === entity;
}
