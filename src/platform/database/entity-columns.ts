import type { Repository } from 'typeorm';
import type { Database } from './database.js';
import { readPage } from '../../../packages/sql/src/page-reader.js';

type ColumnMetadata = Repository<{ id: string | number }>['metadata']['columns'][number];

/** Types whose values may be large. */
const SIZED_TYPES: ReadonlySet<unknown> = new Set(['text', 'json', 'jsonb']);

/** Records that were read by their IDs. */
export interface RecordsById<Entity> {
  found: Entity[];
  /** The IDs of the records that were not read, because the others have reached the bytes of a page. */
  unread: ReadonlySet<unknown>;
}

/** Converts rows of SQL to entities, as TypeORM does. */
export class EntityColumns<Entity extends { id: string | number }> {
  /** The names of the columns whose values may be large. */
  readonly sized: readonly string[];
  private readonly table: string;
  private readonly idType: string;
  protected readonly selected: readonly ColumnMetadata[];
  protected readonly driver;

  /** @param properties to read, instead of all. */
  constructor(
    private readonly database: Database,
    entity: new () => Entity,
    properties?: readonly PropertyKey[],
  ) {
    const { metadata, manager } = database.repository(entity);
    this.table = metadata.tableName;
    this.idType = metadata.findColumnWithPropertyName('id')!.type as string;
    this.driver = manager.dataSource.driver;
    this.selected = metadata.columns.filter(
      ({ isSelect, propertyName }) => isSelect && (!properties || properties.includes(propertyName)),
    );
    this.sized = this.selected.filter(({ type }) => SIZED_TYPES.has(type)).map(({ databaseName }) => databaseName);
  }

  /** The columns of a select list or of RETURNING. */
  list(alias: string): string {
    return this.selected.map(({ databaseName }) => `${alias}.${databaseName}`).join(', ');
  }

  /** Reads records of a workspace in the order of these IDs, as many as a page contains. */
  async readByIds(workspaceId: string, ids: readonly Entity['id'][]): Promise<RecordsById<Entity>> {
    if (ids.length === 0) return { found: [], unread: new Set() };
    const sql = `SELECT ${this.list('record')} FROM ${this.table} record
                  WHERE record.workspace_id = $1 AND record.id = ANY ($2::${this.idType}[])
                  ORDER BY array_position($2::${this.idType}[], record.id)`;
    const statement = { sql, parameters: [workspaceId, ids], sized: this.sized };
    const { items, hasMore } = await readPage<Record<string, unknown>>(this.database, statement, ids.length);
    const found = items.map((row) => this.toEntity(row));
    return { found, unread: new Set(hasMore ? ids.slice(ids.indexOf(found.at(-1)!.id) + 1) : []) };
  }

  toEntity(row: Record<string, unknown>): Entity {
    const values = this.selected.map((column) => [
      column.propertyName,
      this.driver.prepareHydratedValue(row[column.databaseName], column) as unknown,
    ]);
    return Object.fromEntries(values) as Entity;
  }
}
