import { Injectable } from '@nestjs/common';
import { toNfc } from '../../../../packages/tabular/src/normalization.js';
import { isEqual } from '../../../../packages/sql/src/stored-json.js';
import { type AcceptedVersions, requireVersion } from '../../../platform/http/conditional-requests.js';
import type { Role } from '../../../platform/security/roles.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { CatalogWrites } from '../../../../packages/tables/src/catalog/catalog-writes.repository.js';
import { TableLog } from '../../../../packages/tables/src/history/table-log.js';
import { type LockedTables, TableLocks } from '../catalog/table-locks.js';
import { isNamedBy } from '../../../../packages/tables/src/catalog/table-ref.js';
import { type TableRef } from '../catalog/table-ref.decorator.js';
import { TableNameTakenError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import type { TableEdit } from './column-edit.js';
import { requireConfirmation } from './confirmation.js';
import { DescribeTablesService } from './describe-tables.service.js';
import { TableDto } from './dto/tables.dto.js';
import { PolicyReferences } from './policy-references.js';
import { TableDefinitions } from './table-definitions.js';
import { type TableEditPlan, TableEditPlans } from './table-edit-plans.js';

/** Who edits a table, and what the caller has confirmed. */
interface EditRequest {
  /** The role of the caller in the workspace. */
  role: Role;
  /** The former name or the ID of a table that is renamed. */
  confirm?: string;
  accepted?: AcceptedVersions;
}

/** Renames tables, edits their options, and adds and edits columns. */
@Injectable()
export class EditTablesService {
  constructor(
    private readonly locks: TableLocks,
    private readonly writes: CatalogWrites,
    private readonly definitions: TableDefinitions,
    private readonly plans: TableEditPlans,
    private readonly tables: DescribeTablesService,
    private readonly policies: PolicyReferences,
    private readonly log: TableLog,
  ) {}

  /**
   * All or nothing. An edit without changes does not increment the revision.
   *
   * @throws {NotFoundError | InvalidRequestError | PreconditionFailedError | TableNameTakenError | ColumnConflictError
   *   | InvalidTablesError}
   * @throws {InsufficientRoleError} if the edit weakens what controls editors, and the caller is not an owner.
   * @throws {UnavailableError}
   */
  async edit(ref: TableRef, edit: TableEdit, { role, confirm, accepted }: EditRequest): Promise<TableDto> {
    const name = edit.name === undefined ? undefined : toNfc(edit.name);
    return this.locks.withLocks(ref, { newName: name, referring: name !== undefined }, async (locked) => {
      const { table } = locked;
      if (name !== undefined && name !== table.name)
        requireConfirmation(confirm, table.name, (text) => isNamedBy({ ...ref, table: text }, table));
      requireVersion({ version: table.revision }, accepted);
      if (locked.isNameTaken) throw new TableNameTakenError(ref.entity, name!);
      const plan = await this.plans.plan(table, { ...edit, name }, role);
      return this.tables.describe(await this.execute(locked, plan, name));
    });
  }

  private async execute(
    { table, tables }: LockedTables,
    plan: TableEditPlan,
    name = table.name,
  ): Promise<CatalogTable> {
    await this.writes.requestIndexes(table, plan.indexed);
    const { options } = plan;
    const isSame = isEqual(options, table.options);
    if (name === table.name && isSame && plan.added.length + plan.changed.length === 0) return table;
    await this.definitions.editColumns(table, plan);
    if (!isSame) await this.writes.setOptions(table, options);
    const edited = { ...table, options, columns: plan.columns };
    if (name !== table.name) await this.policies.bind(table);
    const changed = name === table.name ? edited : await this.definitions.rename(edited, tables, name);
    await this.log.recordDefinition(table, changed);
    return this.definitions.incrementRevision(changed);
  }
}
