import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { normalizeName } from '../catalog/entity-kind.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { FormerTableNamesRepository } from '../catalog/former-table-names.repository.js';
import { WorkspaceColumn } from '../catalog/workspace-column.entity.js';
import { WorkspaceTable } from '../catalog/workspace-table.entity.js';

/** Changes entries of the catalog. The caller holds the tables' locks. */
@Injectable()
export class TableEditsRepository {
  constructor(
    private readonly database: Database,
    private readonly formerNames: FormerTableNamesRepository,
  ) {}

  /** @returns the table as it is called, and counted, from now on. */
  async rename(table: CatalogTable, name: string): Promise<CatalogTable> {
    const { workspaceId, id, entity } = table;
    const changes = { name, nameKey: normalizeName(name) };
    const isMoving = changes.nameKey !== table.nameKey;
    if (isMoving) await this.formerNames.retire(table);
    await this.database.manager.update(WorkspaceTable, { workspaceId, id }, changes);
    if (isMoving) await this.formerNames.continueRevisions([workspaceId, entity, changes.nameKey]);
    const { revision } = await this.database.manager.findOneByOrFail(WorkspaceTable, { workspaceId, id });
    return { ...table, ...changes, revision };
  }

  /** What may be changed of columns. */
  async updateColumns({ workspaceId, id: tableId }: CatalogTable, columns: readonly CatalogColumn[]): Promise<void> {
    for (const { key, name, required, description, options } of columns) {
      const changes = { name, required, description, options };
      await this.database.manager.update(WorkspaceColumn, { workspaceId, tableId, key }, changes);
    }
  }

  /** The column's ordinal is not given away again. */
  async removeColumn({ workspaceId, id: tableId }: CatalogTable, { key, ordinal }: CatalogColumn): Promise<void> {
    await this.database.manager.delete(WorkspaceColumn, { workspaceId, tableId, key });
    await this.database.query(
      'UPDATE workspace_tables SET dropped_ordinal = greatest(dropped_ordinal, $3) WHERE workspace_id = $1 AND id = $2',
      [workspaceId, tableId, ordinal],
    );
  }
}
