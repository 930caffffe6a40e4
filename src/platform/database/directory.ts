import { Injectable } from '@nestjs/common';
import { Database } from './database.js';
// TypeORM knows the entities of imported files only.
import './directory-entry.entity.js';

/**
 * Finds the workspace of a record that a route names only by its ID. All other statements on tables that workspaces own
 * contain the workspace ID.
 */
@Injectable()
export class Directory {
  constructor(private readonly database: Database) {}

  /** Adds new records of one kind, in the transaction that creates them. IDs are never reused. */
  async add(kind: string, workspaceId: string, ids: readonly (string | number)[]): Promise<void> {
    await this.database.affected(
      'INSERT INTO directory (kind, id, workspace_id) SELECT $1, id, $3 FROM unnest($2::text[]) AS id',
      [kind, ids.map(String), workspaceId],
    );
  }

  /** Removes a deleted record, in the transaction that deletes it. */
  async remove(kind: string, workspaceId: string, id: string): Promise<void> {
    const sql = 'DELETE FROM directory WHERE kind = $1 AND id = $2 AND workspace_id = $3';
    await this.database.affected(sql, [kind, id, workspaceId]);
  }

  /** The workspace of the record; undefined if none has it. @param id a UUID in any letter case, or a number. */
  async findWorkspace(kind: string, id: string | number): Promise<string | undefined> {
    const [entry] = await this.database.query<{ workspaceId: string }>(
      'SELECT workspace_id AS "workspaceId" FROM directory WHERE kind = $1 AND id = $2',
      [kind, String(id).toLowerCase()],
    );
    return entry?.workspaceId;
  }
}
