import type { CatalogTable } from '../catalog/catalog-table.js';
import { CatalogWrites } from '../catalog/catalog-writes.repository.js';
import { ConstraintsRepository, listRules } from '../catalog/constraints.repository.js';
import { PhysicalTablesRepository } from '../catalog/physical-tables.repository.js';
import { TableLog } from '../history/table-log.js';
import { type LockedTable, requireValidColumns, type TablePlan } from './table-plan.js';

/** The columns of the tables that a merge writes. The transaction has the locks of the tables. */
export class MergedColumns {
  constructor(
    private readonly writes: CatalogWrites,
    private readonly physical: PhysicalTablesRepository,
    private readonly constraints: ConstraintsRepository,
    private readonly log: TableLog,
  ) {}

  /** Adds the columns of the plan. @param locked with all columns. */
  async add({ plan, table, isNew }: LockedTable): Promise<void> {
    const { columns, added } = plan.columns;
    if (added.length === 0) return;
    await this.requireValidConstraints(plan);
    await this.writes.addColumns(table, added);
    if (isNew) {
      await this.physical.create(table, columns);
      return;
    }
    await this.physical.addColumns(table, added);
    await this.log.recordDefinition(plan.found!, { ...table, columns });
  }

  /**
   * After the rows are written, each row of the table must have a value in the required columns that were added.
   *
   * @throws {InvalidTablesError}
   */
  async requireValues(table: CatalogTable, { input, columns }: TablePlan): Promise<void> {
    const required = columns.added.flatMap(listRules).filter(({ rule }) => rule === 'required');
    const rules = required.map((rule) => ({ ...rule, isNew: false }));
    requireValidColumns([{ input, columns: { errors: await this.constraints.findViolations(table, rules) } }]);
  }

  private async requireValidConstraints({ input, columns }: Pick<TablePlan, 'input' | 'columns'>): Promise<void> {
    requireValidColumns([{ input, columns: { errors: await this.constraints.findInvalid(columns.added) } }]);
  }
}
