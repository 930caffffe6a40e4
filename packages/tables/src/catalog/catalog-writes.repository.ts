import { DomainError } from '../../../errors/src/domain-error.js';
import { normalizeName, toNfc } from '../../../tabular/src/normalization.js';
import type { Sql } from '../../../sql/src/sql.js';
import { toValues } from '../../../sql/src/sql-literal.js';
import { uuid } from '../../../sql/src/uuid.js';
import type { EntityKind } from './entity-kind.js';
import { CatalogRepository, SELECT_ENTRY, SELECTED_ENTRY } from './catalog.repository.js';
import { type CatalogTable, compareLockOrder, type TableEntry, type TableIdentity } from './catalog-table.js';
import { needsIndex } from './column-indexes.js';
import type { CatalogColumn } from './column-plan.js';
import type { TableOptions } from './table-options.js';
import { wholeView } from './view.js';
import { TABLE_ERRORS } from './tables.errors.js';

/** Location tables of a workspace: a reference without a target may name a row of any of them (ADR 0205). */
export const MAX_LOCATION_TABLES = 100;

/**
 * Inserts the revision with which the history of a table starts, so that reads as of a time find it, although no rows
 * have changed with it. Parameters: the workspace, the table, the revision.
 */
const INSERT_FIRST_REVISION = `
  INSERT INTO table_revisions (workspace_id, table_id, revision, at) VALUES ($1, $2, $3, clock_timestamp())
  ON CONFLICT DO NOTHING`;

/** The unique key of a table in the catalog. */
type UniqueTableName = readonly [workspaceId: string, entity: EntityKind, nameKey: string];

/** A table under its lock. */
interface TableLock {
  table: CatalogTable;
  /** Has the call created it? */
  isNew: boolean;
}

/** Locks and changes of the tables and columns of the workspaces. Locked tables have all rows and columns. */
export class CatalogWrites {
  constructor(
    private readonly sql: Sql,
    private readonly catalog: CatalogRepository,
    private readonly onIndexRequested: () => void,
  ) {}

  /**
   * Locks the table until the transaction ends, and creates its entry if it does not exist. The lock serializes the
   * writers of a table: no update is lost, and the common lock order (`compareLockOrder`) prevents deadlocks.
   *
   * @param known the table as it was read before; if it is unchanged, it is not read again.
   * @returns the table as it is under the lock. `isNew` if this call created it.
   * @throws {DomainError} `too_many_tables` if it would be the 101st location table.
   */
  async lockOrCreate(workspaceId: string, identity: TableIdentity, known?: CatalogTable): Promise<TableLock> {
    const locked = await this.lockOrReserve(workspaceId, identity, known);
    if (locked.isNew && identity.entity === 'location') await this.requireCapacity(locked.table);
    return locked;
  }

  /** As `lockOrCreate`, for an entry that the transaction deletes again: it is not counted. */
  async lockOrReserve(workspaceId: string, identity: TableIdentity, known?: CatalogTable): Promise<TableLock> {
    const name: UniqueTableName = [workspaceId, identity.entity, normalizeName(identity.name)];
    // A table that the request identified by ID is locked even if it was renamed in the meantime.
    const byId = known !== undefined && known.id === identity.id;
    let locked = byId ? await this.lockEntry(known) : await this.lockByName(name);
    let isNew = false;
    // The loop repeats if another transaction drops the table between the INSERT and the lock.
    while (!locked) {
      const inserted = await this.sql.affected(
        `INSERT INTO workspace_tables (workspace_id, entity, name_key, id, name, definition_id)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (workspace_id, entity, name_key) DO NOTHING`,
        [...name, uuid(), toNfc(identity.name), uuid()],
      );
      isNew = inserted > 0;
      if (isNew) await this.continueRevisions(name, { isNew });
      locked = await this.lockByName(name);
    }
    const table = toCurrent(known, locked) ?? (await this.catalog.findByIdOrName(wholeView(workspaceId), identity))!;
    return { table, isNew };
  }

  /**
   * Locks tables that were read before, by one statement and in this order, which must be the common one.
   *
   * @returns the tables as they are under the lock; undefined if one of them was dropped, or no longer has the name by
   *   which it was found. The transaction must then be rolled back, because it has locked the others.
   */
  async lockKnown(
    workspaceId: string,
    known: readonly { identity: TableIdentity; table: CatalogTable }[],
  ): Promise<CatalogTable[] | undefined> {
    const ids = known.map(({ table }) => table.id);
    const names = known.map(({ identity, table }) => (identity.id === table.id ? null : table.nameKey));
    const locked = await this.sql.query<TableEntry>(
      `SELECT ${SELECTED_ENTRY} FROM unnest($2::uuid[], $3::text[]) WITH ORDINALITY AS k (known_id, known_name, position)
         JOIN workspace_tables t ON t.workspace_id = $1 AND t.id = known_id AND t.name_key = coalesce(known_name, t.name_key)
        ORDER BY position FOR UPDATE OF t`,
      [workspaceId, ids, names],
      'lock of tables',
    );
    if (locked.length < known.length) return undefined;
    const current = locked.flatMap((entry, at) => toCurrent(known[at]!.table, entry) ?? []);
    if (current.length === known.length) return current;
    const tables = new Map(
      (await this.catalog.listByIds(wholeView(workspaceId), ids)).map((table) => [table.id, table]),
    );
    return ids.map((id) => tables.get(id)!);
  }

  /** Locks tables in the common order. @returns the tables by ID, without dropped tables. */
  async lockByIds(workspaceId: string, ids: readonly string[]): Promise<Map<string, CatalogTable>> {
    const found = await this.catalog.listByIds(wholeView(workspaceId), ids);
    const locked = new Map<string, CatalogTable>();
    for (const table of found.toSorted(compareLockOrder)) {
      const current = await this.lockExisting(table);
      if (current) locked.set(current.id, current);
    }
    return locked;
  }

  /** Locks a table that was read before. @returns the table as it is now; undefined if it was dropped. */
  async lockExisting(known: CatalogTable): Promise<CatalogTable | undefined> {
    const locked = await this.lockEntry(known);
    if (!locked) return undefined;
    return toCurrent(known, locked) ?? (await this.catalog.listByIds(wholeView(known.workspaceId), [known.id]))[0];
  }

  /** Locks a table. @returns only its entry, so the caller may read the table again; undefined if it was dropped. */
  lockEntry({ workspaceId, id }: CatalogTable): Promise<TableEntry | undefined> {
    return this.lock('t.id = $2', [workspaceId, id]);
  }

  /**
   * Transactions that create location tables do not wait for each other: that of an import may take long. Each has an
   * advisory lock per table, and counts those of the others, and then the tables. A lock is released after its table is
   * visible, so none is missed.
   */
  private async requireCapacity({ workspaceId, id }: CatalogTable): Promise<void> {
    const creation = [`location tables of ${workspaceId}`];
    await this.sql.query('SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))', [...creation, id]);
    const [others] = await this.sql.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_locks
        WHERE locktype = 'advisory' AND classid = hashtext($1)::oid AND objsubid = 2
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND pid IS DISTINCT FROM pg_backend_pid()`,
      creation,
    );
    const [tables] = await this.sql.query<{ count: number }>(
      "SELECT count(*)::integer AS count FROM workspace_tables WHERE workspace_id = $1 AND entity = 'location'",
      [workspaceId],
    );
    const actual = tables!.count + others!.count;
    const limit = MAX_LOCATION_TABLES;
    if (actual <= limit) return;
    const message = `A workspace has at most ${limit} location tables; nothing was stored. Add the rows to an existing one, or drop one first.`;
    throw new DomainError(TABLE_ERRORS.too_many_tables, message, { details: { limit, actual } });
  }

  private lockByName(name: UniqueTableName): Promise<TableEntry | undefined> {
    return this.lock('t.entity = $2 AND t.name_key = $3', name);
  }

  private async lock(condition: string, parameters: readonly string[]): Promise<TableEntry | undefined> {
    return (await this.sql.query<TableEntry>(`${SELECT_ENTRY} AND ${condition} FOR UPDATE`, parameters))[0];
  }

  /**
   * Adds columns to the catalog and requests their indexes. The transaction must increment the revision of the table.
   */
  async addColumns(table: CatalogTable, columns: readonly CatalogColumn[]): Promise<void> {
    const { workspaceId, id: tableId } = table;
    const addedRevision = table.revision + 1;
    const rows = columns.map(({ key, ordinal, name, type, primaryKey, required, description, options }) => [
      ...[workspaceId, tableId, key, ordinal, name, type, primaryKey, required, description],
      ...[JSON.stringify(options), addedRevision],
    ]);
    const { sql, parameters } = toValues(rows);
    await this.sql.query(
      `INSERT INTO workspace_columns (workspace_id, table_id, key, ordinal, name, type, primary_key, required,
                                      description, options, added_revision) VALUES ${sql}`,
      parameters,
    );
    await this.changeDefinition(table);
    await this.requestIndexes(table, columns.filter(needsIndex));
  }

  /**
   * Sets the options of the table. If former rows are stored from now on, or no longer, the history starts with this
   * revision.
   */
  async setOptions({ workspaceId, id, ...table }: CatalogTable, options: TableOptions): Promise<void> {
    const isSwitched = (options.historyDays === 0) !== (table.options.historyDays === 0);
    await this.sql.query(
      `UPDATE workspace_tables
          SET options = $3, definition_id = $4, history_since = coalesce($5, history_since), updated_at = CURRENT_TIMESTAMP
        WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, id, JSON.stringify(options), uuid(), isSwitched ? table.revision : null],
    );
    if (isSwitched) await this.sql.query(INSERT_FIRST_REVISION, [workspaceId, id, table.revision]);
  }

  /** Must follow each change of the columns, and of the usable composite indexes, in the same transaction. */
  async changeDefinition({ workspaceId, id }: CatalogTable): Promise<void> {
    await this.sql.query(
      `UPDATE workspace_tables SET definition_id = $3, updated_at = CURRENT_TIMESTAMP
        WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, id, uuid()],
    );
  }

  /** Requests that the indexes of single columns are built in the background, or built again if they failed. */
  async requestIndexes(table: CatalogTable, columns: readonly CatalogColumn[]): Promise<void> {
    for (const column of columns) await this.requestIndex(table, [column]);
  }

  /** Requests that an index is built in the background, or built again if it failed. */
  async requestIndex({ workspaceId, id }: CatalogTable, columns: readonly CatalogColumn[]): Promise<void> {
    await this.sql.query(
      // During a lease (`token`) `due_at` remains: the instance that has the lease sets it afterwards.
      `INSERT INTO column_indexes AS i (workspace_id, table_id, ordinals, state) VALUES ($1, $2, $3, 'pending')
       ON CONFLICT (workspace_id, table_id, ordinals) DO UPDATE
         SET state = 'pending', message = NULL, due_at = CASE WHEN i.token IS NULL THEN excluded.due_at ELSE i.due_at END
       WHERE i.state IN ('failed', 'dropping')`,
      [workspaceId, id, columns.map(({ ordinal }) => ordinal)],
    );
    this.onIndexRequested();
  }

  /**
   * Records that the table is dropped or renamed. A caller may still have an ETag, a cursor or a row revision of it;
   * none of them may be valid for the next table of the same name. The caller holds its lock.
   */
  async retire({ workspaceId, entity, nameKey, id, revision }: CatalogTable): Promise<void> {
    await this.sql.query(
      `INSERT INTO former_table_names (workspace_id, entity, name_key, table_id, revision) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (workspace_id, entity, name_key)
         DO UPDATE SET table_id = excluded.table_id, revision = excluded.revision`,
      [workspaceId, entity, nameKey, id, revision],
    );
  }

  /**
   * Raises the revision of the table above those of another table that had its name. Changes of that table are not in
   * the change feed of this one. The history of a renamed table remains. The caller holds the lock.
   */
  async continueRevisions(name: UniqueTableName, { isNew }: { isNew: boolean }): Promise<void> {
    const raised = await this.sql.query<{ id: string; revision: string }>(
      `UPDATE workspace_tables t
          SET revision = greatest(t.revision, f.revision), changes_since = greatest(t.revision, f.revision) + 1
              ${isNew ? ', history_since = greatest(t.revision, f.revision)' : ''}
         FROM former_table_names f
        WHERE t.workspace_id = $1 AND t.entity = $2 AND t.name_key = $3 AND f.table_id <> t.id
          AND f.workspace_id = t.workspace_id AND f.entity = t.entity AND f.name_key = t.name_key
        RETURNING t.id, t.revision`,
      [...name],
    );
    for (const { id, revision } of raised) await this.sql.query(INSERT_FIRST_REVISION, [name[0], id, revision]);
  }

  async delete({ workspaceId, id }: CatalogTable): Promise<void> {
    for (const table of ['workspace_columns', 'table_revisions'])
      await this.sql.query(`DELETE FROM ${table} WHERE workspace_id = $1 AND table_id = $2`, [workspaceId, id]);
    await this.sql.query('DELETE FROM workspace_tables WHERE workspace_id = $1 AND id = $2', [workspaceId, id]);
  }

  /** Sets the revision that the changed rows of the table have. */
  async setRevision(table: CatalogTable, revision: number): Promise<void> {
    await this.setRevisions([{ ...table, revision }]);
  }

  /** Sets the revisions of tables of one workspace. @param tables with their new revisions. */
  async setRevisions(tables: readonly CatalogTable[]): Promise<void> {
    if (tables.length === 0) return;
    await this.sql.affected(
      `UPDATE workspace_tables t SET revision = k.revision, updated_at = CURRENT_TIMESTAMP
         FROM unnest($2::uuid[], $3::bigint[]) AS k (id, revision) WHERE t.workspace_id = $1 AND t.id = k.id`,
      [tables[0]!.workspaceId, tables.map(({ id }) => id), tables.map(({ revision }) => revision)],
      'revisions of tables',
    );
  }

  /**
   * Increases the revisions of all tables of a workspace. Changes before the new revisions are not in the change feed.
   *
   * @returns the number of tables.
   */
  async skipRevisions(workspaceId: string, by: number): Promise<number> {
    // A next table of a former name continues its revisions.
    await this.sql.affected('UPDATE former_table_names SET revision = revision + $2 WHERE workspace_id = $1', [
      workspaceId,
      by,
    ]);
    return this.sql.affected(
      `UPDATE workspace_tables
          SET revision = revision + $2, changes_since = revision + $2, updated_at = CURRENT_TIMESTAMP
        WHERE workspace_id = $1`,
      [workspaceId, by],
    );
  }
}

/** The table with its entry as it is now; undefined if its definition has changed, or `known` is a part of it. */
function toCurrent(known: CatalogTable | undefined, entry: TableEntry): CatalogTable | undefined {
  if (known?.definitionId !== entry.definitionId || known.permission) return undefined;
  const { columns, options, indexes } = known;
  return { ...entry, columns, options, indexes, view: wholeView(entry.workspaceId) };
}
