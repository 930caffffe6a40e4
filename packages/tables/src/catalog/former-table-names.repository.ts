import type { Sql } from '../../../sql/src/sql.js';
import type { EntityKind } from './entity-kind.js';

/**
 * Inserts the revision with which the history of a table starts, so that reads as of a time find it, although no rows
 * have changed with it. Parameters: the workspace, the table, the revision.
 */
export const INSERT_FIRST_REVISION = `
  INSERT INTO table_revisions (workspace_id, table_id, revision, at) VALUES ($1, $2, $3, clock_timestamp())
  ON CONFLICT DO NOTHING`;

/** The unique key of a table in the catalog. */
export type UniqueTableName = readonly [workspaceId: string, entity: EntityKind, nameKey: string];

interface NamedTable {
  workspaceId: string;
  entity: EntityKind;
  nameKey: string;
  id: string;
  revision: number;
}

/**
 * Names that formerly identified another table. A caller may still have an ETag, a cursor or a row revision of that
 * table; none of them may be valid for the next table of the same name.
 */
export class FormerTableNamesRepository {
  constructor(private readonly sql: Sql) {}

  /** Records that the table is dropped or renamed. The caller holds its lock. */
  async retire({ workspaceId, entity, nameKey, id, revision }: NamedTable): Promise<void> {
    await this.sql.query(
      `INSERT INTO former_table_names (workspace_id, entity, name_key, table_id, revision) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (workspace_id, entity, name_key)
         DO UPDATE SET table_id = excluded.table_id, revision = excluded.revision`,
      [workspaceId, entity, nameKey, id, revision],
    );
  }

  /**
   * Raises the revision of the table above those of another table that had its name. Changes of that table are not in
   * the change feed of this one. The caller holds the lock.
   */
  async continueRevisions(name: UniqueTableName): Promise<void> {
    const raised = await this.sql.query<{ id: string; revision: string }>(
      `UPDATE workspace_tables t
          SET revision = greatest(t.revision, f.revision), changes_since = greatest(t.revision, f.revision) + 1,
              history_since = greatest(t.revision, f.revision)
         FROM former_table_names f
        WHERE t.workspace_id = $1 AND t.entity = $2 AND t.name_key = $3 AND f.table_id <> t.id
          AND f.workspace_id = t.workspace_id AND f.entity = t.entity AND f.name_key = t.name_key
        RETURNING t.id, t.revision`,
      [...name],
    );
    for (const { id, revision } of raised) await this.sql.query(INSERT_FIRST_REVISION, [name[0], id, revision]);
  }
}
