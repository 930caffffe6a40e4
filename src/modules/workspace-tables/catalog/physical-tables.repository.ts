import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { SQLSTATE, sqlState } from '../../../platform/database/database.errors.js';
import { UnavailableError } from '../../../platform/http/domain-error.js';
import type { CatalogTable } from './catalog.repository.js';
import type { CatalogColumn } from './column-plan.js';
import {
  addColumns,
  createTable,
  dropColumn,
  dropTable,
  indexPrefixOf,
  schemaName,
  upgrades,
} from './physical-table.js';
import { LAYOUT, WorkspaceTable } from './workspace-table.entity.js';

/** How often a change of a physical table is tried, and how long it waits each time for those who read the table. */
const TRIES = 3;
const LOCK_TIMEOUT_MS = 1_000;

/** Makes and changes physical tables, in the transaction that needs them and under the lock of their catalog entry. */
@Injectable()
export class PhysicalTablesRepository {
  constructor(private readonly database: Database) {}

  async createSchema(workspaceId: string): Promise<void> {
    await this.database.query(`CREATE SCHEMA IF NOT EXISTS ${schemaName(workspaceId)}`);
  }

  create(table: CatalogTable, columns: readonly CatalogColumn[]): Promise<void> {
    return this.change(table, createTable(table, columns));
  }

  addColumns(table: CatalogTable, columns: readonly CatalogColumn[]): Promise<void> {
    return this.change(table, addColumns(table, columns));
  }

  dropColumn(table: CatalogTable, column: CatalogColumn): Promise<void> {
    return this.change(table, dropColumn(table, column));
  }

  drop(table: CatalogTable): Promise<void> {
    return this.change(table, dropTable(table));
  }

  /**
   * An index that is being built keeps the table from being changed, for as long as there are older transactions anywhere.
   * So it is broken off; it begins again by itself.
   */
  async breakOffBuilds(table: CatalogTable): Promise<void> {
    await this.database.query(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND query LIKE 'CREATE INDEX CONCURRENTLY ' || $1 || '%'`,
      [indexPrefixOf(table)],
    );
  }

  /**
   * Brings a table of an older layout to the newest, once: who has waited for the lock may know an older one than there is
   * by now, since an upgrade spends no revision.
   *
   * @returns whether it was this call that did it. @throws {UnavailableError}
   */
  async upgrade(table: CatalogTable): Promise<boolean> {
    if (table.layout >= LAYOUT) return false;
    const { workspaceId, id, layout } = table;
    const known = { workspaceId, id, layout };
    const { affected } = await this.database.manager.update(WorkspaceTable, known, { layout: LAYOUT });
    if (!affected) return false;
    await this.change(table, upgrades(table));
    return true;
  }

  /**
   * A change waits for everybody who reads the table, and everybody who comes later waits behind it. So it waits one
   * second at most, lets them pass, and tries again. @throws {UnavailableError}
   */
  private async change(table: CatalogTable, statements: readonly string[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await this.breakOffBuilds(table);
      await this.database.query('SAVEPOINT change');
      try {
        await this.database.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        for (const statement of statements) await this.database.query(statement);
        await this.database.query('SET LOCAL lock_timeout TO DEFAULT');
        await this.database.query('RELEASE SAVEPOINT change');
        return;
      } catch (error) {
        if (sqlState(error) !== SQLSTATE.lockNotAvailable) throw error;
        await this.database.query('ROLLBACK TO SAVEPOINT change');
        if (attempt === TRIES) {
          throw new UnavailableError(
            'table_busy',
            'The table is being read and could not be changed in time; try again.',
            1,
            error,
          );
        }
        await delay(50 * attempt);
      }
    }
  }
}
