import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** Statements on the revisions of all tables of a workspace. */
@Injectable()
export class TableRevisionsRepository {
  constructor(private readonly database: Database) {}

  /** Changes before the new revisions are not in the change feed. @returns the number of tables. */
  async advance(workspaceId: string, by: number): Promise<number> {
    // A next table of a former name continues its revisions.
    await this.database.affected('UPDATE former_table_names SET revision = revision + $2 WHERE workspace_id = $1', [
      workspaceId,
      by,
    ]);
    return this.database.affected(
      `UPDATE workspace_tables
          SET revision = revision + $2, changes_since = revision + $2, updated_at = CURRENT_TIMESTAMP
        WHERE workspace_id = $1`,
      [workspaceId, by],
    );
  }
}
