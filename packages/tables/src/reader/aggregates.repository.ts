import type { Sql } from '../../../sql/src/sql.js';
import { SQLSTATE, sqlState } from '../../../sql/src/sql-state.js';
import type { CursorPosition } from '../../../sql/src/keyset.js';
import { physicalColumnName } from '../catalog/physical-table.js';
import { MAX_AGGREGATE_S } from '../catalog/request-limits.js';
import type { RowValues } from '../catalog/row-sql.js';
import { QueryTooExpensiveError } from '../catalog/query.errors.js';
import { compileAggregate } from './aggregate-compiler.js';
import type { Aggregate } from './aggregate-parser.js';
import { Parameters } from './bindings.js';
import { suggestIndex } from './query-compiler.js';

/** A page of groups. */
export interface GroupsPage {
  /** The number of all groups, at most one more than the maximum. */
  groups: number;
  /** The groups of the page. */
  rows: RowValues[];
  /** Does another page follow? */
  hasMore: boolean;
}

export class AggregatesRepository {
  private readonly timeoutMs: number;

  /** @param statementTimeoutMs of all statements. */
  constructor(
    private readonly sql: Sql,
    statementTimeoutMs: number,
  ) {
    this.timeoutMs = Math.min(MAX_AGGREGATE_S * 1_000, statementTimeoutMs);
  }

  /** Reads in the open transaction. @throws {QueryTooExpensiveError} */
  async getPage(aggregate: Aggregate, after: CursorPosition | undefined, limit: number): Promise<GroupsPage> {
    const parameters = new Parameters();
    const sql = compileAggregate(aggregate, parameters, after, limit + 1);
    await this.sql.query(`SET LOCAL statement_timeout = ${this.timeoutMs}`);
    const [page] = await this.sql
      .query<{ groups: number; found: number; rows: RowValues[] }>(sql, parameters.values)
      .catch((error: unknown) => {
        if (sqlState(error) !== SQLSTATE.queryCanceled) throw error;
        throw new QueryTooExpensiveError(this.timeoutMs / 1_000, suggestIndex(aggregate.rows));
      });
    const { groups, found } = page!;
    const rows = page!.rows.slice(0, limit);
    const toValues = (row: RowValues) => aggregate.columns.map((each) => [each.key, row[physicalColumnName(each)]!]);
    const named = rows.map((row) => Object.fromEntries(toValues(row)) as RowValues);
    return { groups, rows: named, hasMore: found > rows.length };
  }
}
