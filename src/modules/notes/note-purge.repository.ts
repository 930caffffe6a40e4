import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import type { Note } from './note.entity.js';

/** The statements that delete a note. */
@Injectable()
export class NotePurgeRepository {
  constructor(
    private readonly database: Database,
    private readonly directory: Directory,
  ) {}

  /** The IDs of the messages of a locked note, which receives no others until the transaction ends. */
  async listMessageIds({ workspaceId, id }: Note): Promise<string[]> {
    const sql = 'SELECT id FROM note_messages WHERE workspace_id = $1 AND note_id = $2';
    return (await this.database.query<{ id: string }>(sql, [workspaceId, id])).map((message) => message.id);
  }

  /** Deletes the note with its history, messages and references. */
  async delete({ workspaceId, id }: Note): Promise<void> {
    const key = [workspaceId, id];
    await this.database.affected('DELETE FROM note_events WHERE workspace_id = $1 AND note_id = $2', key);
    await this.database.affected('DELETE FROM note_messages WHERE workspace_id = $1 AND note_id = $2', key);
    await this.database.affected('DELETE FROM note_external_references WHERE workspace_id = $1 AND note_id = $2', key);
    await this.database.affected('DELETE FROM notes WHERE workspace_id = $1 AND id = $2', key);
    await this.directory.remove('note', workspaceId, id);
  }
}
