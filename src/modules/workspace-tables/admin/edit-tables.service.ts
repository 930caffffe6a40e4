import { Injectable } from '@nestjs/common';
import { toNfc } from '../../../../packages/tabular/src/normalization.js';
import { Config } from '../../../platform/config/config.js';
import { type AcceptedVersions, requireVersion } from '../../../platform/http/conditional-requests.js';
import { CatalogRepository, type CatalogTable } from '../catalog/catalog.repository.js';
import type { ColumnError } from '../catalog/column-plan.js';
import { ColumnRulesRepository } from '../catalog/column-rules.repository.js';
import { type LockedTables, TableLocks } from '../catalog/table-locks.js';
import { isNamedBy, type TableRef } from '../catalog/table-ref.decorator.js';
import { ColumnConflictError, InvalidTablesError, TableNameTakenError } from '../workspace-tables.errors.js';
import { type EditPlan, planEdit, type TableEdit } from './column-edit.js';
import { requireConfirmation } from './confirmation.js';
import { DescribeTablesService } from './describe-tables.service.js';
import { TableDto } from './dto/tables.dto.js';
import { TableDefinitions } from './table-definitions.js';

/** Renames tables, and adds and edits columns. */
@Injectable()
export class EditTablesService {
  constructor(
    private readonly locks: TableLocks,
    private readonly catalog: CatalogRepository,
    private readonly definitions: TableDefinitions,
    private readonly rules: ColumnRulesRepository,
    private readonly tables: DescribeTablesService,
    private readonly config: Config,
  ) {}

  /**
   * All or nothing. An edit without changes does not increment the revision.
   *
   * @param confirm the former name or the ID of a table that is renamed.
   * @throws {NotFoundError | InvalidRequestError | PreconditionFailedError | TableNameTakenError | ColumnConflictError
   *   | InvalidTablesError}
   * @throws {UnavailableError}
   */
  async edit(
    ref: TableRef,
    edit: TableEdit,
    { confirm, accepted }: { confirm: string | undefined; accepted: AcceptedVersions },
  ): Promise<TableDto> {
    const name = edit.name === undefined ? undefined : toNfc(edit.name);
    return this.locks.withLocks(ref, { newName: name, referring: name !== undefined }, async (locked) => {
      const { table } = locked;
      if (name !== undefined && name !== table.name)
        requireConfirmation(confirm, table.name, (text) => isNamedBy({ ...ref, table: text }, table));
      requireVersion({ version: table.revision }, accepted);
      if (locked.isNameTaken) throw new TableNameTakenError(ref.entity, name!);
      const plan = await this.plan(table, edit.columns ?? []);
      return this.tables.describe(await this.execute(locked, plan, name));
    });
  }

  private async plan(table: CatalogTable, edits: NonNullable<TableEdit['columns']>): Promise<EditPlan> {
    const plan = planEdit(table.columns, edits, this.config.tables.maxColumns, table.droppedOrdinal);
    throwErrors(table, plan.errors);
    throwErrors(table, await this.rules.findViolations(table, plan.rules));
    return plan;
  }

  private async execute({ table, tables }: LockedTables, plan: EditPlan, name = table.name): Promise<CatalogTable> {
    await this.catalog.requestIndexes(table, plan.indexed);
    if (name === table.name && plan.added.length + plan.changed.length === 0) return table;
    await this.definitions.editColumns(table, plan);
    const edited = { ...table, columns: plan.columns };
    return this.definitions.incrementRevision(
      name === table.name ? edited : await this.definitions.rename(edited, tables, name),
    );
  }
}

function throwErrors({ entity, name }: CatalogTable, errors: readonly ColumnError[]): void {
  if (errors.length === 0) return;
  const tableErrors = errors.map((error) => ({ type: entity, table: name, ...error }));
  if (errors.some(({ code }) => code === 'column_type_conflict')) throw new ColumnConflictError(tableErrors);
  throw new InvalidTablesError('invalid_columns', 'The columns are invalid. Nothing was changed.', tableErrors);
}
