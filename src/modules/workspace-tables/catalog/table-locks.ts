import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { NotFoundError, UnavailableError } from '../../../platform/http/domain-error.js';
import { type EntityKind, normalizeName } from './entity-kind.js';
import type { TableRef } from './table-ref.decorator.js';
import { findReferringTables } from './reference-targets.js';
import { compareLockOrder, type CatalogTable, CatalogRepository } from './catalog.repository.js';

/** How often the tables concerned are looked up and locked anew, where meanwhile others came to be concerned. */
const TRIES = 3;

export interface LockedTables {
  table: CatalogTable;
  /** With `referring`: all tables of the workspace; those that refer to the table are locked. */
  tables: CatalogTable[];
  /** Has another table the new name? If not, none can come to have it meanwhile. */
  isNameTaken: boolean;
}

interface LockOptions {
  /** The name that the table is to have. */
  newName?: string;
  /** Lock the tables that refer to it too? */
  referring: boolean;
}

/** Locks a table, with what concerns it, for who changes its entry in the catalog. */
@Injectable()
export class TableLocks {
  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogRepository,
  ) {}

  /** Runs the work in a transaction that holds the locks. @throws {NotFoundError | UnavailableError} */
  async withLocks<T>(place: TableRef, options: LockOptions, work: (locked: LockedTables) => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const done = await this.database.transaction(async () => {
        const locked = await this.lock(place, options);
        return locked && { result: await work(locked) };
      });
      if (done) return done.result;
    }
    throw new UnavailableError('table_busy', 'The table and those that refer to it keep being changed; try again.');
  }

  /** Undefined where, once the locks are held, others are concerned than were locked. */
  private async lock(
    { workspaceId, entity, table: idOrName }: TableRef,
    { newName, referring }: LockOptions,
  ): Promise<LockedTables | undefined> {
    const found = await this.catalog.find(workspaceId, entity, idOrName);
    if (!found) throw new NotFoundError('The table');
    const before = referring ? this.referringTo(found, await this.catalog.listAll(workspaceId)) : [];
    const isMoving = newName !== undefined && normalizeName(newName) !== found.nameKey;
    const wanted = { entity, name: isMoving ? newName : '' };
    let isNameTaken = false;
    for (const each of [found, ...before, ...(isMoving ? [wanted] : [])].toSorted(compareLockOrder)) {
      if (each === wanted) isNameTaken = await this.reserve(workspaceId, wanted, found.id);
      else await this.catalog.lockFound([each as CatalogTable]);
    }
    const tables = referring
      ? await this.catalog.listAll(workspaceId)
      : await this.catalog.listByIds(workspaceId, [found.id]);
    const table = tables.find(({ id }) => id === found.id);
    // Dropped meanwhile, or called otherwise by now: whoever comes again finds out.
    if (table?.nameKey !== found.nameKey) return undefined;
    const locked = new Set([found, ...before].map(({ id }) => id));
    const isComplete = !referring || this.referringTo(table, tables).every(({ id }) => locked.has(id));
    return isComplete ? { table, tables, isNameTaken } : undefined;
  }

  private referringTo(table: CatalogTable, tables: readonly CatalogTable[]): CatalogTable[] {
    return findReferringTables(table, tables)
      .map((pointing) => pointing.table)
      .filter(({ id }) => id !== table.id);
  }

  /**
   * Takes the lock of a name that no table has, in its place among the others: whoever is about to make a table of that
   * name comes to wait here, and not for a table that they have locked. @returns whether another table has the name.
   */
  private async reserve(
    workspaceId: string,
    wanted: { entity: EntityKind; name: string },
    id: string,
  ): Promise<boolean> {
    const { table, created } = await this.catalog.lock(workspaceId, wanted);
    if (created) await this.catalog.remove(table);
    return !created && table.id !== id;
  }
}
