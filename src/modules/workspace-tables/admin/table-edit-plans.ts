import { Injectable } from '@nestjs/common';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import { isEqual } from '../../../../packages/sql/src/stored-json.js';
import { includesRole, type Role } from '../../../platform/security/roles.js';
import { InsufficientRoleError } from '../../../platform/security/security.errors.js';
import { Config } from '../../../platform/config/config.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import {
  type Constraint,
  describeViolation,
  listConstraints,
  listKeys,
} from '../../../../packages/tables/src/catalog/column-constraints.js';
import type { ColumnError } from '../../../../packages/tables/src/catalog/column-plan.js';
import { ConstraintsRepository } from '../../../../packages/tables/src/catalog/constraints.repository.js';
import { RowHistory } from '../../../../packages/tables/src/catalog/row-history.js';
import {
  editOptions,
  findInvalidTableOptions,
  type TableOptions,
} from '../../../../packages/tables/src/catalog/table-options.js';
import { ColumnConflictError, InvalidTablesError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { type EditPlan, planEdit, type TableEdit } from './column-edit.js';
import { PolicyReferences } from './policy-references.js';

/** The plan of the columns, and the options of the table. */
export type TableEditPlan = EditPlan & { options: TableOptions };

/** Plans edits of tables, and rejects those that columns or stored rows do not permit. */
@Injectable()
export class TableEditPlans {
  constructor(
    private readonly constraints: ConstraintsRepository,
    private readonly history: RowHistory,
    private readonly policies: PolicyReferences,
    private readonly config: Config,
  ) {}

  /**
   * All errors are found before anything is changed.
   *
   * @param table under its lock.
   * @param role of the caller.
   * @throws {ColumnConflictError | InvalidTablesError}
   * @throws {InsufficientRoleError} if the edit weakens what controls editors, and the caller is not an owner.
   */
  async plan(
    table: CatalogTable,
    { columns: edits = [], options: edit, existing, name }: TableEdit,
    role: Role,
  ): Promise<TableEditPlan> {
    const columnPlan = planEdit(table.columns, edits, this.config.tables.maxColumns, table.droppedOrdinal);
    throwErrors(table, columnPlan.errors);
    const options = editOptions(table.options, edit ?? {});
    throwErrors(table, findInvalidTableOptions(options, columnPlan.columns));
    if (!includesRole(role, 'owner')) await this.requireUncontrolled(table, options, name);
    const plan = {
      ...columnPlan,
      options,
      constraints: [...columnPlan.constraints, ...this.findAdded(table, columnPlan, options)],
    };
    throwErrors(table, await this.constraints.findInvalid([...plan.added, ...plan.changed]));
    throwErrors(table, await this.constraints.findViolations(table, plan.rules));
    if (existing !== 'allow') throwErrors(table, await this.findViolations({ ...table, columns: plan.columns }, plan));
    return plan;
  }

  /**
   * An editor cannot switch off what reviews and records the changes of editors, and cannot choose the rules of access
   * policies that apply to a table.
   *
   * @throws {InsufficientRoleError}
   */
  private async requireUncontrolled(table: CatalogTable, options: TableOptions, name = table.name): Promise<void> {
    if (!isEqual(options.approval, table.options.approval)) throw createRoleError('Changing', 'options.approval');
    if (this.history.getDays({ options }) < this.history.getDays(table))
      throw createRoleError('Lowering', 'options.historyDays');
    const isRenamed = normalizeName(name) !== table.nameKey;
    if (isRenamed && (await this.policies.isNamed(table.workspaceId, table.entity, name)))
      throw createRoleError('An access policy has a rule for this name, so changing', 'name');
  }

  /** The constraints of several columns that the edit adds. */
  private findAdded(table: CatalogTable, { columns }: EditPlan, options: TableOptions): Constraint[] {
    const known = new Set(table.options.uniqueTogether?.map((keys) => keys.join()));
    const uniqueTogether = options.uniqueTogether?.filter((keys) => !known.has(keys.join()));
    return listConstraints({ columns, options: { uniqueTogether } }).filter(({ others }) => others);
  }

  /** An error for each constraint of the plan that stored rows violate, unless it is a warning. */
  private async findViolations(table: CatalogTable, plan: TableEditPlan): Promise<ColumnError[]> {
    const constraints = plan.constraints.filter(({ level }) => level === 'error');
    const counts = await this.constraints.count(table, { constraints });
    const violated = constraints.flatMap((constraint, position) => {
      const rows = counts[position]!;
      return rows > 0 ? [{ constraint, rows }] : [];
    });
    const errors: ColumnError[] = [];
    for (const { constraint, rows } of violated) {
      const [first] = await this.constraints.find(table, { constraints: [constraint] }, 1);
      const { column, code, message } = describeViolation(first!);
      const violate = rows === 1 ? '1 row violates' : `${rows} rows violate`;
      const { others } = constraint;
      const named = others
        ? `"uniqueTogether" of ${listKeys([constraint.column, ...others])}`
        : `"${constraint.rule}" of "${column}"`;
      const advice = 'Correct them, or send "existing": "allow".';
      errors.push({
        column,
        code,
        message: `${violate} ${named}, such as "${first!.key}": ${message} ${advice}`,
      });
    }
    return errors;
  }
}

function throwErrors({ entity, name }: CatalogTable, errors: readonly ColumnError[]): void {
  if (errors.length === 0) return;
  const tableErrors = errors.map((error) => ({ type: entity, table: name, ...error }));
  if (errors.some(({ code }) => code === 'column_type_conflict')) throw new ColumnConflictError(tableErrors);
  throw new InvalidTablesError('invalid_columns', 'The columns are invalid. Nothing was changed.', tableErrors);
}

function createRoleError(change: string, field: string): InsufficientRoleError {
  return new InsufficientRoleError('owner', field, `${change} "${field}" needs the role owner. Ask an owner.`);
}
