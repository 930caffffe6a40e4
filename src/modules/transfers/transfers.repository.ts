import { Injectable } from '@nestjs/common';
import { quoteLiteral } from '../../../packages/sql/src/sql-literal.js';
import { Database } from '../../platform/database/database.js';
import { orderTables, selectsRows, type TransferTable } from './transfer-tables.js';

/** Rows to copy: those of a fixed table that belong to a workspace, or all of a physical table. */
export interface RowSource {
  /** With its schema, if it is not that of fixed tables. */
  name: string;
  columns: readonly string[];
  table?: TransferTable;
}

/** Characters that JSON escapes, so that CSV has nothing to quote: one row per line, as it is. */
const LINES = String.raw`(FORMAT csv, DELIMITER E'\x02', QUOTE E'\x01')`;

const quote = (column: string) => `"${column}"`;

/** Statements on whole tables. */
@Injectable()
export class TransfersRepository {
  constructor(private readonly database: Database) {}

  /** The statements of the open transaction take as long as the data needs. */
  async removeTimeouts(): Promise<void> {
    await this.database.query('SET LOCAL statement_timeout = 0');
    await this.database.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  }

  /** The tables of which rows belong to workspaces, each after those that it refers to. */
  async listTables(): Promise<TransferTable[]> {
    const sql = `SELECT c.relname AS name, ARRAY(
              SELECT r.relname::text FROM pg_constraint f JOIN pg_class r ON r.oid = f.confrelid
               WHERE f.contype = 'f' AND f.conrelid = c.oid AND f.confrelid <> c.oid) AS "references"
              FROM pg_class c
             WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
               AND (c.relname IN ('workspaces', 'users') OR EXISTS (SELECT 1 FROM pg_attribute a
                 WHERE a.attrelid = c.oid AND a.attname = 'workspace_id' AND NOT a.attisdropped))
             ORDER BY c.relname`;
    return orderTables(await this.database.query<{ name: string; references: string[] }>(sql));
  }

  /** Empty if the table does not exist. */
  async listColumns(table: string): Promise<string[]> {
    const sql = `SELECT attname AS name FROM pg_attribute
                  WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`;
    return (await this.database.query<{ name: string }>(sql, [table])).map(({ name }) => name);
  }

  /** The newest migration of the database, which identifies the version of the service. */
  async getSchemaVersion(): Promise<string> {
    const sql = 'SELECT name FROM migrations ORDER BY id DESC LIMIT 1';
    return (await this.database.query<{ name: string }>(sql))[0]!.name;
  }

  /** Rows as lines of JSON, in the open transaction. PostgreSQL writes numbers and times exactly. */
  copyRows(workspaceId: string, { name, columns, table }: RowSource): AsyncIterable<Buffer> {
    const condition = table ? selectsRows(table, quoteLiteral(workspaceId)) : 'true';
    // Line ends between the tokens of a column of the type json.
    const line = String.raw`translate(row_to_json(r)::text, E'\n\r', '  ')`;
    return this.database.copyOut(
      `COPY (SELECT ${line} FROM (SELECT ${listValues(columns, table)} FROM ${name} t WHERE ${condition}) r) TO STDOUT ${LINES}`,
    );
  }

  /**
   * Inserts rows.
   *
   * @param rows a JSON array.
   * @param secret for the column `secret`, which no export contains; undefined if the table has none.
   * @param skipsExisting are rows left as they are if this service has them?
   */
  async insertRows(
    { name, columns, table }: RowSource,
    rows: string,
    secret: Buffer | undefined,
    skipsExisting: boolean,
  ): Promise<void> {
    const names = columns.map(quote).join(', ');
    const [also, value] = secret ? [', secret', ', $2::bytea'] : ['', ''];
    await this.database.affected(
      `INSERT INTO ${name} (${names}${also})
       SELECT ${listValues(columns, table)}${value} FROM json_populate_recordset(NULL::${name}, $1::json) t
       ${skipsExisting ? 'ON CONFLICT DO NOTHING' : ''}`,
      secret ? [rows, secret] : [rows],
    );
  }

  /** How many IDs of the sequence precede the last one of the workspace. */
  async countFollowingIds(workspaceId: string, table: string, sequence: string): Promise<number> {
    const sql = `SELECT greatest(0, max(id) - (SELECT last_value FROM ${sequence}))::float8 AS count
                   FROM ${table} WHERE workspace_id = $1`;
    return (await this.database.query<{ count: number | null }>(sql, [workspaceId]))[0]!.count ?? 0;
  }

  /** Assigns IDs of the sequence to nothing: unlike `setval`, this never assigns one twice. */
  async skipIds(sequence: string, count: number): Promise<void> {
    await this.database.query(`SELECT count(nextval('${sequence}')) FROM generate_series(1, $1::bigint)`, [count]);
  }

  async count(workspaceId: string, table: string): Promise<number> {
    const sql = `SELECT count(*)::float8 AS count FROM ${table} WHERE workspace_id = $1`;
    return (await this.database.query<{ count: number }>(sql, [workspaceId]))[0]!.count;
  }

  /** The rows of the table that an export of the workspace contains. @param ids of them only. */
  async countExported(workspaceId: string, table: TransferTable, ids?: readonly string[]): Promise<number> {
    const among = ids ? ' AND t.id = ANY ($2::uuid[])' : '';
    const sql = `SELECT count(*)::float8 AS count FROM ${table.name} t WHERE ${selectsRows(table, '$1')}${among}`;
    const parameters = ids ? [workspaceId, ids] : [workspaceId];
    return (await this.database.query<{ count: number }>(sql, parameters))[0]!.count;
  }

  /** Deletes all rows of the workspace in fixed tables, except that of the workspace itself. */
  async deleteRows(workspaceId: string): Promise<void> {
    // Persons belong to no workspace.
    const owned = (await this.listTables()).filter(({ name }) => name !== 'workspaces' && name !== 'users');
    for (const { name } of owned.reverse())
      await this.database.transaction(async () => {
        await this.removeTimeouts();
        await this.database.affected(`DELETE FROM ${name} WHERE workspace_id = $1`, [workspaceId]);
      });
  }
}

/** The columns of the row `t`, or what is transferred instead of them. */
function listValues(columns: readonly string[], table: TransferTable | undefined): string {
  const values = columns.map((column) => {
    const replaced = table?.replace?.[column];
    return replaced === undefined ? `t.${quote(column)}` : `${replaced} AS ${quote(column)}`;
  });
  return values.join(', ');
}
