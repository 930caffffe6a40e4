import { LRUCache } from 'lru-cache';
import { normalizeName } from '../../../tabular/src/normalization.js';
import type { Sql } from '../../../sql/src/sql.js';
import { NotFoundError } from '../../../errors/src/domain-error.js';
import type { CatalogTable, Definition, TableEntry, TableIdentity } from './catalog-table.js';
import type { EntityKind } from './entity-kind.js';
import { ReadMoments, type SentMoment } from './read-moments.repository.js';
import { TablePermissions } from './table-permissions.js';
import { type TableRef, toIdentity } from './table-ref.js';
import { isRestricted, type View } from './view.js';

/** Columns that an instance caches, of all tables together: about 30 MB. */
const MAX_CACHED_COLUMNS = 50_000;

/** The entry `t` of a table. */
export const SELECTED_ENTRY = `
  t.workspace_id AS "workspaceId", t.id, t.entity, t.name, t.name_key AS "nameKey", t.revision::float8 AS revision,
  t.dropped_ordinal AS "droppedOrdinal", t.definition_id AS "definitionId",
  t.tombstones_since IS NOT NULL AS "hasTombstones", t.changes_since::float8 AS "changesSince",
  t.history_since::float8 AS "historySince"`;

/**
 * The entries of a workspace, `$1`, without their definitions; and with them. All conditions on the workspace contain
 * its ID: a cluster would send a subselect that only refers to `t` to all nodes.
 */
export const SELECT_ENTRY = `SELECT ${SELECTED_ENTRY} FROM workspace_tables t WHERE t.workspace_id = $1`;

const SELECT_TABLE = `
  SELECT ${SELECTED_ENTRY}, t.options,
         (SELECT coalesce(json_agg(json_build_object('key', c.key, 'ordinal', c.ordinal, 'name', c.name, 'type', c.type,
                   'primaryKey', c.primary_key, 'required', c.required, 'description', c.description, 'options', c.options,
                   'addedRevision', c.added_revision)
                 ORDER BY c.ordinal), '[]')
            FROM workspace_columns c WHERE c.workspace_id = $1 AND c.table_id = t.id) AS columns,
         (SELECT coalesce(json_agg(i.ordinals ORDER BY i.ordinals), '[]') FROM column_indexes i
           WHERE i.workspace_id = $1 AND i.table_id = t.id
             AND cardinality(i.ordinals) > 1 AND i.state = 'ready') AS indexes
    FROM workspace_tables t
   WHERE t.workspace_id = $1`;

/** The tables and columns of the workspaces, as a view contains them. `CatalogWrites` changes them. */
export class CatalogRepository {
  /**
   * Columns and indexes by the ID of their definition, which never gets others
   * (docs/explanation/performance.md#column-cache).
   */
  private readonly definitions = new LRUCache<string, Definition>({
    maxSize: MAX_CACHED_COLUMNS,
    sizeCalculation: ({ columns }) => columns.length + 1,
  });

  constructor(
    private readonly sql: Sql,
    private readonly permissions: TablePermissions,
    private readonly moments: ReadMoments,
  ) {}

  /** Runs a read that finds tables here and then reads their rows; repeats it if a table is dropped in between. */
  readWithRetry<T>(work: () => Promise<T>): Promise<T> {
    return this.sql.readWithRetry(work);
  }

  /**
   * Finds the table, then reads rows of it; repeats both if the table or one of its columns is dropped in between. The
   * rows may be newer than the table, never older. `read` costs a transaction more.
   *
   * @throws {NotFoundError}
   */
  readRows<T>(ref: TableRef, work: (table: CatalogTable) => Promise<T>): Promise<T> {
    return this.readRowsOf(() => this.get(ref), work);
  }

  /** As `readRows`, of a table that the caller finds, or of a relation that the caller describes as a table. */
  readRowsOf<T>(readTable: () => Promise<CatalogTable>, work: (table: CatalogTable) => Promise<T>): Promise<T> {
    return this.readWithRetry(async () => {
      const table = await readTable();
      await this.sql.awaitCommits(table.workspaceId);
      return work(table);
    });
  }

  /**
   * Finds the table and runs a read of its rows, in one snapshot; repeats both if the table is dropped in between.
   *
   * @throws {NotFoundError}
   */
  read<T>(ref: TableRef, work: (table: CatalogTable) => Promise<T>): Promise<T> {
    return this.readTogether(async () => work(await this.get(ref)));
  }

  /** Runs reads in one snapshot, so that their results agree; repeats them as `readWithRetry` does. */
  readTogether<T>(work: () => Promise<T>): Promise<T> {
    return this.readWithRetry(() => this.sql.snapshot(work));
  }

  async findByName(view: View, { entity, name }: TableIdentity): Promise<CatalogTable | undefined> {
    const condition = 't.entity = $2 AND t.name_key = $3';
    return (await this.select(view, condition, [entity, normalizeName(name)], 'table by name'))[0];
  }

  /** @param idOrName the ID takes precedence. */
  async find(view: View, entity: EntityKind, idOrName: string): Promise<CatalogTable | undefined> {
    return this.findByIdOrName(view, toIdentity({ entity, table: idOrName }));
  }

  async findByIdOrName(view: View, identity: TableIdentity): Promise<CatalogTable | undefined> {
    const [found] = identity.id === undefined ? [] : await this.listByIds(view, [identity.id]);
    return found?.entity === identity.entity ? found : this.findByName(view, identity);
  }

  /** Finds several tables, in their order. If no identity has an ID, one statement reads all tables. */
  async findAll(view: View, identities: readonly TableIdentity[]): Promise<(CatalogTable | undefined)[]> {
    if (identities.length <= 1 || identities.some(({ id }) => id !== undefined)) {
      const found: (CatalogTable | undefined)[] = [];
      for (const identity of identities) found.push(await this.findByIdOrName(view, identity));
      return found;
    }
    const names = identities.map(({ name }) => normalizeName(name));
    const condition = '(t.entity, t.name_key) IN (SELECT * FROM unnest($2::text[], $3::text[]))';
    const entities = identities.map(({ entity }) => entity);
    const found = await this.select(view, condition, [entities, names]);
    const tables = new Map(found.map((table) => [`${table.entity} ${table.nameKey}`, table]));
    return names.map((name, at) => tables.get(`${entities[at]} ${name}`));
  }

  /** @throws {NotFoundError} */
  async get({ view, entity, table: idOrName }: TableRef): Promise<CatalogTable> {
    const table = await this.find(view, entity, idOrName);
    if (!table) throw toMissingTableError();
    return table;
  }

  /** The reference as of the parameter `asOf`; undefined: now. @throws {NotFoundError} and as `getAsOf`. */
  async asOf(ref: TableRef, asOf: string | undefined): Promise<TableRef> {
    if (asOf === undefined) return ref;
    return { ...ref, view: await this.moments.toView(await this.get(ref), { field: 'asOf', text: asOf }) };
  }

  /**
   * The table as of a moment.
   *
   * @param table as it is now.
   * @throws {InvalidQueryError | UnknownRevisionError | HistoryExpiredError}
   */
  async getAsOf(table: CatalogTable, sent: SentMoment): Promise<CatalogTable> {
    const [past] = await this.listByIds(await this.moments.toView(table, sent), [table.id]);
    if (!past) throw toMissingTableError();
    return past;
  }

  /** The tables of the entity, by name. */
  async list(view: View, entity: EntityKind): Promise<CatalogTable[]> {
    return this.select(view, 't.entity = $2 ORDER BY t.name_key', [entity]);
  }

  /** All tables, in no particular order. */
  async listAll(view: View): Promise<CatalogTable[]> {
    return this.select(view, 'TRUE', []);
  }

  /** The existing tables with these IDs. */
  async listByIds(view: View, ids: readonly string[]): Promise<CatalogTable[]> {
    return this.select(view, 't.id = ANY($2::uuid[])', [ids], 'tables by ID');
  }

  /**
   * @param condition with the parameters from `$2`, since `$1` is the workspace.
   * @param name prepares the statement of the entries.
   */
  private async select(
    view: View,
    condition: string,
    parameters: readonly unknown[],
    name?: string,
  ): Promise<CatalogTable[]> {
    const tables = await this.selectWhole(view, condition, [view.workspaceId, ...parameters], name);
    // The error of a table without the rows of the moment names it, so that hidden tables are omitted before.
    const known = view.moment ? tables.filter((table) => this.permissions.find(view, table)) : tables;
    return this.permissions.restrict(view, await this.moments.apply(view, known));
  }

  /**
   * Reads the entries and takes their columns from the cache. If the cache lacks any, entries and columns are read
   * together: separate statements could see different definitions.
   */
  private async selectWhole(
    view: View,
    condition: string,
    parameters: readonly unknown[],
    name?: string,
  ): Promise<CatalogTable[]> {
    const entries = await this.sql.query<TableEntry>(`${SELECT_ENTRY} AND ${condition}`, parameters, name);
    const cached = entries.flatMap((entry) => {
      const definition = this.definitions.get(entry.definitionId);
      return definition ? [{ ...entry, ...definition, view }] : [];
    });
    if (cached.length === entries.length) return cached;
    const tables = await this.sql.query<TableEntry & Definition>(`${SELECT_TABLE} AND ${condition}`, parameters);
    for (const { definitionId, columns, options, indexes } of tables)
      this.definitions.set(definitionId, { columns, options, indexes });
    return tables.map((table) => ({ ...table, view }));
  }

  /** The number of visible tables of each workspace that has any. */
  async countByWorkspace(views: readonly View[]): Promise<Map<string, number>> {
    const workspaceIds = views.filter((view) => !isRestricted(view)).map(({ workspaceId }) => workspaceId);
    const counts = await this.sql.query<{ id: string; count: number }>(
      `SELECT workspace_id AS id, count(*)::integer AS count FROM workspace_tables
        WHERE workspace_id = ANY ($1::uuid[]) GROUP BY workspace_id`,
      [workspaceIds],
    );
    const byWorkspace = new Map(counts.map(({ id, count }) => [id, count]));
    for (const view of views.filter(isRestricted)) byWorkspace.set(view.workspaceId, (await this.listAll(view)).length);
    return byWorkspace;
  }
}

/** The error if the table of a path does not exist. */
export function toMissingTableError(): NotFoundError {
  return new NotFoundError('The table', undefined, 'Check the name or ID.');
}
