import { Savepoint } from '../../../sql/src/savepoint.js';
import type { Sql } from '../../../sql/src/sql.js';
import { MAX_LISTED_ERRORS } from '../../../errors/src/domain-error.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import type { KeySpace } from '../catalog/row-sql.js';
import { physicalKeyName, physicalTableName, withSelectedRows } from '../catalog/physical-table.js';
import { type TemporaryTables, TemporaryTablesFactory } from '../catalog/temporary-tables.js';
import { copyDifferences, createMergedRows, mergedName, selectChanged, selectRemaining } from './difference-sql.js';
import type { UnresolvedReference, UnresolvedReferences } from './row-results.js';
import { ParentCyclesRepository } from './parent-cycles.repository.js';
import type { ComparedRows, Relation, RelationColumn } from '../catalog/relation.js';
import {
  anyDuplicateKey,
  countCompared,
  countMissing,
  createCompared,
  createMissing,
  createRejections,
  createStaging,
  declareRejections,
  fetchRejections,
  findDuplicates,
  findValid,
  listFound,
  listOutside,
  listUnresolved,
  recordFound,
  rejectDuplicates,
  rejectOtherDuplicates,
  rejectValid,
  type Replacement,
  selectCompared,
  type SelectScope,
  stagingName,
  toStagedRelation,
  validRows,
} from './staging-sql.js';
import { findOthers, type RowPosition, type SameKeyRows } from './row-errors.js';
import { type FoundRows, NONE_FOUND } from './row-source.js';

/** Memory of one sort or join of an import before it uses temporary files, and the longest pause between statements. */
const WORK_MEM = '64MB';
const IDLE_TIMEOUT_S = 60;

/** Rejections that are read at once. */
const REJECTIONS_PER_FETCH = 10_000;

/** Other rows with the key of a rejected row, as the staging table lists them. */
interface DuplicateDetail {
  rows: RowPosition[];
  count: number;
}

type FoundPosition = Required<RowPosition> & { detail: unknown };

/** A row that a check has rejected. */
export interface RecordedRejection extends FoundPosition {
  /** The position of the check among those that rejected rows. */
  kind: number;
}

/** A table as a merge would leave it. */
export interface MergedState {
  merged: CatalogTable;
  /** SQL condition: would the merge create or change the row `r`? */
  condition: string;
}

/** The staging tables of an import, in its transaction. */
export class StagingRepository {
  constructor(
    private readonly sql: Sql,
    private readonly cycles: ParentCyclesRepository,
    private readonly temporary: TemporaryTablesFactory,
  ) {}

  /**
   * Sets limits for this transaction only. A cluster sends `SET LOCAL` to its workers, unlike `set_config`: only the
   * transaction as a whole is limited while it is idle, since one worker may wait for another.
   *
   * @param timeoutS limit of each statement, and of the wait for a lock, in seconds.
   */
  async begin(timeoutS: number): Promise<void> {
    await this.sql.query(`SET LOCAL statement_timeout = '${timeoutS}s'`);
    await this.sql.query(`SET LOCAL lock_timeout = '${timeoutS}s'`);
    await this.sql.query(`SET LOCAL work_mem = '${WORK_MEM}'`);
    await this.sql.query(`SELECT set_config('idle_in_transaction_session_timeout', $1, true)`, [`${IDLE_TIMEOUT_S}s`]);
  }

  /** @param number of the table among those of the import. */
  open(table: Pick<CatalogTable, 'workspaceId'>, number: number): Promise<TemporaryTables> {
    return this.temporary.open(table, number);
  }

  /** Creates the staging table and fills it. @param bytes in the binary COPY format. */
  async fill(staging: TemporaryTables, columns: readonly CatalogColumn[], bytes: AsyncIterable<Buffer>): Promise<void> {
    const { received } = staging;
    await this.sql.query(createStaging(received, columns));
    await this.sql.copyIn(`COPY ${stagingName(received)} FROM STDIN (FORMAT binary)`, bytes);
    if (received !== staging) {
      await this.sql.query(createStaging(staging, columns));
      await this.sql.query(`INSERT INTO ${stagingName(staging)} SELECT * FROM ${stagingName(received)}`);
    }
    await this.sql.query(createRejections(staging));
  }

  async isEmpty(table: CatalogTable): Promise<boolean> {
    return (await this.sql.query(`SELECT 1 FROM ${physicalTableName(table)} LIMIT 1`)).length === 0;
  }

  /** The planner has no statistics of a table that was just filled. */
  async analyze(staging: TemporaryTables): Promise<void> {
    await this.sql.query(`ANALYZE ${stagingName(staging)} (key, rejected)`);
  }

  async findDuplicateKeys(staging: TemporaryTables): Promise<FoundRows<RowPosition & { others: SameKeyRows }>> {
    const [any] = await this.sql.query(anyDuplicateKey(staging));
    if (!any) return NONE_FOUND;
    const toPosition = ({ detail, ...position }: FoundPosition) => {
      const { rows, count } = detail as DuplicateDetail;
      return { ...position, others: findOthers(rows, position.index, count) };
    };
    return this.list(staging, findDuplicates(staging), rejectDuplicates(staging), toPosition);
  }

  /** Rejects all but the first or last row of each key. @returns how many of them were valid. */
  skipDuplicates(staging: TemporaryTables, chosen: 'first' | 'last'): Promise<number> {
    return this.sql.affected(rejectOtherDuplicates(staging, chosen === 'first' ? 'min' : 'max'));
  }

  /** The valid rows that meet a condition on `s`. @param parameters of the condition. */
  find(
    staging: TemporaryTables,
    condition: string,
    parameters: readonly Buffer[] = [],
  ): Promise<FoundRows<Required<RowPosition>>> {
    const toPosition = ({ index, line, key }: FoundPosition) => ({ index, line, key });
    return this.list(
      staging,
      findValid(staging, condition, 'NULL::text'),
      rejectValid(staging, condition),
      toPosition,
      parameters,
    );
  }

  /**
   * The valid rows on cycles of parents. Stored rows that the file does not change may be on a cycle, too, and are not
   * found.
   */
  async findCyclic(
    staging: TemporaryTables,
    table: CatalogTable | undefined,
    column: RelationColumn,
  ): Promise<FoundRows<Required<RowPosition> & { parent: string }>> {
    const cyclic = await this.cycles.find(staging, validRows(staging), table, column);
    if (cyclic === undefined) return NONE_FOUND;
    const condition = `${column.sent ?? 'true'} AND s.key IN (${cyclic})`;
    const toPosition = ({ detail, ...position }: FoundPosition) => ({ ...position, parent: detail as string });
    return this.list(staging, findValid(staging, condition, column.value), rejectValid(staging, condition), toPosition);
  }

  /** Compares the valid rows with those of the table. A later call replaces the result. */
  async compare(staging: TemporaryTables, table: CatalogTable, relation: Relation): Promise<ComparedRows> {
    for (const sql of createCompared(staging, table, relation)) await this.sql.query(sql);
    const [counts] = await this.sql.query<{ missing: number; different: number }>(countCompared(staging));
    const select = (rows: number, isStored: boolean) =>
      toStagedRelation(staging, { ...relation, rows }, selectCompared(staging, isStored));
    return { missing: select(counts!.missing, false), different: select(counts!.different, true) };
  }

  /** Finds the rows that a replacement deletes. @returns their number, and that of all rows in the scope. */
  async findMissing(
    staging: TemporaryTables,
    table: CatalogTable,
    replacement: Replacement,
  ): Promise<{ deletions: number; rows: number }> {
    await this.sql.query(createMissing(staging, table, replacement));
    const [counts] = await this.sql.query<{ deletions: number; rows: number }>(
      countMissing(staging, table, replacement),
    );
    return counts!;
  }

  /**
   * Runs a merge that must leave its rows in a scope, and rolls it back if it does not.
   *
   * @param scope SQL: the keys of the rows in it.
   * @returns the keys of the rows outside, or the result of the merge.
   */
  async writeInScope<T>(
    staging: TemporaryTables,
    scope: string,
    write: () => Promise<T>,
  ): Promise<{ outside: string[]; result: T }> {
    const savepoint = new Savepoint(this.sql, 'scope');
    await savepoint.begin();
    const result = await write();
    const outside = await this.sql.query<{ key: string }>(listOutside(staging, scope));
    await (outside.length > 0 ? savepoint.rollBack() : savepoint.release());
    return { outside: outside.map(({ key }) => key), result };
  }

  /** Creates the rows as a merge with deletions would leave them, and selects those that it would change. */
  async createMerged(
    staging: TemporaryTables,
    table: CatalogTable,
    columns: readonly RelationColumn[],
    scope: string | undefined,
  ): Promise<MergedState> {
    for (const sql of createMergedRows(staging, table, columns)) await this.sql.query(sql);
    return {
      merged: withSelectedRows(table, selectRemaining(staging, table, scope)),
      condition: `r.${physicalKeyName(table)} IN (${selectChanged(staging, table, columns)})`,
    };
  }

  /** @returns the keys of valid rows that would not be in the scope after the merge. */
  async findOutside(
    staging: TemporaryTables,
    table: CatalogTable,
    columns: readonly RelationColumn[],
    selectScope: SelectScope,
  ): Promise<string[]> {
    for (const sql of createMergedRows(staging, table, columns)) await this.sql.query(sql);
    const scope = selectScope(withSelectedRows(table, mergedName(staging)));
    const outside = await this.sql.query<{ key: string }>(listOutside(staging, scope));
    return outside.map(({ key }) => key);
  }

  /** A COPY of the differences between the rows and the table. It is sent as slowly as its reader receives it. */
  async copyDifferences(
    staging: TemporaryTables,
    table: CatalogTable,
    columns: readonly RelationColumn[],
    scope: string | undefined,
  ): Promise<string> {
    await this.sql.query('SET LOCAL statement_timeout = 0');
    return copyDifferences(staging, table, columns, scope);
  }

  /** The recorded rejections in row order. */
  async *readRejections(staging: TemporaryTables): AsyncGenerator<RecordedRejection[]> {
    await this.sql.query(declareRejections(staging));
    for (;;) {
      const page = await this.sql.query<RecordedRejection>(fetchRejections(staging, REJECTIONS_PER_FETCH));
      if (page.length > 0) yield page;
      if (page.length < REJECTIONS_PER_FETCH) return;
    }
  }

  private async list<Position extends RowPosition>(
    staging: TemporaryTables,
    found: string,
    rejection: string,
    toPosition: (position: FoundPosition) => Position,
    parameters: readonly Buffer[] = [],
  ): Promise<FoundRows<Position>> {
    const listed = await this.sql.query<FoundPosition & { total: number }>(
      listFound(found, MAX_LISTED_ERRORS),
      parameters,
    );
    return {
      total: listed[0]?.total ?? 0,
      first: listed.map(({ index, line, key, detail }) => toPosition({ index, line, key, detail })),
      toPosition: (position, detail) => toPosition({ ...(position as Required<RowPosition>), detail }),
      record: async (kind) => {
        await this.sql.affected(recordFound(staging, found, kind), parameters);
      },
      reject: () => this.sql.affected(rejection, parameters),
    };
  }

  async findUnresolved(
    staging: TemporaryTables,
    column: RelationColumn,
    targets: KeySpace,
    limit: number,
  ): Promise<UnresolvedReferences> {
    const sql = listUnresolved(staging, column, targets);
    const listed = await this.sql.query<Required<UnresolvedReference> & { total: number }>(sql, [limit]);
    const first = listed.map(({ index, line, column: key, value }) => ({ index, line, column: key, value }));
    return { total: listed[0]?.total ?? 0, first };
  }
}
