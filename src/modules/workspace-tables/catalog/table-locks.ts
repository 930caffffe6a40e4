import { Injectable } from '@nestjs/common';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import { Sql } from '../../../../packages/sql/src/sql.js';
import { UnavailableError } from '../../../../packages/errors/src/domain-error.js';
import { CatalogRepository, toMissingTableError } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import {
  type CatalogTable,
  type TableIdentity,
  compareLockOrder,
} from '../../../../packages/tables/src/catalog/catalog-table.js';
import { CatalogWrites } from '../../../../packages/tables/src/catalog/catalog-writes.repository.js';
import { findReferringTables, type ReferringTable } from '../../../../packages/tables/src/catalog/reference-targets.js';
import { TablePermissions } from '../../../../packages/tables/src/catalog/table-permissions.js';
import { type TableRef, toIdentity } from '../../../../packages/tables/src/catalog/table-ref.js';
import { TableTurns } from './table-turns.js';
import { wholeView } from '../../../../packages/tables/src/catalog/view.js';
import { TABLE_ERRORS } from '../../../../packages/tables/src/catalog/tables.errors.js';

/** How often the locks are acquired if the set of tables to lock changes before all are acquired. */
const MAX_ATTEMPTS = 3;

export interface LockedTables {
  table: CatalogTable;
  /** The table as the view of the request permits to read it. */
  readable: CatalogTable;
  /** With the option `referring`: all tables of the workspace; otherwise only the table. */
  tables: CatalogTable[];
  /**
   * With the option `referring`: the tables that refer to rows of the table, possibly including itself. All are locked.
   */
  referring: ReferringTable[];
  /** Does another table have the new name? Otherwise the name is reserved until the transaction ends. */
  isNameTaken: boolean;
}

interface LockOptions {
  /** Lock the tables that refer to the table, too. */
  referring: boolean;
  /** A new name for the table, to be reserved. */
  newName?: string;
}

/**
 * Locks a table and the tables that refer to it: for changes of a definition, and of a key that other tables contain.
 */
@Injectable()
export class TableLocks {
  constructor(
    private readonly sql: Sql,
    private readonly catalog: CatalogRepository,
    private readonly writes: CatalogWrites,
    private readonly turns: TableTurns,
    private readonly permissions: TablePermissions,
  ) {}

  /**
   * Runs the work in a transaction, after it has locked the tables in the common order.
   *
   * @throws {NotFoundError} if the table does not exist.
   * @throws {ReadOnlyError} if an access policy permits the caller only to read the table.
   * @throws {UnavailableError} if other requests repeatedly change the set of referring tables.
   */
  async withLocks<T>(ref: TableRef, options: LockOptions, work: (locked: LockedTables) => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const lockAndWork = async () => {
        const locked = await this.lock(ref, options);
        return locked && { result: await work(locked) };
      };
      const transaction = () => this.sql.transaction(lockAndWork);
      const done = await this.turns.run(ref.view.workspaceId, [toIdentity(ref)], transaction);
      if (done) return done.result;
    }
    const message =
      'Other requests repeatedly change the table or the tables that refer to it. Send the request again.';
    throw new UnavailableError(TABLE_ERRORS.table_busy, message);
  }

  /** Undefined if the set of tables to lock changed before all locks were acquired. */
  private async lock(ref: TableRef, { newName, referring }: LockOptions): Promise<LockedTables | undefined> {
    const view = wholeView(ref.view.workspaceId);
    const found = await this.catalog.get({ ...ref, view });
    this.permissions.permitWrite(ref.view, found, toMissingTableError);
    const before = referring ? findReferringTables(found, await this.catalog.listAll(view)) : [];
    const toLock = new Map([found, ...before.map(({ table }) => table)].map((table) => [table.id, table]));
    const reserved = newName === undefined || normalizeName(newName) === found.nameKey ? undefined : newName;
    const isNameTaken = await this.lockInOrder(found, [...toLock.values()], reserved);
    const tables = await (referring ? this.catalog.listAll(view) : this.catalog.listByIds(view, [found.id]));
    const table = tables.find(({ id }) => id === found.id);
    // The table was dropped or renamed in the meantime; the next attempt looks it up again.
    if (table?.nameKey !== found.nameKey) return undefined;
    const current = referring ? findReferringTables(table, tables) : [];
    if (!current.every((each) => toLock.has(each.table.id))) return undefined;
    const readable = this.permissions.permitWrite(ref.view, table, toMissingTableError) ?? table;
    return { table, readable, tables, referring: current, isNameTaken };
  }

  /** @returns whether another table has the new name. */
  private async lockInOrder(
    table: CatalogTable,
    tables: readonly CatalogTable[],
    newName: string | undefined,
  ): Promise<boolean> {
    const reserved: TableIdentity[] = newName === undefined ? [] : [{ entity: table.entity, name: newName }];
    let isNameTaken = false;
    for (const each of [...tables, ...reserved].toSorted(compareLockOrder)) {
      if (each === reserved[0]) isNameTaken = await this.reserveName(table, each);
      else await this.writes.lockEntry(each as CatalogTable);
    }
    return isNameTaken;
  }

  /**
   * Reserves a name until the transaction ends: inserts its entry and deletes it again, so that a request that creates
   * a table of this name waits for this transaction.
   *
   * @returns whether another table has the name.
   */
  private async reserveName({ workspaceId, id }: CatalogTable, identity: TableIdentity): Promise<boolean> {
    const { table, isNew } = await this.writes.lockOrReserve(workspaceId, identity);
    if (isNew) await this.writes.delete(table);
    return !isNew && table.id !== id;
  }
}
