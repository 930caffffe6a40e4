import { Injectable } from '@nestjs/common';
import { Database } from './database.js';
import { DirectoryEntry } from './directory-entry.entity.js';

/**
 * Tells the workspace of what a route names by a bare id. The one table that is read before the workspace is known:
 * every other statement on what a workspace owns carries its id.
 */
@Injectable()
export class Directory {
  constructor(private readonly database: Database) {}

  /** Enters new things of one kind, in the transaction that makes them. Ids stand for good: none is entered twice. */
  async add(kind: string, workspaceId: string, ids: readonly (string | number)[]): Promise<void> {
    await this.database.affected(
      'INSERT INTO directory (kind, id, workspace_id) SELECT $1, id, $3 FROM unnest($2::text[]) AS id',
      [kind, ids.map(String), workspaceId],
    );
  }

  async findWorkspace(kind: string, id: string | number): Promise<string | undefined> {
    const entry = await this.database.manager.findOneBy(DirectoryEntry, { kind, id: String(id) });
    return entry?.workspaceId;
  }
}
