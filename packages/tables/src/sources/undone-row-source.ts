import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { type ColumnRule, listRules, violates } from '../catalog/constraints.repository.js';
import { compileMissing, type KeySelection } from '../catalog/row-sql.js';
import { encodeArray } from '../catalog/binary-format.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import type { ComparedRows } from '../catalog/relation.js';
import type { RowErrorContent, RowPosition } from './row-errors.js';
import { type FoundRows, NONE_FOUND, type RowResult, RowSource, type UnresolvedReferences } from './row-source.js';
import { selectKeys, type UndoneRows, UndoneRowsRepository } from './undone-rows.repository.js';

/** The rows of a table that an earlier revision has changed, to be set back. */
export interface UndoneRevision {
  undoneRevision: number;
  /** Limit of each statement, in seconds. */
  timeoutS: number;
}

/**
 * Rows as they were before a revision, which do not leave PostgreSQL. Those that the revision created are deleted. A
 * row that was changed since, or whose previous values violate a rule that was added since, is rejected.
 */
export class UndoneRowSource extends RowSource {
  private constructor(
    private readonly repository: UndoneRowsRepository,
    private readonly rows: UndoneRows,
    readonly received: number,
  ) {
    super();
  }

  /** @param number of the temporary table in the transaction. */
  static async plan(
    repository: UndoneRowsRepository,
    table: CatalogTable,
    revision: number,
    number: number,
  ): Promise<UndoneRowSource> {
    const { rows, count } = await repository.create(table, revision, number);
    const source = new UndoneRowSource(repository, rows, count);
    await source.reject(await repository.find(rows, 'p.is_changed'), createChangedSinceError);
    for (const rule of table.columns.flatMap(listRules)) {
      const isViolated = `NOT p.is_created AND ${violates(rule, `x.${physicalColumnName(rule.column)}`)}`;
      await source.reject(await repository.findFormer(rows, isViolated), (row) => createRuleError(row, rule));
    }
    return source;
  }

  get columns(): readonly CatalogColumn[] {
    return this.rows.table.columns.filter(({ primaryKey }) => !primaryKey);
  }

  /** The keys of the rows that the revision created. */
  get deletedKeys(): KeySelection {
    return selectKeys(this.rows, 'p.is_created');
  }

  findDuplicateKeys(): Promise<typeof NONE_FOUND> {
    return Promise.resolve(NONE_FOUND);
  }

  /** Required columns have rules. */
  findNewRowsWithout(): Promise<[]> {
    return Promise.resolve([]);
  }

  findByKeys(keys: readonly string[]): Promise<FoundRows<Required<Omit<RowPosition, 'line'>>>> {
    return this.repository.find(this.rows, 'p.key = ANY ($1::text[])', [encodeArray('text', keys)]);
  }

  findStoredUnpermitted(table: CatalogTable, permitted: CatalogTable): Promise<FoundRows> {
    const isStored = `EXISTS (SELECT 1 FROM ${physicalTableName(table)} t WHERE t.${physicalKeyName(table)} = p.key)`;
    return this.repository.find(this.rows, `${isStored} AND ${compileMissing([permitted], 'p.key')}`);
  }

  async findCyclicRows(column: CatalogColumn): Promise<FoundRows<RowPosition & { parent: string }>> {
    const { first, total, reject } = await this.repository.findCyclic(this.rows, column);
    const positions = first.map(({ detail, ...row }) => ({ ...row, parent: detail! }));
    return { ...NONE_FOUND, total, first: positions, reject };
  }

  async *compare(): AsyncGenerator<ComparedRows> {
    const { missing, different, deleted } = await this.repository.select(this.rows);
    this.skipped = deleted;
    yield { missing, different };
  }

  /** References are restored, whatever they refer to. */
  findUnresolved(): Promise<UnresolvedReferences> {
    return Promise.resolve({ total: 0, first: [] });
  }

  listResults(): RowResult[] {
    throw new Error('An undo has no results per row.');
  }
}

function createChangedSinceError({ key }: RowPosition): RowErrorContent {
  return { code: 'changed_since', message: `The row "${key}" was changed since the batch.` };
}

const RULE_ERRORS = {
  required: ['required', 'is empty, but the column is required now'],
  choices: ['type_mismatch', 'is not one of the present choices'],
  length: ['too_long', 'has too many characters for a column with an index'],
} as const;

function createRuleError({ key }: RowPosition, { column, rule }: ColumnRule): RowErrorContent {
  const [code, problem] = RULE_ERRORS[rule];
  return { code, column: column.key, message: `The previous value of the row "${key}" in "${column.key}" ${problem}.` };
}
