import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { type AcceptedVersions, requireVersion } from '../../../platform/http/conditional-requests.js';
import { ColumnConflictError, InvalidTablesError, TableNameTakenError } from '../workspace-tables.errors.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { type ColumnEdit, type EditPlan, planEdit } from './column-edit.js';
import type { ColumnError } from '../catalog/column-plan.js';
import { TableDto } from './dto/tables.dto.js';
import { RowRulesRepository } from './row-rules.repository.js';
import { TableChanges } from './table-changes.js';
import { type LockedTables, TableLocks } from '../catalog/table-locks.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { TablesService } from './tables.service.js';

/** What of a table is to be otherwise. What is not there stays. */
export interface TableEdit {
  name?: string;
  columns?: readonly ColumnEdit[];
}

/** Renames tables, and adds and edits columns. */
@Injectable()
export class TableEditsService {
  constructor(
    private readonly locks: TableLocks,
    private readonly changes: TableChanges,
    private readonly rules: RowRulesRepository,
    private readonly tables: TablesService,
    private readonly config: Config,
  ) {}

  /**
   * All or nothing. Where nothing changes no revision is spent.
   *
   * @throws {NotFoundError | PreconditionFailedError | TableNameTakenError | ColumnConflictError | InvalidTablesError}
   * @throws {UnavailableError}
   */
  async edit(place: TableRef, edit: TableEdit, accepted: AcceptedVersions): Promise<TableDto> {
    const name = edit.name?.normalize('NFC');
    return this.locks.withLocks(place, { newName: name, referring: name !== undefined }, async (locked) => {
      requireVersion({ version: locked.table.revision }, accepted);
      if (locked.isNameTaken) throw new TableNameTakenError(place.entity, name!);
      const plan = await this.plan(locked.table, edit.columns ?? []);
      return this.tables.describe(await this.carryOut(locked, plan, name));
    });
  }

  private async plan(table: CatalogTable, edits: readonly ColumnEdit[]): Promise<EditPlan> {
    const plan = planEdit(table.columns, edits, this.config.tables.maxColumns, table.droppedOrdinal);
    refuse(table, plan.errors);
    refuse(table, await this.rules.breaches(table, plan.rules));
    return plan;
  }

  private async carryOut({ table, tables }: LockedTables, plan: EditPlan, name = table.name): Promise<CatalogTable> {
    await this.changes.requestIndexes(table, plan.indexed);
    if (name === table.name && plan.added.length + plan.changed.length === 0) return table;
    const edited = { ...table, columns: plan.columns };
    await this.changes.editColumns(table, plan);
    return this.changes.spendRevision(name === table.name ? edited : await this.changes.rename(edited, tables, name));
  }
}

function refuse({ entity, name }: CatalogTable, errors: readonly ColumnError[]): void {
  if (errors.length === 0) return;
  const placed = errors.map((fault) => ({ type: entity, table: name, ...fault }));
  if (errors.some(({ code }) => code === 'column_type_conflict')) throw new ColumnConflictError(placed);
  throw new InvalidTablesError('invalid_columns', 'The columns cannot be so; nothing was changed.', placed);
}
