import { Injectable } from '@nestjs/common';
import { v7 as uuid, validate as isUuid } from 'uuid';
import { NotFoundError } from '../../../platform/http/domain-error.js';
import { Database } from '../../../platform/database/database.js';
import { needsIndex } from './column-indexes.js';
import type { CatalogColumn } from './column-plan.js';
import { FormerTableNamesRepository, type TableNameKey } from './former-table-names.repository.js';
import { type EntityKind, normalizeName } from './entity-kind.js';
import type { TableRef } from './table-ref.decorator.js';
import { WorkspaceColumn } from './workspace-column.entity.js';
import { LAYOUT, WorkspaceTable } from './workspace-table.entity.js';

/** A table as the catalog has it. */
export interface CatalogTable {
  workspaceId: string;
  id: string;
  entity: EntityKind;
  name: string;
  nameKey: string;
  revision: number;
  /** The highest ordinal that a dropped column had. */
  droppedOrdinal: number;
  /** Version of the physical layout. */
  layout: number;
  /** May rows that were deleted be left in it? */
  hasTombstones: boolean;
  /** What was deleted up to this revision may be forgotten by now. */
  changesSince: number;
  columns: CatalogColumn[];
}

/** What names a table of a workspace in a body. */
export interface TableName {
  entity: EntityKind;
  name: string;
  /** Goes before the name, where a table has it. */
  id?: string;
}

/** The one order in which locks are taken, so that no two requests wait for each other. */
export function compareLockOrder(a: TableName, b: TableName): number {
  const [left, right] = [`${a.entity} ${normalizeName(a.name)}`, `${b.entity} ${normalizeName(b.name)}`];
  return left < right ? -1 : 1;
}

const SELECT_TABLE = `
  SELECT t.workspace_id AS "workspaceId", t.id, t.entity, t.name, t.name_key AS "nameKey", t.revision::float8 AS revision,
         t.dropped_ordinal AS "droppedOrdinal",
         t.layout, t.tombstones_since IS NOT NULL AS "hasTombstones", t.changes_since::float8 AS "changesSince",
         (SELECT coalesce(json_agg(json_build_object('key', c.key, 'ordinal', c.ordinal, 'name', c.name, 'type', c.type,
                   'primaryKey', c.primary_key, 'required', c.required, 'description', c.description, 'options', c.options)
                 ORDER BY c.ordinal), '[]')
            FROM workspace_columns c WHERE c.workspace_id = t.workspace_id AND c.table_id = t.id) AS columns
    FROM workspace_tables t
   WHERE t.workspace_id = $1`;

/** An instance that is at the index is let finish what it began; the next one sees to the rest. */
const DUE = 'due_at = CASE WHEN i.token IS NULL THEN clock_timestamp() ELSE i.due_at END';

/** The catalog: which tables a workspace has, and their columns. */
@Injectable()
export class CatalogRepository {
  constructor(
    private readonly database: Database,
    private readonly formerNames: FormerTableNamesRepository,
  ) {}

  /** Runs work that finds tables here and reads their rows; again where one is dropped or changed in between. */
  readWithRetry<T>(work: () => Promise<T>): Promise<T> {
    return this.database.readWithRetry(work);
  }

  /** The same of the table that a path names. @throws {NotFoundError} */
  read<T>(path: TableRef, work: (table: CatalogTable) => Promise<T>): Promise<T> {
    return this.readWithRetry(async () => work(await this.get(path)));
  }

  async findByName(workspaceId: string, { entity, name }: TableName): Promise<CatalogTable | undefined> {
    const sql = `${SELECT_TABLE} AND t.entity = $2 AND t.name_key = $3`;
    return (await this.database.query<CatalogTable>(sql, [workspaceId, entity, normalizeName(name)]))[0];
  }

  /** By the table's id, else by its name. */
  async find(workspaceId: string, entity: EntityKind, idOrName: string): Promise<CatalogTable | undefined> {
    if (isUuid(idOrName)) {
      const sql = `${SELECT_TABLE} AND t.entity = $2 AND t.id = $3`;
      const [found] = await this.database.query<CatalogTable>(sql, [workspaceId, entity, idOrName]);
      if (found) return found;
    }
    return this.findByName(workspaceId, { entity, name: idOrName });
  }

  /** The table that a path names. @throws {NotFoundError} */
  async get({ workspaceId, entity, table: idOrName }: TableRef): Promise<CatalogTable> {
    const table = await this.find(workspaceId, entity, idOrName);
    if (!table) throw new NotFoundError('The table');
    return table;
  }

  /** By the id that a caller knows, else by its name. */
  async findNamed(workspaceId: string, { entity, name, id }: TableName): Promise<CatalogTable | undefined> {
    const [known] = id === undefined ? [] : await this.listByIds(workspaceId, [id]);
    return known?.entity === entity ? known : this.findByName(workspaceId, { entity, name });
  }

  /** All tables of an entity. */
  async list(workspaceId: string, entity: EntityKind): Promise<CatalogTable[]> {
    return this.database.query<CatalogTable>(`${SELECT_TABLE} AND t.entity = $2 ORDER BY t.name_key`, [
      workspaceId,
      entity,
    ]);
  }

  /** All tables of the workspace. */
  async listAll(workspaceId: string): Promise<CatalogTable[]> {
    return this.database.query<CatalogTable>(SELECT_TABLE, [workspaceId]);
  }

  /** The tables with these ids, as far as they are there. */
  async listByIds(workspaceId: string, ids: readonly string[]): Promise<CatalogTable[]> {
    return this.database.query<CatalogTable>(`${SELECT_TABLE} AND t.id = ANY($2::uuid[])`, [workspaceId, ids]);
  }

  /**
   * Locks the table's entry until the transaction ends, making it where there is none. Writers of a table follow one
   * another by this lock: no update is lost, and with one order of tables for all there are no deadlocks.
   *
   * @param known the table as it was read before: where its revision has not moved, it is not read again.
   * @returns the table as it is now that the lock is held, and whether this call made it.
   */
  async lock(
    workspaceId: string,
    name: TableName,
    known?: CatalogTable,
  ): Promise<{ table: CatalogTable; created: boolean }> {
    const place: TableNameKey = [workspaceId, name.entity, normalizeName(name.name)];
    // One that is known by its id may get another name before the lock is held, and is locked all the same.
    const byId = known !== undefined && known.id === name.id;
    let locked = byId ? await this.lockId(known) : await this.lockEntry(place);
    let created = false;
    // One that is dropped before its lock is held is made anew.
    while (!locked) {
      const made = await this.database.affected(
        `INSERT INTO workspace_tables (workspace_id, entity, name_key, id, name, layout)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (workspace_id, entity, name_key) DO NOTHING`,
        [...place, uuid(), name.name.normalize('NFC'), LAYOUT],
      );
      created = made > 0;
      if (created) await this.formerNames.follow(place);
      locked = await this.lockEntry(place);
    }
    const unmoved = known && locked.id === known.id && locked.revision === known.revision;
    return { table: unmoved ? known : (await this.findNamed(workspaceId, name))!, created };
  }

  /** The same for one table that was found before; undefined where it is gone by now. */
  async lockKnown(known: CatalogTable): Promise<CatalogTable | undefined> {
    const locked = await this.lockId(known);
    if (!locked) return undefined;
    return locked.revision === known.revision ? known : (await this.listByIds(known.workspaceId, [known.id]))[0];
  }

  /**
   * The same for tables that were found before, in the order of all; whatever their names are by now. What is read from
   * now on stays as it is.
   */
  async lockFound(tables: readonly CatalogTable[]): Promise<void> {
    for (const table of tables.toSorted(compareLockOrder)) await this.lockId(table);
  }

  private async lockEntry(place: TableNameKey): Promise<{ id: string; revision: number } | undefined> {
    const [entry] = await this.database.query<{ id: string; revision: number }>(
      `SELECT id, revision::float8 AS revision FROM workspace_tables
        WHERE workspace_id = $1 AND entity = $2 AND name_key = $3 FOR UPDATE`,
      [...place],
    );
    return entry;
  }

  private async lockId({ workspaceId, id }: CatalogTable): Promise<{ id: string; revision: number } | undefined> {
    const [entry] = await this.database.query<{ id: string; revision: number }>(
      `SELECT id, revision::float8 AS revision FROM workspace_tables WHERE workspace_id = $1 AND id = $2 FOR UPDATE`,
      [workspaceId, id],
    );
    return entry;
  }

  /** Adds columns, and the indexes that they are to have. */
  async addColumns(table: CatalogTable, columns: readonly CatalogColumn[]): Promise<void> {
    const { workspaceId, id: tableId } = table;
    await this.database.manager.insert(
      WorkspaceColumn,
      columns.map((column) => ({ workspaceId, tableId, ...column })),
    );
    for (const { ordinal } of columns.filter(needsIndex)) await this.requestIndex(table, ordinal);
  }

  /** The index of the column is to be built, by whichever instance comes to it; again where that failed before. */
  async requestIndex({ workspaceId, id }: CatalogTable, ordinal: number): Promise<void> {
    await this.database.query(
      `INSERT INTO column_indexes AS i (workspace_id, table_id, ordinal, state) VALUES ($1, $2, $3, 'pending')
       ON CONFLICT (workspace_id, table_id, ordinal) DO UPDATE SET state = 'pending', message = NULL, ${DUE}
         WHERE i.state IN ('failed', 'dropping')`,
      [workspaceId, id, ordinal],
    );
  }

  /** The index of the column is to go. */
  async withdrawIndex({ workspaceId, id }: CatalogTable, ordinal: number): Promise<void> {
    await this.database.query(
      `UPDATE column_indexes i SET state = 'dropping', message = NULL, ${DUE}
        WHERE workspace_id = $1 AND table_id = $2 AND ordinal = $3`,
      [workspaceId, id, ordinal],
    );
  }

  async remove({ workspaceId, id }: CatalogTable): Promise<void> {
    await this.database.manager.delete(WorkspaceColumn, { workspaceId, tableId: id });
    await this.database.manager.delete(WorkspaceTable, { workspaceId, id });
  }

  /** The table has changed: its entry takes the revision that the changed rows carry. */
  async setRevision(table: CatalogTable, revision: number): Promise<void> {
    const { workspaceId, id } = table;
    await this.database.manager.update(WorkspaceTable, { workspaceId, id }, { revision });
  }

  /** Tables of all workspaces in an older layout, by their ids. */
  listOutdated(after: string | undefined, limit: number): Promise<{ workspaceId: string; id: string }[]> {
    return this.database.query<{ workspaceId: string; id: string }>(
      `SELECT workspace_id AS "workspaceId", id FROM workspace_tables
        WHERE layout < $1 AND ($2::uuid IS NULL OR id > $2::uuid) ORDER BY id LIMIT $3`,
      [LAYOUT, after ?? null, limit],
    );
  }
}
