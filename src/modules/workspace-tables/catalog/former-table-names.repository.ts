import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { EntityKind } from './entity-kind.js';
import { FormerTableName } from './former-table-name.entity.js';

interface NamedTable {
  workspaceId: string;
  entity: EntityKind;
  nameKey: string;
  id: string;
  revision: number;
}

/** Where a name stands: what is unique in the catalog. */
export type TableNameKey = readonly [workspaceId: string, entity: EntityKind, nameKey: string];

/**
 * Names that meant another table once. Whoever knows that one by its name, with an ETag, a place in its changes or a row's
 * revision, must not take the next table of that name for it.
 */
@Injectable()
export class FormerTableNamesRepository {
  constructor(private readonly database: Database) {}

  /** The table is dropped, or called otherwise from now on. The caller holds its lock. */
  async leave({ workspaceId, entity, nameKey, id, revision }: NamedTable): Promise<void> {
    await this.database.manager.upsert(FormerTableName, { workspaceId, entity, nameKey, tableId: id, revision }, [
      'workspaceId',
      'entity',
      'nameKey',
    ]);
  }

  /**
   * Takes the table that has the name now beyond the revisions of another that had it before, if one had: nothing of
   * that one's is known of it. The caller holds its lock.
   */
  async follow(place: TableNameKey): Promise<void> {
    await this.database.query(
      `UPDATE workspace_tables t
          SET revision = greatest(t.revision, f.revision), changes_since = greatest(t.revision, f.revision) + 1
         FROM former_table_names f
        WHERE t.workspace_id = $1 AND t.entity = $2 AND t.name_key = $3 AND f.table_id <> t.id
          AND f.workspace_id = t.workspace_id AND f.entity = t.entity AND f.name_key = t.name_key`,
      [...place],
    );
  }
}
