import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SQLSTATE, sqlState } from '../../../platform/database/database.errors.js';
import { Database } from '../../../platform/database/database.js';
import { TableBusyError } from '../workspace-tables.errors.js';
import type { CatalogTable } from './catalog.repository.js';
import type { CatalogColumn } from './column-plan.js';
import {
  addColumnsSql,
  analyzeTableSql,
  createTableSql,
  dropColumnSql,
  dropTableSql,
  indexNamePrefix,
  schemaName,
} from './physical-table.js';
import { TemporaryTablesFactory } from './temporary-tables.js';

/** How often a change of a physical table is tried, and how long each attempt waits for readers of the table. */
const MAX_ATTEMPTS = 3;
const LOCK_TIMEOUT_MS = 1_000;

/** Creates and changes physical tables, in the open transaction and under the lock of the catalog entry. */
@Injectable()
export class PhysicalTablesRepository {
  constructor(
    protected readonly database: Database,
    private readonly temporary: TemporaryTablesFactory,
  ) {}

  async createSchema(workspaceId: string): Promise<void> {
    await this.database.query(`CREATE SCHEMA IF NOT EXISTS ${schemaName(workspaceId)}`);
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

  /**
   * Cancels index builds of the table: a build locks the table against changes until all older transactions of the
   * database have ended. ColumnIndexBuilder starts it again.
   */
  async cancelIndexBuilds(table: CatalogTable): Promise<void> {
    await this.database.query(
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
    const [settings] = await this.database.query<{ timeout: string }>(
      "SELECT current_setting('lock_timeout') AS timeout",
    );
    const restored = `SET LOCAL lock_timeout = '${settings!.timeout}'`;
    await this.temporary.close();
    for (let attempt = 1; ; attempt++) {
      await this.cancelIndexBuilds(table);
      await this.database.query('SAVEPOINT change');
      try {
        await this.database.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        for (const statement of statements) await this.database.query(statement);
        await this.database.query(restored);
        await this.database.query('RELEASE SAVEPOINT change');
        return;
      } catch (error) {
        if (sqlState(error) !== SQLSTATE.lockNotAvailable) throw error;
        await this.database.query('ROLLBACK TO SAVEPOINT change');
        if (attempt === MAX_ATTEMPTS) throw new TableBusyError(error);
        await delay(50 * attempt);
        // A transaction reads the activity once, and would not find builds that have begun since.
        await this.database.query('SELECT pg_stat_clear_snapshot()');
      }
    }
  }
}
