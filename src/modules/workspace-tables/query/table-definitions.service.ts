import { Injectable } from '@nestjs/common';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import type { ColumnType } from '../../../../packages/tabular/src/coercions.js';
import { NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import { isUuid } from '../../../../packages/sql/src/uuid.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import type { EntityKind } from '../../../../packages/tables/src/catalog/entity-kind.js';
import { RowHistory } from '../../../../packages/tables/src/catalog/row-history.js';
import { callerView } from '../catalog/caller-view.js';
import { findPolicyVersion } from '../../../../packages/tables/src/catalog/view.js';

export interface ColumnDefinition {
  key: string;
  type: ColumnType;
  primaryKey: boolean;
  /** The name or ID of the only table whose rows the values identify, if the values are references to one table. */
  target?: { entity: EntityKind; table: string };
}

/** A table as its reader may see it. */
export interface TableDefinition {
  id: string;
  entity: EntityKind;
  name: string;
  revision: number;
  /** Identifies the access policies that restrict the caller in the workspace; undefined if there are none. */
  policyVersion: string | undefined;
  /** Does a policy limit the rows that the caller may read? */
  isLimited: boolean;
  /** Can the caller read its changes? With a policy that limits the rows, only if former rows are stored. */
  hasChanges: boolean;
  columns: readonly ColumnDefinition[];
}

/** The tables and columns that the caller may read, for modules that describe them in their own way. */
@Injectable()
export class TableDefinitionsService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly history: RowHistory,
  ) {}

  /** All tables of the workspace, by entity and name. */
  async list(workspaceId: string): Promise<TableDefinition[]> {
    const tables = await this.catalog.listAll(callerView(workspaceId));
    const name = ({ entity, nameKey }: CatalogTable) => `${entity} ${nameKey}`;
    return tables.toSorted((a, b) => (name(a) < name(b) ? -1 : 1)).map((table) => this.describe(table));
  }

  /** @param idOrName the ID takes precedence; the name in any letter case. */
  async find(workspaceId: string, entity: EntityKind, idOrName: string): Promise<TableDefinition | undefined> {
    const table = await this.catalog.find(callerView(workspaceId), entity, idOrName);
    return table && this.describe(table);
  }

  /** @throws {NotFoundError} */
  async get({ view, entity, table }: TableRef): Promise<TableDefinition> {
    const found = await this.find(view.workspaceId, entity, table);
    if (!found) throw new NotFoundError('The table');
    return found;
  }

  describe(table: CatalogTable): TableDefinition {
    const { id, entity, name, revision, columns, permission } = table;
    const isLimited = permission?.rows !== undefined;
    const hasChanges = !isLimited || this.history.getDays(table) > 0;
    const policyVersion = findPolicyVersion(table.view);
    const toDefinition = ({ key, type, primaryKey, options }: CatalogColumn): ColumnDefinition => {
      if (type === 'hierarchyParent') return { key, type, primaryKey, target: { entity, table: id } };
      return { key, type, primaryKey, target: type === 'reference' ? options.target : undefined };
    };
    const access = { policyVersion, isLimited, hasChanges };
    return { id, entity, name, revision, ...access, columns: columns.map(toDefinition) };
  }
}

/** The table that a reference column refers to; undefined if the caller may not read it or it does not exist. */
export function findTarget(
  { target }: ColumnDefinition,
  tables: readonly TableDefinition[],
): TableDefinition | undefined {
  if (!target) return undefined;
  const candidates = tables.filter(({ entity }) => entity === target.entity);
  const byId = isUuid(target.table) ? candidates.find(({ id }) => id === target.table.toLowerCase()) : undefined;
  return byId ?? candidates.find(({ name }) => normalizeName(name) === normalizeName(target.table));
}
