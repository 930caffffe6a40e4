import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import { isUuid } from '../../../platform/database/uuid.js';
import { awaitCommits } from '../../../platform/database/commits.js';
import { Database } from '../../../platform/database/database.js';
import type { PreparedStatement } from '../../../platform/database/prepared-statements.js';
import { NotFoundError } from '../../../platform/http/domain-error.js';
import type { CatalogColumn } from './column-plan.js';
import type { EntityKind } from './entity-kind.js';
import type { TableOptions } from './table-options.js';
import type { TableRef } from './table-ref.decorator.js';

/** A table with its columns. */
export interface CatalogTable {
  workspaceId: string;
  id: string;
  entity: EntityKind;
  name: string;
  nameKey: string;
  revision: number;
  /** The highest ordinal of a dropped column. */
  droppedOrdinal: number;
  /** Can it have tombstones? */
  hasTombstones: boolean;
  /** What is read instead of the physical table. Absent if all present rows are read. */
  rows?: FormerRows | SelectedRows;
  /** What the access policies of the caller permit. Absent if none restricts the caller. */
  permission?: TablePermission;
  /** The change feed starts after this revision: older tombstones may have been removed. */
  changesSince: number;
  /** The history starts after this revision: former rows that an earlier one has ended may have been removed. */
  historySince: number;
  /** A new ID for each change of the columns, the options and the composite indexes. */
  definitionId: string;
  /** Shared by all requests: not to be modified. */
  columns: readonly CatalogColumn[];
  /** Shared like the columns. */
  options: TableOptions;
  /** The composite indexes that queries can use: the ordinals of their columns. Shared like the columns. */
  indexes: readonly (readonly number[])[];
}

/** All rows as of a former revision, which is `revision` of the table. */
interface FormerRows {
  kind: 'former';
  /** A relation with the same columns. */
  sql: string;
}

/** A part of the rows: those that access policies permit, or those of a file as a merge would leave them. */
interface SelectedRows {
  kind: 'selected';
  /** A relation with the same columns. */
  sql: string;
  /** Absent if it is a part of the present rows. */
  of?: FormerRows;
}

/** What access policies permit, besides what `columns` and `rows` show. */
export interface TablePermission {
  /** May the caller change rows? */
  canWrite: boolean;
  /** Keys of columns that the caller may not change. */
  readOnly: ReadonlySet<string>;
  /** Absent if all rows are permitted. */
  rows?: PermittedRows;
}

/** The part of the rows of a table that access policies permit, besides `rows` of the table. */
export interface PermittedRows {
  /** Can a row enter or leave the part because other rows change? */
  dependsOnOthers: boolean;
  /**
   * SQL: as `selectVersions`, the versions of rows from and until the revisions between which they were in the part.
   */
  selectVersions: () => string;
}

/** What instances cache by `definitionId`. */
type Definition = Pick<CatalogTable, 'columns' | 'options' | 'indexes'>;

/** A table without its definition: one row of the catalog. */
export type TableEntry = Omit<CatalogTable, keyof Definition>;

/** A table as a request body identifies it. */
export interface TableIdentity {
  entity: EntityKind;
  name: string;
  /** Takes precedence over the name if a table has this ID. */
  id?: string;
}

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

/**
 * The tables and columns of the workspaces, as they are read. `VisibleCatalog`, which is injected for it, contains what
 * the caller may read; `CatalogWrites` contains and changes all of them.
 */
@Injectable()
export class CatalogRepository {
  /**
   * Columns and indexes by the ID of their definition, which never gets others
   * (docs/explanation/performance.md#column-cache).
   */
  private readonly definitions = new LRUCache<string, Definition>({
    maxSize: MAX_CACHED_COLUMNS,
    sizeCalculation: ({ columns }) => columns.length + 1,
  });

  constructor(protected readonly database: Database) {}

  /** Runs a read that finds tables here and then reads their rows; repeats it if a table is dropped in between. */
  readWithRetry<T>(work: () => Promise<T>): Promise<T> {
    return this.database.readWithRetry(work);
  }

  /**
   * Finds the table, then reads rows of it; repeats both if the table or one of its columns is dropped in between. The
   * rows may be newer than the table, never older. `read` costs a transaction more.
   *
   * @throws {NotFoundError}
   */
  readRows<T>(ref: TableRef, work: (table: CatalogTable) => Promise<T>): Promise<T> {
    return this.readWithRetry(async () => {
      const table = await this.get(ref);
      await awaitCommits(this.database, ref.workspaceId);
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
    return this.readWithRetry(() => this.database.snapshot(work));
  }

  async findByName(workspaceId: string, { entity, name }: TableIdentity): Promise<CatalogTable | undefined> {
    const condition = 't.entity = $2 AND t.name_key = $3';
    return (await this.select(condition, [workspaceId, entity, normalizeName(name)], 'table by name'))[0];
  }

  /** @param idOrName the ID takes precedence. */
  async find(workspaceId: string, entity: EntityKind, idOrName: string): Promise<CatalogTable | undefined> {
    return this.findByIdOrName(workspaceId, { entity, name: idOrName, id: isUuid(idOrName) ? idOrName : undefined });
  }

  async findByIdOrName(workspaceId: string, identity: TableIdentity): Promise<CatalogTable | undefined> {
    const [found] = identity.id === undefined ? [] : await this.listByIds(workspaceId, [identity.id]);
    return found?.entity === identity.entity ? found : this.findByName(workspaceId, identity);
  }

  /** Finds several tables, in their order. If no identity has an ID, one statement reads all tables. */
  async findAll(workspaceId: string, identities: readonly TableIdentity[]): Promise<(CatalogTable | undefined)[]> {
    if (identities.length === 1 || identities.some(({ id }) => id !== undefined)) {
      const found: (CatalogTable | undefined)[] = [];
      for (const identity of identities) found.push(await this.findByIdOrName(workspaceId, identity));
      return found;
    }
    const names = identities.map(({ name }) => normalizeName(name));
    const condition = '(t.entity, t.name_key) IN (SELECT * FROM unnest($2::text[], $3::text[]))';
    const entities = identities.map(({ entity }) => entity);
    const found = await this.select(condition, [workspaceId, entities, names]);
    const tables = new Map(found.map((table) => [`${table.entity} ${table.nameKey}`, table]));
    return names.map((name, at) => tables.get(`${entities[at]} ${name}`));
  }

  /** @throws {NotFoundError} */
  async get({ workspaceId, entity, table: idOrName }: TableRef): Promise<CatalogTable> {
    const table = await this.find(workspaceId, entity, idOrName);
    if (!table) throw toMissingTableError();
    return table;
  }

  /** The tables of the entity, by name. */
  async list(workspaceId: string, entity: EntityKind): Promise<CatalogTable[]> {
    return this.select('t.entity = $2 ORDER BY t.name_key', [workspaceId, entity]);
  }

  /** All tables of the workspace, in no particular order. */
  async listAll(workspaceId: string): Promise<CatalogTable[]> {
    return this.select('TRUE', [workspaceId]);
  }

  /** The existing tables with these IDs. */
  async listByIds(workspaceId: string, ids: readonly string[]): Promise<CatalogTable[]> {
    return this.select('t.id = ANY($2::uuid[])', [workspaceId, ids], 'tables by ID');
  }

  /**
   * Reads the entries and takes their columns from the cache. If the cache lacks any, entries and columns are read
   * together: separate statements could see different definitions.
   *
   * @param condition with the parameters from `$2`, since `$1` is the workspace.
   * @param name prepares the statement of the entries.
   */
  async select(condition: string, parameters: readonly unknown[], name?: PreparedStatement): Promise<CatalogTable[]> {
    const entries = await this.database.query<TableEntry>(`${SELECT_ENTRY} AND ${condition}`, parameters, name);
    const cached = entries.flatMap((entry) => {
      const definition = this.definitions.get(entry.definitionId);
      return definition ? [{ ...entry, ...definition }] : [];
    });
    if (cached.length === entries.length) return cached;
    const tables = await this.database.query<CatalogTable>(`${SELECT_TABLE} AND ${condition}`, parameters);
    for (const { definitionId, columns, options, indexes } of tables)
      this.definitions.set(definitionId, { columns, options, indexes });
    return tables;
  }

  /** The number of tables of each workspace that has any. */
  async countByWorkspace(workspaceIds: readonly string[]): Promise<Map<string, number>> {
    const counts = await this.database.query<{ id: string; count: number }>(
      `SELECT workspace_id AS id, count(*)::integer AS count FROM workspace_tables
        WHERE workspace_id = ANY ($1::uuid[]) GROUP BY workspace_id`,
      [workspaceIds],
    );
    return new Map(counts.map(({ id, count }) => [id, count]));
  }
}

/** The error if the table of a path does not exist. */
export function toMissingTableError(): NotFoundError {
  return new NotFoundError('The table', undefined, 'Check the name or ID.');
}
