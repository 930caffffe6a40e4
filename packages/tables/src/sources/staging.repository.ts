import type { Sql } from '../../../sql/src/sql.js';
import { MAX_LISTED_ERRORS } from '../../../errors/src/domain-error.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { compileMissing, type KeySpace } from '../catalog/row-sql.js';
import { physicalKeyName, physicalTableName, withSelectedRows } from '../catalog/physical-table.js';
import { type TemporaryTables, TemporaryTablesFactory } from '../catalog/temporary-tables.js';
import { type FoundRows, NONE_FOUND, type UnresolvedReference, type UnresolvedReferences } from './row-source.js';
import { ParentCyclesRepository } from './parent-cycles.repository.js';
import { type ComparedRows, type Relation, type RelationColumn, selectDifferent } from '../catalog/relation.js';
import {
  copyDifferences,
  createMergedRows,
  createStaging,
  findValid,
  isOutside,
  mergedName,
  missingName,
  rejectValid,
  type Replacement,
  selectChanged,
  selectRemaining,
  type SelectScope,
  stagingName,
  toStagedRelation,
  validRows,
} from './staging-sql.js';
import { findOthers, MAX_LISTED_DUPLICATES, type RowPosition, type SameKeyRows } from './row-errors.js';

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
    const rejections = 'row_index integer, line integer, key text, kind integer, detail json';
    await this.sql.query(staging.create('import_rejections', rejections));
  }

  async isEmpty(table: CatalogTable): Promise<boolean> {
    return (await this.sql.query(`SELECT 1 FROM ${physicalTableName(table)} LIMIT 1`)).length === 0;
  }

  /** The planner has no statistics of a table that was just filled. */
  async analyze(staging: TemporaryTables): Promise<void> {
    await this.sql.query(`ANALYZE ${stagingName(staging)} (key, rejected)`);
  }

  /** Rows whose key another row has too. */
  async findDuplicateKeys(staging: TemporaryTables): Promise<FoundRows<RowPosition & { others: SameKeyRows }>> {
    const name = stagingName(staging);
    const duplicateKeys = `SELECT key FROM ${name} GROUP BY key HAVING count(*) > 1`;
    const [any] = await this.sql.query(`${duplicateKeys} LIMIT 1`);
    if (!any) return NONE_FOUND;
    // `detail` contains the first rows with the key, possibly including the row itself, and their number.
    const found = `
      SELECT r.row_index, r.line, r.key, json_build_object('rows', r.same, 'count', r.count) AS detail
        FROM (SELECT p.*, json_agg(json_build_object('index', p.row_index, 'line', p.line))
                            FILTER (WHERE p.position <= ${MAX_LISTED_DUPLICATES + 1}) OVER (PARTITION BY p.key) AS same
                FROM (SELECT s.row_index, s.line, s.key, row_number() OVER same AS position,
                             (count(*) OVER (PARTITION BY s.key))::integer AS count
                        FROM ${name} s WHERE s.key IN (${duplicateKeys})
                      WINDOW same AS (PARTITION BY s.key ORDER BY s.row_index)) p) r`;
    const rejection = `UPDATE ${name} SET rejected = true WHERE NOT rejected AND key IN (${duplicateKeys})`;
    const toPosition = ({ detail, ...position }: FoundPosition) => {
      const { rows, count } = detail as DuplicateDetail;
      return { ...position, others: findOthers(rows, position.index, count) };
    };
    return this.list(staging, found, rejection, toPosition);
  }

  /** Rejects all but the first or last row of each key. @returns how many of them were valid. */
  skipDuplicates(staging: TemporaryTables, chosen: 'first' | 'last'): Promise<number> {
    const name = stagingName(staging);
    const aggregate = chosen === 'first' ? 'min' : 'max';
    return this.sql.affected(
      `UPDATE ${name} s SET rejected = true
         FROM (SELECT key, ${aggregate}(row_index) AS chosen FROM ${name} GROUP BY key HAVING count(*) > 1) d
        WHERE s.key = d.key AND s.row_index <> d.chosen AND NOT s.rejected`,
    );
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
    // `key`, and `stored`, whether the table has the row.
    const compared = staging.name('import_compared');
    await this.sql.query(staging.drop('import_compared'));
    const different = selectDifferent(table, relation, physicalTableName(table));
    await this.sql.query(staging.createAs('import_compared', different));
    await this.sql.query(`ANALYZE ${compared}`);
    const [counts] = await this.sql.query<{ missing: number; different: number }>(
      `SELECT (count(*) FILTER (WHERE NOT stored))::float8 AS missing, (count(*) FILTER (WHERE stored))::float8 AS different
         FROM ${compared}`,
    );
    const select = (rows: number, isStored: boolean) => {
      const selected = `SELECT c.key FROM ${compared} c WHERE ${isStored ? '' : 'NOT '}c.stored`;
      return toStagedRelation(staging, { ...relation, rows }, selected);
    };
    return { missing: select(counts!.missing, false), different: select(counts!.different, true) };
  }

  /**
   * Creates a table of the rows that a replacement deletes: those in the scope that the file lacks. Rejected rows of
   * the file count as present.
   *
   * @returns their number, and that of all rows in the scope.
   */
  async findMissing(
    staging: TemporaryTables,
    table: CatalogTable,
    { selectScope, revision }: Replacement,
  ): Promise<{ deletions: number; rows: number }> {
    const key = `t.${physicalKeyName(table)}`;
    const rows = physicalTableName(table);
    const scope = selectScope?.(table);
    const missing = `SELECT ${key} AS key FROM ${rows} t
                      WHERE t._revision <= ${revision} ${scope === undefined ? '' : `AND ${key} IN (${scope})`}
                        AND NOT EXISTS (SELECT 1 FROM ${stagingName(staging)} s WHERE s.key = ${key})`;
    await this.sql.query(`${staging.createAs('import_missing', missing)}; ANALYZE ${missingName(staging)}`);
    const [counts] = await this.sql.query<{ deletions: number; rows: number }>(
      `SELECT (SELECT count(*) FROM ${missingName(staging)})::float8 AS deletions,
              (SELECT count(*) FROM (${scope ?? `SELECT 1 FROM ${rows} t`}) scope)::float8 AS rows`,
    );
    return counts!;
  }

  /** The keys of valid rows that are not in the scope. @param scope SQL: the keys of the rows in it. */
  async listOutside(staging: TemporaryTables, scope: string, limit: number): Promise<string[]> {
    const outside = await this.sql.query<{ key: string }>(
      `SELECT s.key FROM ${validRows(staging)} WHERE ${isOutside(scope)} LIMIT ${limit}`,
    );
    return outside.map(({ key }) => key);
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

  /** The valid rows that would not be in the scope after the merge. */
  async findOutside(
    staging: TemporaryTables,
    table: CatalogTable,
    columns: readonly RelationColumn[],
    selectScope: SelectScope,
  ): Promise<FoundRows<Required<RowPosition>>> {
    for (const sql of createMergedRows(staging, table, columns)) await this.sql.query(sql);
    return this.find(staging, isOutside(selectScope(withSelectedRows(table, mergedName(staging)))));
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
    const cursor = staging.localName('import_rejections');
    await this.sql.query(
      `DECLARE ${cursor} NO SCROLL CURSOR FOR
       SELECT row_index AS index, line, key, kind, detail FROM ${staging.name('import_rejections')} ORDER BY row_index, kind`,
    );
    for (;;) {
      const page = await this.sql.query<RecordedRejection>(`FETCH ${REJECTIONS_PER_FETCH} FROM ${cursor}`);
      if (page.length > 0) yield page;
      if (page.length < REJECTIONS_PER_FETCH) return;
    }
  }

  /** The first rows that a check found, and their total. */
  private async list<Position extends RowPosition>(
    staging: TemporaryTables,
    found: string,
    rejection: string,
    toPosition: (position: FoundPosition) => Position,
    parameters: readonly Buffer[] = [],
  ): Promise<FoundRows<Position>> {
    const listed = await this.sql.query<FoundPosition & { total: number }>(
      `SELECT row_index AS index, line, key, detail, count(*) OVER ()::integer AS total
         FROM (${found}) found ORDER BY row_index LIMIT ${MAX_LISTED_ERRORS}`,
      parameters,
    );
    return {
      total: listed[0]?.total ?? 0,
      first: listed.map(({ index, line, key, detail }) => toPosition({ index, line, key, detail })),
      toPosition: (position, detail) => toPosition({ ...(position as Required<RowPosition>), detail }),
      // On a cluster the rows must pass the coordinator, since the node of the table accepts only immutable functions
      // in `INSERT … SELECT`: the condition with a volatile function has this effect.
      record: async (kind) => {
        await this.sql.affected(
          `INSERT INTO ${staging.name('import_rejections')} (row_index, line, key, detail, kind)
           SELECT row_index, line, key, detail, ${kind} FROM (${found}) found WHERE random() IS NOT NULL`,
          parameters,
        );
      },
      reject: () => this.sql.affected(rejection, parameters),
    };
  }

  /** References to rows that none of the targets has. @param limit of the list, not of the total. */
  async findUnresolved(
    staging: TemporaryTables,
    { column, value }: RelationColumn,
    targets: KeySpace,
    limit: number,
  ): Promise<UnresolvedReferences> {
    const listed = await this.sql.query<Required<UnresolvedReference> & { total: number }>(
      `SELECT s.row_index AS index, s.line, '${column.key}' AS "column", ${value} AS value, count(*) OVER ()::integer AS total
         FROM ${validRows(staging)} WHERE ${value} IS NOT NULL AND ${compileMissing(targets, value)} ORDER BY s.row_index LIMIT $1`,
      [limit],
    );
    const first = listed.map(({ total: _, ...reference }) => reference);
    return { total: listed[0]?.total ?? 0, first };
  }
}
