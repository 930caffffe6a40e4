import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { PLAN_EACH_TIME } from '../../../platform/database/statement-options.js';
import { MAX_LISTED_ERRORS } from '../../../platform/http/domain-error.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { physicalTableName } from '../catalog/physical-table.js';
import type { UnresolvedReferenceDto, UnresolvedReferencesDto } from './dto/upsert-report.dto.js';
import type { RelationColumn } from './merge-sql.js';
import type { RowPosition } from './row-errors.js';
import { type FoundRows, NONE_FOUND } from './row-source.js';
import {
  ANY_DUPLICATE_KEY,
  createParents,
  createStaging,
  DROP_PARENTS,
  LIST_DUPLICATES,
  LIST_ROOTLESS,
  listUnresolved,
  listValid,
  REJECT_DUPLICATES,
  rejectValid,
  STAGING,
} from './staging-sql.js';

/** Memory of one sort or join of an import before it uses temporary files, and the longest pause between statements. */
const WORK_MEM = '64MB';
const IDLE_TIMEOUT_S = 60;

type ListedPosition = Required<RowPosition> & { total: number };

/** The staging table of an import, in its transaction. */
@Injectable()
export class StagingRepository {
  constructor(private readonly database: Database) {}

  /** Sets limits for this transaction only. @returns the ID of the PostgreSQL process that executes the transaction. */
  async begin(timeoutS: number): Promise<number> {
    const [row] = await this.database.query<{ backendPid: number }>(
      `SELECT pg_backend_pid() AS "backendPid",
              set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true),
              set_config('idle_in_transaction_session_timeout', $2, true), set_config('work_mem', $3, true)`,
      [`${timeoutS}s`, `${IDLE_TIMEOUT_S}s`, WORK_MEM],
      PLAN_EACH_TIME,
    );
    return row!.backendPid;
  }

  /** Creates the staging table and fills it. @param bytes in the binary COPY format. */
  async fill(columns: readonly CatalogColumn[], bytes: AsyncIterable<Buffer>): Promise<void> {
    await this.database.query(createStaging(columns));
    await this.database.copyIn(`COPY ${STAGING} FROM STDIN (FORMAT binary)`, bytes);
  }

  async isEmpty(table: CatalogTable): Promise<boolean> {
    return (await this.database.query(`SELECT FROM ${physicalTableName(table)} LIMIT 1`)).length === 0;
  }

  /** The planner has no statistics of a table that was just filled. */
  async analyze(): Promise<void> {
    await this.database.query(`ANALYZE ${STAGING} (key, rejected)`);
  }

  async findDuplicateKeys(): Promise<FoundRows<RowPosition & { other: RowPosition }>> {
    const [any] = await this.database.query(ANY_DUPLICATE_KEY);
    if (!any) return NONE_FOUND;
    const listed = await this.database.query<ListedPosition & { otherIndex: number; otherLine: number }>(
      LIST_DUPLICATES,
      [MAX_LISTED_ERRORS],
      PLAN_EACH_TIME,
    );
    const first = listed.map(({ index, line, key, otherIndex, otherLine }) => {
      return { index, line, key, other: { index: otherIndex, line: otherLine } };
    });
    return {
      total: listed[0]!.total,
      first,
      reject: () => this.database.affected(REJECT_DUPLICATES),
    };
  }

  /** The valid rows that meet a condition on `s`. @param parameters of the condition. */
  async find(condition: string, parameters: readonly Buffer[] = []): Promise<FoundRows<Required<RowPosition>>> {
    const first = await this.database.query<ListedPosition>(
      listValid(condition, MAX_LISTED_ERRORS),
      parameters,
      PLAN_EACH_TIME,
    );
    const reject = () => this.database.affected(rejectValid(condition), parameters, PLAN_EACH_TIME);
    return { total: first[0]?.total ?? 0, first, reject };
  }

  /** Keys from which no root can be reached by the column, with their parents. */
  async findRootless(table: CatalogTable, column: RelationColumn): Promise<Map<string, string>> {
    await this.database.query(createParents(table, column));
    const rootless = await this.database.query<{ key: string; parent: string }>(LIST_ROOTLESS);
    await this.database.query(DROP_PARENTS);
    return new Map(rootless.map(({ key, parent }) => [key, parent]));
  }

  async findUnresolved(
    column: RelationColumn,
    targets: readonly CatalogTable[],
    limit: number,
  ): Promise<UnresolvedReferencesDto> {
    const sql = listUnresolved(column, targets);
    const listed = await this.database.query<Required<UnresolvedReferenceDto> & { total: number }>(
      sql,
      [limit],
      PLAN_EACH_TIME,
    );
    const first = listed.map(({ index, line, column: key, value }) => ({ index, line, column: key, value }));
    return { total: listed[0]?.total ?? 0, first };
  }
}
