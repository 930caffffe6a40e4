import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { type CatalogTable, CatalogRepository } from '../catalog/catalog.repository.js';
import { PhysicalTablesRepository } from '../catalog/physical-tables.repository.js';
import { type RowBatch, withoutRows } from './row-batch.js';
import { RowErrors } from './row-errors.js';
import { RowsRepository, type Written } from './rows.repository.js';
import { TableReferences, type UnresolvedReference } from './table-references.js';
import { planHolds, planTable, type TableBatch, type TablePlan } from './table-plan.js';

/** A table whose lock is held, and the plan that holds for it as it is now. */
export interface LockedTable {
  plan: TablePlan;
  table: CatalogTable;
  /** Did this request make its entry? */
  created: boolean;
}

/** A locked table with the rows that can be stored, and the errors of those that cannot. */
export interface CheckedTable extends LockedTable {
  rows: RowBatch;
  errors: RowErrors;
}

/** What became of one table of a bulk request. */
export interface TableOutcome extends CheckedTable {
  written: Written;
}

/** Carries out the plan for one table, step by step, within the request's transaction. */
@Injectable()
export class TableWriter {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly physical: PhysicalTablesRepository,
    private readonly rows: RowsRepository,
    private readonly links: TableReferences,
    private readonly config: Config,
  ) {}

  /** What the batch makes of a table. Pure: nothing is locked. */
  plan(batch: TableBatch, found: CatalogTable | undefined): TablePlan {
    return planTable(batch, found, this.config.tables);
  }

  /** Takes the table's lock; makes the plan anew where the table changed between plan and lock. */
  async lock(workspaceId: string, plan: TablePlan): Promise<LockedTable> {
    const { table, created } = await this.catalog.lockOrCreate(workspaceId, plan.batch, plan.found);
    await this.physical.upgrade(table);
    if (planHolds(plan, table, created)) return { plan, table, created };
    return { plan: this.plan(plan.batch, created ? undefined : table), table, created };
  }

  /** Adds the errors that only the rows which stand there can tell. Nothing is written yet. */
  async check(locked: LockedTable): Promise<CheckedTable> {
    const errors = RowErrors.from(locked.plan.errors);
    await this.findMissing(locked, errors);
    const rows = without(locked.plan.rows, errors);
    for (const cycle of await this.links.cycles(locked.table, rows)) errors.add(cycle);
    return { ...locked, rows: without(rows, errors), errors };
  }

  /** Writes columns and rows, and stamps what changed with the next revision. */
  async write(checked: CheckedTable, wantKeys: boolean): Promise<TableOutcome> {
    const { plan, rows, created } = checked;
    const table = { ...checked.table, columns: plan.columns.columns };
    await this.writeColumns(table, plan, created);
    const revision = table.revision + 1;
    const written = await this.rows.upsert(table, rows, revision, created, wantKeys);
    if (created || plan.columns.added.length + written.created + written.updated > 0)
      await this.incrementRevision(table);
    return { ...checked, table, written };
  }

  /** The links of the written rows that have no target, once everything of the request is written. */
  unresolved({ table, rows }: TableOutcome): Promise<UnresolvedReference[]> {
    return this.links.unresolved(table, rows);
  }

  /** The table has changed: it takes the revision that its changed rows carry. */
  async incrementRevision(table: CatalogTable): Promise<void> {
    await this.catalog.setRevision(table, table.revision + 1);
    table.revision++;
  }

  private async writeColumns(table: CatalogTable, { columns }: TablePlan, created: boolean): Promise<void> {
    if (columns.added.length === 0) return;
    await this.catalog.addColumns(table, columns.added);
    if (created) await this.physical.create(table, columns.columns);
    else await this.physical.addColumns(table, columns.added);
  }

  /** A row may leave a required column out only where the row exists, and keeps what stands there. */
  private async findMissing({ table, plan, created }: LockedTable, errors: RowErrors): Promise<void> {
    const { keys, indexes, columns } = plan.rows;
    const required = plan.columns.columns
      .filter((column) => column.required && !column.primaryKey)
      .map((column) => ({ column, values: columns.find((sent) => sent.column.key === column.key)?.values }));
    const lacking = keys
      .map((_, row) => row)
      .filter((row) => required.some(({ values }) => values?.[row] === undefined));
    const existing = created
      ? new Set()
      : await this.rows.existing(
          table,
          lacking.map((row) => keys[row]!),
        );
    for (const row of lacking) {
      const key = keys[row]!;
      if (existing.has(key)) continue;
      for (const { column, values } of required) {
        if (values?.[row] !== undefined) continue;
        const message = `"${column.key}" is required, and the row is new.`;
        errors.add({ index: indexes[row]!, key, column: column.key, code: 'required', message });
      }
    }
  }
}

function without(batch: RowBatch, { rows }: RowErrors): RowBatch {
  return rows.size === 0 ? batch : withoutRows(batch, (row) => rows.has(batch.indexes[row]!));
}
