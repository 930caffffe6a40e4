import { Injectable } from '@nestjs/common';
import { type CatalogTable, CatalogRepository } from '../catalog/catalog.repository.js';
import type { EditPlan } from './column-edit.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { FormerTableNamesRepository } from '../catalog/former-table-names.repository.js';
import { PhysicalTablesRepository } from '../catalog/physical-tables.repository.js';
import { ColumnIndexesRepository } from './column-indexes.repository.js';
import { TableEditsRepository } from './table-edits.repository.js';
import { followDrop, followName, type Retargeted } from './retargeted-references.js';

/** Changes tables and their entries in the catalog together. The caller holds the locks of all tables concerned. */
@Injectable()
export class TableChanges {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly physical: PhysicalTablesRepository,
    private readonly entries: TableEditsRepository,
    private readonly indexes: ColumnIndexesRepository,
    private readonly formerNames: FormerTableNamesRepository,
  ) {}

  async editColumns(table: CatalogTable, { added, changed, unindexed }: EditPlan): Promise<void> {
    await this.entries.updateColumns(table, changed);
    await this.indexes.withdraw(table, unindexed);
    if (added.length === 0) return;
    await this.catalog.addColumns(table, added);
    await this.physical.addColumns(table, added);
  }

  /** Indexes that are there, or on their way, are left alone; those that failed are tried again. */
  async requestIndexes(table: CatalogTable, columns: readonly CatalogColumn[]): Promise<void> {
    await this.catalog.requestIndexes(table, columns);
  }

  /** @param tables all of the workspace, before: references by the name that the table had follow. */
  async rename(table: CatalogTable, tables: readonly CatalogTable[], name: string): Promise<CatalogTable> {
    await this.follow(table, followName(table, withTable(tables, table), name));
    return this.entries.rename(table, name);
  }

  async dropColumn(table: CatalogTable, column: CatalogColumn): Promise<CatalogTable> {
    await this.entries.removeColumn(table, column);
    await this.physical.dropColumn(table, column);
    return this.spendRevision({ ...table, columns: table.columns.filter(({ key }) => key !== column.key) });
  }

  /** @param tables all of the workspace: references by the table's id name it by its name from now on. */
  async drop(table: CatalogTable, tables: readonly CatalogTable[]): Promise<void> {
    const others = followDrop(table, tables).filter((retargeted) => retargeted.table.id !== table.id);
    await this.follow(table, others);
    await this.formerNames.retire(table);
    await this.catalog.delete(table);
    await this.physical.drop(table);
  }

  /** @returns the table as it is now. */
  async spendRevision(table: CatalogTable): Promise<CatalogTable> {
    const revision = table.revision + 1;
    await this.catalog.setRevision(table, revision);
    return { ...table, revision };
  }

  /** The table itself has a revision of its own. */
  private async follow({ id }: CatalogTable, retargeted: readonly Retargeted[]): Promise<void> {
    for (const { table, columns } of retargeted) {
      await this.entries.updateColumns(table, columns);
      if (table.id !== id) await this.spendRevision(table);
    }
  }
}

function withTable(tables: readonly CatalogTable[], table: CatalogTable): CatalogTable[] {
  return tables.map((each) => (each.id === table.id ? table : each));
}
