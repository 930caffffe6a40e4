import { Injectable } from '@nestjs/common';
import { toNfc } from '../../../../packages/tabular/src/normalization.js';
import { isEqual } from '../../../records/record-values.js';
import { Config } from '../../../platform/config/config.js';
import { type AcceptedVersions, requireVersion } from '../../../platform/http/conditional-requests.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { CatalogWrites } from '../catalog/catalog-writes.repository.js';
import type { ColumnError } from '../catalog/column-plan.js';
import { type Constraint, describeViolation, listConstraints, listKeys } from '../catalog/column-constraints.js';
import { ConstraintsRepository } from '../catalog/constraints.repository.js';
import { ColumnRulesRepository } from '../catalog/column-rules.repository.js';
import { type LockedTables, TableLocks } from '../catalog/table-locks.js';
import { editOptions, findInvalidTableOptions, type TableOptions } from '../catalog/table-options.js';
import { isNamedBy, type TableRef } from '../catalog/table-ref.decorator.js';
import { ColumnConflictError, InvalidTablesError, TableNameTakenError } from '../workspace-tables.errors.js';
import { type EditPlan, planEdit, type TableEdit } from './column-edit.js';
import { requireConfirmation } from './confirmation.js';
import { DescribeTablesService } from './describe-tables.service.js';
import { TableDto } from './dto/tables.dto.js';
import { TableDefinitions } from './table-definitions.js';

/** The plan of the columns, and the options of the table. */
type Plan = EditPlan & { options: TableOptions };

/** Renames tables, edits their options, and adds and edits columns. */
@Injectable()
export class EditTablesService {
  constructor(
    private readonly locks: TableLocks,
    private readonly catalog: CatalogWrites,
    private readonly definitions: TableDefinitions,
    private readonly rules: ColumnRulesRepository,
    private readonly constraints: ConstraintsRepository,
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
      const plan = await this.plan(table, edit);
      return this.tables.describe(await this.execute(locked, plan, name));
    });
  }

  private async plan(table: CatalogTable, { columns: edits = [], options: edit, existing }: TableEdit): Promise<Plan> {
    const columnPlan = planEdit(table.columns, edits, this.config.tables.maxColumns, table.droppedOrdinal);
    throwErrors(table, columnPlan.errors);
    const options = editOptions(table.options, edit ?? {});
    throwErrors(table, findInvalidTableOptions(options, columnPlan.columns));
    const plan = {
      ...columnPlan,
      options,
      constraints: [...columnPlan.constraints, ...this.findAdded(table, columnPlan, options)],
    };
    throwErrors(table, await this.constraints.findInvalid([...plan.added, ...plan.changed]));
    throwErrors(table, await this.rules.findViolations(table, plan.rules));
    if (existing !== 'allow') throwErrors(table, await this.findViolations({ ...table, columns: plan.columns }, plan));
    return plan;
  }

  /** The constraints of several columns that the edit adds. */
  private findAdded(table: CatalogTable, { columns }: EditPlan, options: TableOptions): Constraint[] {
    const known = new Set(table.options.uniqueTogether?.map((keys) => keys.join()));
    const uniqueTogether = options.uniqueTogether?.filter((keys) => !known.has(keys.join()));
    return listConstraints({ columns, options: { uniqueTogether } }).filter(({ others }) => others);
  }

  /** An error for each constraint of the plan that stored rows violate, unless it is a warning. */
  private async findViolations(table: CatalogTable, plan: Plan): Promise<ColumnError[]> {
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

  private async execute({ table, tables }: LockedTables, plan: Plan, name = table.name): Promise<CatalogTable> {
    await this.catalog.requestIndexes(table, plan.indexed);
    const { options } = plan;
    const isSame = isEqual(options, table.options);
    if (name === table.name && isSame && plan.added.length + plan.changed.length === 0) return table;
    await this.definitions.editColumns(table, plan);
    if (!isSame) await this.catalog.setOptions(table, options);
    const edited = { ...table, options, columns: plan.columns };
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
