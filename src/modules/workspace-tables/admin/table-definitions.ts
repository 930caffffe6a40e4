import { Injectable } from '@nestjs/common';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { CatalogWrites } from '../../../../packages/tables/src/catalog/catalog-writes.repository.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import { PhysicalTablesRepository } from '../../../../packages/tables/src/catalog/physical-tables.repository.js';
import { findReferringTables } from '../../../../packages/tables/src/catalog/reference-targets.js';
import { EventsService } from '../../events/events.service.js';
import { TableDeletedDto, TableUpdatedDto, toTableEvent } from '../catalog/dto/table-events.dto.js';
import { WorkspaceColumn } from '../catalog/workspace-column.entity.js';
import { WorkspaceTable } from '../catalog/workspace-table.entity.js';
import type { EditPlan } from './column-edit.js';
import { ColumnIndexesRepository } from './column-indexes.repository.js';

/**
 * Changes the definitions of tables: catalog and physical tables together. The caller holds the locks of all these
 * tables.
 */
@Injectable()
export class TableDefinitions {
  constructor(
    private readonly database: Database,
    private readonly writes: CatalogWrites,
    private readonly physical: PhysicalTablesRepository,
    private readonly indexes: ColumnIndexesRepository,
    private readonly events: EventsService,
  ) {}

  async editColumns(table: CatalogTable, { added, changed, unindexed }: EditPlan): Promise<void> {
    await this.updateColumns(table, changed);
    for (const column of unindexed) await this.indexes.withdraw(table, [column]);
    if (added.length === 0) return;
    await this.writes.addColumns(table, added);
    await this.physical.addColumns(table, added);
  }

  /**
   * Renames the table. References that contain its former name get the new one.
   *
   * @param table with its edited columns, and its former name.
   * @param tables all tables of the workspace before the edit.
   */
  async rename(table: CatalogTable, tables: readonly CatalogTable[], name: string): Promise<CatalogTable> {
    const current = tables.map((each) => (each.id === table.id ? table : each));
    await this.retarget(table, current, name, (target) => target !== table.id);
    const { workspaceId, id, entity } = table;
    const nameKey = normalizeName(name);
    const tableEntries = this.database.repository(WorkspaceTable);
    if (nameKey !== table.nameKey) await this.writes.retire(table);
    await tableEntries.update({ workspaceId, id }, { name, nameKey });
    if (nameKey !== table.nameKey)
      await this.writes.continueRevisions([workspaceId, entity, nameKey], { isNew: false });
    const { revision } = await tableEntries.findOneByOrFail({ workspaceId, id });
    return { ...table, name, nameKey, revision };
  }

  async dropColumn(table: CatalogTable, column: CatalogColumn): Promise<CatalogTable> {
    const { workspaceId, id } = table;
    const droppedOrdinal = Math.max(table.droppedOrdinal, column.ordinal);
    await this.database.repository(WorkspaceColumn).delete({ workspaceId, tableId: id, key: column.key });
    await this.database.repository(WorkspaceTable).update({ workspaceId, id }, { droppedOrdinal });
    await this.indexes.deleteEntriesWith(table, column);
    await this.writes.changeDefinition(table);
    await this.physical.dropColumn(table, column);
    const columns = table.columns.filter(({ key }) => key !== column.key);
    const indexes = table.indexes.filter((ordinals) => !ordinals.includes(column.ordinal));
    return this.incrementRevision({ ...table, columns, indexes });
  }

  /** References that contain the ID of the table get its name instead: a later table can have the name. */
  async drop(table: CatalogTable, tables: readonly CatalogTable[]): Promise<void> {
    const others = tables.filter(({ id }) => id !== table.id);
    await this.retarget(table, [table, ...others], table.name, (target) => target === table.id);
    await this.writes.retire(table);
    await this.writes.delete(table);
    await this.physical.drop(table);
    await this.events.record(table.workspaceId, TableDeletedDto, toTableEvent(table));
  }

  /** @returns the table with its new revision. */
  async incrementRevision(table: CatalogTable): Promise<CatalogTable> {
    const revision = table.revision + 1;
    await this.writes.setRevision(table, revision);
    const changed = { ...table, revision };
    await this.events.record(table.workspaceId, TableUpdatedDto, toTableEvent(changed));
    return changed;
  }

  /**
   * Sets the name of the table as target of references to it, and increments the revisions of the other tables that
   * contain them.
   *
   * @param isRetargeted is the reference with this ID or name as target changed?
   */
  private async retarget(
    table: CatalogTable,
    tables: readonly CatalogTable[],
    name: string,
    isRetargeted: (target: string) => boolean,
  ): Promise<void> {
    for (const { table: referring, references } of findReferringTables(table, tables)) {
      const columns = references.flatMap((column) => {
        const { target } = column.options;
        if (!target || !isRetargeted(target.table.toLowerCase())) return [];
        return [{ ...column, options: { ...column.options, target: { ...target, table: name } } }];
      });
      await this.updateColumns(referring, columns);
      if (columns.length > 0 && referring.id !== table.id) await this.incrementRevision(referring);
    }
  }

  private async updateColumns(table: CatalogTable, columns: readonly CatalogColumn[]): Promise<void> {
    if (columns.length === 0) return;
    const { workspaceId, id: tableId } = table;
    const entries = this.database.repository(WorkspaceColumn);
    for (const { key, name, required, description, options } of columns)
      await entries.update({ workspaceId, tableId, key }, { name, required, description, options });
    await this.writes.changeDefinition(table);
  }
}
