import { Injectable } from '@nestjs/common';
import { Sql } from '../../../../packages/sql/src/sql.js';

/** Statements on the revisions of all tables of a workspace. */
@Injectable()
export class TableRevisionsRepository {
  constructor(private readonly sql: Sql) {}

  /** Changes before the new revisions are not in the change feed. @returns the number of tables. */
  async advance(workspaceId: string, by: number): Promise<number> {
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
