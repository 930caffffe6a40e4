import { setTimeout as delay } from 'node:timers/promises';
import { SQLSTATE, sqlState } from '../../../sql/src/sql-state.js';
import { Savepoint } from '../../../sql/src/savepoint.js';
import type { Sql } from '../../../sql/src/sql.js';
import { UnavailableError } from '../../../errors/src/domain-error.js';
import { TABLE_ERRORS } from './tables.errors.js';
import type { CatalogTable } from './catalog-table.js';
import type { CatalogColumn } from './column-plan.js';
import { encodeArray } from './binary-format.js';
import {
  addColumnsSql,
  analyzeTableSql,
  createTableSql,
  dropColumnSql,
  dropTableSql,
  formerRowsName,
  indexNamePrefix,
  schemaName,
} from './physical-table.js';
import { TemporaryTablesFactory } from './temporary-tables.js';

/** How often a change of a physical table is tried, and how long each attempt waits for readers of the table. */
const MAX_ATTEMPTS = 3;
const LOCK_TIMEOUT_MS = 1_000;

/** Disk space of the former rows of all tables and their indexes, in bytes. */
export interface HistorySize {
  total: number;
  /** That of the largest table. */
  largest: number;
}

/** Creates and changes physical tables in the open transaction, under the lock of the catalog entry. Measures them. */
export class PhysicalTablesRepository {
  /** The function that returns the size of a table with its indexes. */
  protected readonly sizeFunction: string = 'pg_total_relation_size';

  constructor(
    protected readonly sql: Sql,
    private readonly temporary: TemporaryTablesFactory,
  ) {}

  async createSchema(workspaceId: string): Promise<void> {
    await this.sql.query(`CREATE SCHEMA IF NOT EXISTS ${schemaName(workspaceId)}`);
  }

  /**
   * Drops the schema of a workspace. Each table is dropped by itself, outside a transaction: together, they may need
   * more locks than PostgreSQL has.
   */
  async dropSchema(workspaceId: string): Promise<void> {
    const schema = schemaName(workspaceId);
    const tables = await this.sql.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind = 'r'",
      [schema],
    );
    for (const { name } of tables) await this.sql.query(`DROP TABLE IF EXISTS ${schema}.${name}`);
    await this.sql.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  }

  /** @throws {UnavailableError} */
  create(table: CatalogTable, columns: readonly CatalogColumn[]): Promise<void> {
    return this.change(table, createTableSql(table, columns));
  }

  /** @throws {UnavailableError} */
  addColumns(table: CatalogTable, columns: readonly CatalogColumn[]): Promise<void> {
    return this.change(table, addColumnsSql(table, columns));
  }

  /** @throws {UnavailableError} */
  dropColumn(table: CatalogTable, column: CatalogColumn): Promise<void> {
    return this.change(table, dropColumnSql(table, column));
  }

  /** @throws {UnavailableError} */
  drop(table: CatalogTable): Promise<void> {
    return this.change(table, dropTableSql(table));
  }

  /** Disk space of the former rows of a table and their indexes, in bytes. */
  async measureHistory(table: CatalogTable): Promise<number> {
    const [size] = await this.sql.query<{ bytes: number }>(
      `SELECT ${this.sizeFunction}('${formerRowsName(table)}')::float8 AS bytes`,
    );
    return size!.bytes;
  }

  /** Disk space of the former rows of several tables. */
  async measureHistories(tables: readonly Pick<CatalogTable, 'workspaceId' | 'id'>[]): Promise<HistorySize> {
    // A table may be dropped in the meantime. A cluster calls the function only in a statement without tables.
    const [size] = await this.sql.query<HistorySize>(
      `SELECT coalesce(sum(s.bytes), 0)::float8 AS total, coalesce(max(s.bytes), 0)::float8 AS largest
         FROM unnest($1::text[]) AS n (name) CROSS JOIN LATERAL (
           SELECT ${this.sizeFunction}(to_regclass(n.name)) AS bytes) s`,
      [encodeArray('text', tables.map(formerRowsName))],
    );
    return size!;
  }

  /**
   * Cancels index builds of the table: a build locks the table against changes until all older transactions of the
   * database have ended. The background work of the service starts it again.
   */
  async cancelIndexBuilds(table: CatalogTable): Promise<void> {
    await this.sql.query(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active'
          AND (starts_with(query, 'CREATE INDEX CONCURRENTLY ' || $1) OR query = $2)`,
      [indexNamePrefix(table), analyzeTableSql(table)],
    );
  }

  /**
   * A change waits for all readers of the table, and later readers wait behind it. Therefore it waits one second at
   * most, lets them finish, and tries again.
   *
   * @throws {UnavailableError} if the table could not be locked in three attempts.
   */
  private async change(table: CatalogTable, statements: readonly string[]): Promise<void> {
    // The default would be that of the server, behind a pooler and on the workers of a cluster.
    const [settings] = await this.sql.query<{ timeout: string }>("SELECT current_setting('lock_timeout') AS timeout");
    const restored = `SET LOCAL lock_timeout = '${settings!.timeout}'`;
    await this.temporary.close();
    const savepoint = new Savepoint(this.sql, 'change');
    for (let attempt = 1; ; attempt++) {
      await this.cancelIndexBuilds(table);
      await savepoint.begin();
      try {
        await this.sql.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        for (const statement of statements) await this.sql.query(statement);
        await this.sql.query(restored);
        await savepoint.release();
        return;
      } catch (error) {
        if (sqlState(error) !== SQLSTATE.lockNotAvailable) throw error;
        await savepoint.rollBack();
        if (attempt === MAX_ATTEMPTS) {
          const message = 'Other requests read the table, so it could not be changed in time. Send the request again.';
          throw new UnavailableError(TABLE_ERRORS.table_busy, message, { cause: error });
        }
        await delay(50 * attempt);
        // A transaction reads the activity once, and would not find builds that have begun since.
        await this.sql.query('SELECT pg_stat_clear_snapshot()');
      }
    }
  }
}
