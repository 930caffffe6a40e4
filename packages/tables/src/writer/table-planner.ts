import { CatalogRepository, toMissingTableError } from '../catalog/catalog.repository.js';
import { type CatalogTable, nameTable } from '../catalog/catalog-table.js';
import { type CatalogColumn, chooseColumnKey, planColumns } from '../catalog/column-plan.js';
import { mayBeUnresolved } from '../catalog/column-types.js';
import { getPrimaryKey } from '../catalog/physical-table.js';
import { ReferenceLookup } from '../catalog/reference-targets.js';
import { RowsRepository } from '../catalog/rows.repository.js';
import { TablePermissions } from '../catalog/table-permissions.js';
import { isRestricted, type View, wholeView } from '../catalog/view.js';
import { ArrayRowSource } from '../sources/array-row-source.js';
import { createDuplicateKeyError } from '../sources/row-errors.js';
import type { RowSource, UnresolvedReferences } from '../sources/row-source.js';
import { StagingRowSource } from '../sources/staging-row-source.js';
import { StagingRepository } from '../sources/staging.repository.js';
import { UndoneRowSource } from '../sources/undone-row-source.js';
import { UndoneRowsRepository } from '../sources/undone-rows.repository.js';
import { InvalidTablesError, type TableError } from '../catalog/tables.errors.js';
import { ReadOnlyError, TableNotPermittedError } from '../catalog/policy.errors.js';
import { mayCreate, type MergeOptions, requireValidColumns, type TableInput, type TablePlan } from './table-plan.js';

/** Unresolved references that are listed per table; the total counts all. */
const MAX_LISTED_REFERENCES = 20;

/** Limits of tables that a deployment sets. */
export interface TableLimits {
  maxColumns: number;
  /** Bytes of a row as JSON. */
  rowMaxBytes: number;
  /** Days for which former rows remain, in tables without an own number. */
  historyDays: number;
  /** Of all statements. */
  statementTimeoutMs: number;
}

/** Plans what a merge means for each table: finds it, plans its columns, and reads the rows. It locks nothing. */
export class TablePlanner {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly permissions: TablePermissions,
    private readonly rows: RowsRepository,
    private readonly staging: StagingRepository,
    private readonly undone: UndoneRowsRepository,
    private readonly references: ReferenceLookup,
    private readonly limits: TableLimits,
  ) {}

  /** @throws {InvalidTablesError | ColumnConflictError | ReadOnlyError | TableNotPermittedError} */
  async findAndPlan(view: View, inputs: readonly TableInput[], options: MergeOptions): Promise<TablePlan[]> {
    const plans: TablePlan[] = [];
    // Reading a file may take long: the table of each file is read right before the file.
    const hasFiles = inputs.some(({ items }) => 'open' in items);
    const whole = wholeView(view.workspaceId);
    const found = hasFiles ? [] : await this.catalog.findAll(whole, inputs);
    if (!hasFiles) requireDistinctTables(inputs, found);
    for (const [number, input] of inputs.entries()) {
      if (hasFiles) {
        found[number] = await this.catalog.findByIdOrName(whole, input);
        requireDistinctTables(inputs.slice(0, number + 1), found);
      }
      plans.push(await this.prepare(view, input, found[number], options, number));
    }
    requireValidColumns(plans);
    return plans;
  }

  /**
   * Plans a merge that is only compared: the caller may read the table, but need not be permitted to write it.
   *
   * @throws {NotFoundError | InvalidTablesError}
   */
  async planForComparison(
    view: View,
    input: TableInput & { id: string },
  ): Promise<{ plan: TablePlan; table: CatalogTable }> {
    const [table] = await this.catalog.listByIds(wholeView(view.workspaceId), [input.id]);
    const permitted = table && this.permissions.find(view, table);
    if (!permitted) throw toMissingTableError();
    return { plan: await this.readRows(view, input, table, isRestricted(view) ? permitted : undefined), table };
  }

  private async prepare(
    view: View,
    input: TableInput,
    found: CatalogTable | undefined,
    options: MergeOptions,
    number: number,
  ): Promise<TablePlan> {
    const isCreated = !found && mayCreate(input, options);
    if (isCreated && isRestricted(view)) throw new TableNotPermittedError(input);
    const { toMissingTableError } = options;
    if (toMissingTableError && !isCreated && (!found || (input.id !== undefined && found.id !== input.id)))
      throw toMissingTableError();
    return this.plan(view, input, found, number);
  }

  /**
   * Plans the columns, and reads the rows unless the columns have errors.
   *
   * @param found the table with all rows and columns.
   * @param number of the table in the request.
   * @throws {ReadOnlyError | TableNotPermittedError} if an access policy does not permit the table or its columns.
   */
  plan(view: View, input: TableInput, found: CatalogTable | undefined, number = 0): Promise<TablePlan> {
    const permitted = found && this.permissions.permitWrite(view, found, () => new TableNotPermittedError(input));
    if (permitted) requireKnownColumns(input, permitted);
    return this.readRows(view, input, found, permitted, number);
  }

  private async readRows(
    { workspaceId }: View,
    input: TableInput,
    found: CatalogTable | undefined,
    permitted: CatalogTable | undefined,
    number = 0,
  ): Promise<TablePlan> {
    const { items } = input;
    const { maxColumns, rowMaxBytes: maxRowBytes } = this.limits;
    const { columns: existing = [], droppedOrdinal = 0 } = found ?? {};
    const columns = planColumns(existing, input.columns ?? [], maxColumns, droppedOrdinal);
    if ('undoneRevision' in items) {
      await this.staging.begin(items.timeoutS);
      const undone = await UndoneRowSource.plan(this.undone, found!, items.undoneRevision, number);
      return { input, found, columns, source: undone, permitted };
    }
    if (columns.errors.length > 0) {
      if (!('open' in items)) return { input, found, columns, source: ArrayRowSource.unread(this.rows, items) };
      if (input.columns) requireValidColumns([{ input, columns }]);
    }
    const readable = permitted ? selectKnown(columns.columns, permitted) : columns.columns;
    const source =
      'open' in items
        ? await StagingRowSource.stage(
            { staging: this.staging, maxRowBytes },
            number,
            { workspaceId, entity: input.entity, name: found?.name ?? input.name, columns: readable },
            found,
            items,
          )
        : ArrayRowSource.read(this.rows, items, readable, maxRowBytes);
    const readOnly = permitted && source.columns.find(({ key }) => permitted.permission!.readOnly.has(key));
    if (readOnly) throw new ReadOnlyError(input, readOnly.key);
    const { key } = getPrimaryKey(columns.columns);
    await source.reject(await source.findDuplicateKeys(), ({ others }) => createDuplicateKeyError(key, others));
    return { input, found, columns, source, permitted };
  }

  /** References of the rows without a target. @param limit of the list. */
  async findUnresolved(
    table: CatalogTable,
    source: RowSource,
    limit = MAX_LISTED_REFERENCES,
  ): Promise<UnresolvedReferences> {
    const all: UnresolvedReferences = { total: 0, first: [] };
    for (const column of source.columns.filter(mayBeUnresolved)) {
      const targets = await this.references.findTargets(table, column);
      const { total, first } = await source.findUnresolved(column, targets, limit);
      all.total += total;
      all.first.push(...first);
    }
    return { total: all.total, first: all.first.sort((a, b) => a.index - b.index).slice(0, limit) };
  }
}

/** A table may be named by its ID and by its name. @throws {InvalidTablesError} */
function requireDistinctTables(inputs: readonly TableInput[], found: readonly (CatalogTable | undefined)[]): void {
  const seen = new Set<string>();
  const errors: TableError[] = [];
  for (const [at, input] of inputs.entries()) {
    const { entity, name } = input;
    const identity = found[at]?.id ?? nameTable(input);
    const message = `The request contains the ${entity} table "${name}" more than once. Send its rows together.`;
    if (seen.has(identity)) errors.push({ type: entity, table: name, code: 'duplicate_table', message });
    seen.add(identity);
  }
  if (errors.length === 0) return;
  const message = 'The request contains a table more than once; nothing was stored.';
  throw new InvalidTablesError('duplicate_table', message, errors);
}

/** @throws {TableNotPermittedError} if the request would add a column. */
function requireKnownColumns(input: TableInput, table: CatalogTable): void {
  const known = new Set(table.columns.map(({ key }) => key));
  const added = input.columns?.find((definition) => !known.has(chooseColumnKey(definition, table.columns)));
  if (added) throw new TableNotPermittedError(table, added.key ?? added.name);
}

/** The columns that the caller may read. */
function selectKnown(columns: readonly CatalogColumn[], permitted: CatalogTable): CatalogColumn[] {
  const known = new Set(permitted.columns.map(({ ordinal }) => ordinal));
  return columns.filter(({ ordinal }) => known.has(ordinal));
}
