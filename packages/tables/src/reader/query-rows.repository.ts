import type { Sql } from '../../../sql/src/sql.js';
import { MAX_PAGE_BYTES } from '../../../sql/src/page-reader.js';
import { JsonText } from '../../../sql/src/json-text.js';
import type { CursorPosition } from '../../../sql/src/keyset.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import { findFormerRows, physicalColumnName } from '../catalog/physical-table.js';
import { rowToJson, type RowValues } from '../catalog/row-sql.js';
import type { StoredValue } from '../../../tabular/src/stored-value.js';
import { type Condition, Parameters } from './bindings.js';
import { compileOrderedSource, compilePosition, compileSource, type RowSelection } from './query-compiler.js';
import { membersToJson } from './row-members.js';
import { compileWalkChoice, type SubtreeWalk } from './subtree-walk.js';

/** A page of rows. */
export interface RowsPage {
  /** The revision of the table in the snapshot of the page; on a cluster an earlier one. */
  revision: number;
  /** The rows as a JSON array. */
  items: JsonText;
  /** The number of rows on the page. */
  length: number;
  /** Does another row follow? */
  hasMore: boolean;
  /** The values of the last row in the columns of the order; undefined if the page is not full. */
  last: RowValues | undefined;
  /** The values of the expanded columns of all rows, by column key. */
  expanded: ReadonlyMap<string, readonly StoredValue[]>;
  /** Is it unknown of any row whether it is in the subtree? The page must then be read by the walk `subtree`. */
  isUnknown: boolean;
}

/** The row that the statement of a page returns. */
interface PageValues {
  /** Null if it is not that of the table for which the page is read (`selectRevision`). */
  revision: number | null;
  /** The number of rows that were read: one more than the page may have, if there is another one. */
  found: number;
  /** The number of rows on the page. */
  length: number;
  /** Has the page as many rows or bytes as it may have? */
  hasLast: boolean | null;
  items: string | null;
  isUnknown?: boolean | null;
  [value: `last${number}`]: StoredValue;
  [values: `expanded${number}`]: StoredValue[] | null;
}

/** The result of EXPLAIN. */
interface Planned {
  Plan: {
    'Plan Rows': number;
    /** On a cluster: the plan of the node that has the table. */
    'Distributed Query'?: { Job: { Tasks: { 'Remote Plan': Planned[][] }[] } };
  };
}

export class QueryRowsRepository {
  constructor(private readonly sql: Sql) {}

  /** Runs reads in one snapshot, so that their results agree. */
  readTogether<T>(work: () => Promise<T>): Promise<T> {
    return this.sql.snapshot(work);
  }

  /**
   * A page of at most `limit` rows, in order. PostgreSQL serializes the rows: for Node, parsing and serializing each
   * value is the larger part of a page.
   *
   * @param expanded columns whose values are returned in addition.
   */
  async getPage(
    selection: RowSelection,
    expanded: readonly CatalogColumn[],
    after: CursorPosition | undefined,
    limit: number,
  ): Promise<RowsPage> {
    const { order, table } = selection;
    const { found, length, hasLast, ...values } = await this.readPage(selection, expanded, after, limit);
    return {
      revision: values.revision ?? table.revision,
      items: new JsonText(`[${values.items ?? ''}]`),
      length,
      hasMore: found > length,
      last: hasLast ? Object.fromEntries(order.map(({ column }, at) => [column.key, values[`last${at}`]!])) : undefined,
      expanded: new Map(expanded.map(({ key }, at) => [key, values[`expanded${at}`] ?? []])),
      isUnknown: values.isUnknown ?? false,
    };
  }

  /** Reads one row more than `limit`, to detect whether another one follows. */
  private async readPage(
    selection: RowSelection,
    expanded: readonly CatalogColumn[],
    after: CursorPosition | undefined,
    limit: number,
  ): Promise<PageValues> {
    const { table, fields, order, members } = selection;
    const parameters = new Parameters();
    const name = (column: CatalogColumn) => `t.${physicalColumnName(column)}`;
    const read = new Set([...fields, ...order.map(({ column }) => column), ...expanded].map(name));
    const isWalkByKeys = selection.under !== undefined && selection.walk === 'keys';
    if (isWalkByKeys) read.add('walk.state');
    // PostgreSQL computes the selected expressions of all matching rows before it sorts them, so only columns are
    // selected here.
    const offset = selection.skip && !after ? ` OFFSET ${parameters.bind(selection.skip)}` : '';
    const select = (keyset?: Condition) =>
      `SELECT ${[...read].join(', ')} ${compileOrderedSource(selection, parameters, keyset)} LIMIT ${limit + 1}${offset}`;
    const keysets = after ? compilePosition(selection, after) : [undefined];
    const rows = concatenate(keysets.map(select), limit + 1);
    const cells = [
      `${members ? membersToJson(members) : rowToJson({ columns: fields })}::text AS item`,
      ...order.map(({ column }, at) => `${name(column)} AS last${at}`),
      ...expanded.map((column, at) => `${name(column)} AS expanded${at}`),
      ...(isWalkByKeys ? ['t.state'] : []),
    ];
    // The page ends with the row with which it reaches its number of rows or bytes.
    const isOnPage = `n <= ${limit} AND bytes - octet_length(item) < ${MAX_PAGE_BYTES}`;
    const isLast = `(n = ${limit} OR bytes >= ${MAX_PAGE_BYTES})`;
    const aggregates = [
      `${this.selectRevision(table, parameters)} AS revision`,
      'count(*)::integer AS found',
      `(count(*) FILTER (WHERE ${isOnPage}))::integer AS length`,
      `bool_or(${isLast}) AS "hasLast"`,
      `string_agg(item, ',') FILTER (WHERE ${isOnPage}) AS items`,
      ...order.map((_, at) => `(array_agg(last${at}) FILTER (WHERE ${isOnPage} AND ${isLast}))[1] AS last${at}`),
      ...expanded.map((_, at) => `array_agg(expanded${at}) FILTER (WHERE ${isOnPage}) AS expanded${at}`),
      ...(isWalkByKeys ? ['bool_or(state = 2) AS "isUnknown"'] : []),
    ];
    // OFFSET 0 makes PostgreSQL serialize each row once.
    const serialized = `SELECT ${cells.join(', ')} FROM (${rows}) t OFFSET 0`;
    const counted = `SELECT *, row_number() OVER w AS n, sum(octet_length(item)) OVER w AS bytes FROM (${serialized}) s WINDOW w AS (ROWS UNBOUNDED PRECEDING)`;
    const page = `SELECT ${aggregates.join(', ')} FROM (${counted}) p`;
    const [values] = await this.sql.query<PageValues>(page, parameters.values);
    return values!;
  }

  /**
   * NULL if the table has other columns or another name than those for which the page is read: it then has the earlier
   * revision, so that its `ETag` is not that of the new columns. A statement of a cluster cannot read the catalog and
   * rows. A former revision is known.
   */
  private selectRevision(table: CatalogTable, parameters: Parameters): string {
    if (this.sql.isDistributed || findFormerRows(table)) return 'NULL::float8';
    const [workspaceId, id, definitionId, name] = [table.workspaceId, table.id, table.definitionId, table.name].map(
      (value) => parameters.bind(value),
    );
    return `(SELECT revision::float8 FROM workspace_tables
              WHERE workspace_id = ${workspaceId} AND id = ${id} AND definition_id = ${definitionId} AND name = ${name})`;
  }

  /** Chooses the walk for all pages of a subtree (docs/explanation/performance.md#large-subtrees). */
  async chooseWalk(selection: RowSelection, limit: number): Promise<SubtreeWalk> {
    const { table, under } = selection;
    const rows = await this.estimate({ ...selection, filters: [], q: undefined, under: undefined, depth: undefined });
    const parameters = new Parameters();
    const sql = compileWalkChoice({ table, under: under! }, limit * rows, parameters);
    const [row] = await this.sql.query<{ isLarge: boolean }>(sql, parameters.values);
    return row!.isLarge ? 'keys' : 'subtree';
  }

  async count(selection: RowSelection): Promise<number> {
    const parameters = new Parameters();
    const sql = `SELECT count(*)::float8 AS total ${compileCounted(selection, parameters)}`;
    const [row] = await this.sql.query<{ total: number }>(sql, parameters.values);
    return row!.total;
  }

  /** The estimate of the query planner, which reads no rows. */
  async estimate(selection: RowSelection): Promise<number> {
    const parameters = new Parameters();
    const sql = `EXPLAIN (FORMAT JSON) SELECT 1 ${compileCounted(selection, parameters)}`;
    const [row] = await this.sql.query<{ 'QUERY PLAN': [Planned] }>(sql, parameters.values);
    return estimatedRows(row!['QUERY PLAN'][0]);
  }
}

/**
 * The rows of the queries, one after another. PostgreSQL executes the parts of UNION ALL in their order if each has a
 * LIMIT, and none that begins after the last row.
 */
function concatenate(queries: readonly string[], limit: number): string {
  if (queries.length === 1) return queries[0]!;
  return `${queries.map((query) => `(${query})`).join(' UNION ALL ')} LIMIT ${limit}`;
}

function estimatedRows({ Plan: plan }: Planned): number {
  const remote = plan['Distributed Query']?.Job.Tasks[0]?.['Remote Plan'][0]?.[0];
  return remote ? estimatedRows(remote) : plan['Plan Rows'];
}

function compileCounted(selection: RowSelection, parameters: Parameters): string {
  return compileSource({ ...selection, walk: 'subtree' }, parameters);
}
