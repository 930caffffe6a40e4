import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from './catalog.repository.js';
import type { KeySpace } from './key-space.js';
import { encodeArray } from './pg-array.js';
import { RowKey, RowKeyPosition } from './row-key.entity.js';
import { physicalKeyName, physicalTableName, tombstonesName } from './physical-table.js';

/** Changed rows that one transaction lists: few, so that a change of the table does not wait long for it. */
const LISTED_ROWS = 20_000;

/** A position before all rows. */
const START = { revision: -1, key: null };

interface Position {
  revision: number;
  /** Null after the last row of the revision. */
  key: string | null;
}

/**
 * The keys of the rows of all tables of an entity. They are listed after the rows were written
 * (docs/explanation/performance.md#keys-of-many-tables).
 */
@Injectable()
export class RowKeysRepository {
  constructor(private readonly database: Database) {}

  /** The tables, of those that are not read themselves, that have any of the keys. */
  async findTableIds({ tables, listed }: KeySpace, keys: readonly string[]): Promise<string[]> {
    if (!listed || keys.length === 0) return [];
    const found = await this.database.query<{ id: string }>(
      `SELECT DISTINCT table_id AS id FROM row_keys
        WHERE workspace_id = $1 AND entity = $2 AND key = ANY ($3::text[]) AND table_id <> ALL ($4::uuid[])`,
      [listed.workspaceId, listed.entity, encodeArray('text', keys), tables.map(({ id }) => id)],
    );
    return found.map(({ id }) => id);
  }

  /**
   * Lists the keys of rows that were changed after those that are listed, in the open transaction.
   *
   * @param table read before: rows that are changed meanwhile may be listed too.
   * @returns whether all rows up to the revision of the table are listed.
   */
  async listChanges(table: CatalogTable): Promise<boolean> {
    // In the order of a transaction that drops the table, and waits for this one: first the table, then its position.
    await this.database.query(`LOCK TABLE ${physicalTableName(table)} IN ACCESS SHARE MODE`);
    const start = await this.lockPosition(table);
    const changed = await this.listAfter(table, start);
    const isComplete = changed.rows < LISTED_ROWS;
    const end: Position = isComplete ? { revision: table.revision, key: null } : changed.last!;
    const { workspaceId, id: tableId } = table;
    await this.database.repository(RowKeyPosition).update({ workspaceId, tableId }, end);
    return isComplete;
  }

  /**
   * Removes the keys of a table. The open transaction must have dropped its physical table, so that no other one lists
   * them.
   */
  async remove({ workspaceId, id, entity }: CatalogTable): Promise<void> {
    const { affected } = await this.database.repository(RowKeyPosition).delete({ workspaceId, tableId: id });
    if (affected) await this.database.repository(RowKey).delete({ workspaceId, entity, tableId: id });
  }

  /** Creates the position, or locks it until the transaction ends: two transactions must not list the same table. */
  private async lockPosition(table: CatalogTable): Promise<Position> {
    const { workspaceId, id } = table;
    await this.database.query(
      `INSERT INTO row_key_positions (workspace_id, table_id, revision) VALUES ($1, $2, $3)
       ON CONFLICT (workspace_id, table_id) DO NOTHING`,
      [workspaceId, id, START.revision],
    );
    const [position] = await this.database.query<Position>(
      `SELECT revision::float8 AS revision, key FROM row_key_positions
        WHERE workspace_id = $1 AND table_id = $2 FOR UPDATE`,
      [workspaceId, id],
    );
    // The tombstones of some rows that are listed may have been removed.
    const { revision, key } = position!;
    const firstNeeded = key === null ? revision + 1 : revision;
    if (firstNeeded > table.changesSince || revision === START.revision) return position!;
    await this.database.repository(RowKey).delete({ workspaceId, entity: table.entity, tableId: id });
    return START;
  }

  /** In the order of the change feed, which has an index. */
  private async listAfter(
    table: CatalogTable,
    { revision, key }: Position,
  ): Promise<{ rows: number; last: Position | null }> {
    const name = physicalKeyName(table);
    const list = (from: string, revisionOf: string, keyOf: string, isDeleted: boolean) => {
      const after = key === null ? `${revisionOf} > $4` : `(${revisionOf}, ${keyOf}) > ($4, $5)`;
      return `(SELECT ${keyOf} AS key, ${revisionOf} AS revision, ${isDeleted} AS is_deleted FROM ${from}
                WHERE ${after} ORDER BY ${revisionOf}, ${keyOf} LIMIT ${LISTED_ROWS})`;
    };
    const rows = list(`${physicalTableName(table)} t`, 't._revision', `t.${name}`, false);
    const tombstones = list(`${tombstonesName(table)} d`, 'd.revision', 'd.key', true);
    const [listed] = await this.database.query<{ rows: number; last: Position | null }>(
      `WITH changed AS MATERIALIZED (
         SELECT * FROM (${rows} UNION ALL ${tombstones}) c ORDER BY revision, key LIMIT ${LISTED_ROWS}),
       removed AS (
         DELETE FROM row_keys k USING changed c
          WHERE k.workspace_id = $1 AND k.entity = $2 AND k.table_id = $3 AND k.key = c.key AND c.is_deleted),
       added AS (
         INSERT INTO row_keys (workspace_id, entity, key, table_id)
         SELECT $1, $2, c.key, $3 FROM changed c WHERE NOT c.is_deleted ON CONFLICT DO NOTHING)
       SELECT (SELECT count(*) FROM changed)::integer AS rows,
              (SELECT json_build_object('revision', c.revision, 'key', c.key) FROM changed c
                ORDER BY c.revision DESC, c.key DESC LIMIT 1) AS last`,
      [table.workspaceId, table.entity, table.id, revision, ...(key === null ? [] : [key])],
    );
    return listed!;
  }
}
