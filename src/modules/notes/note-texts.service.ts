import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { NoteLocations } from './note-locations.js';
import {
  NoteTextsRepository,
  type StoredMessageText,
  type StoredNoteMessage,
  type StoredNoteText,
} from './note-texts.repository.js';

export type NoteText = StoredNoteText;
export type MessageText = StoredMessageText;

/** The texts of notes that are not archived, for the search of a workspace. */
@Injectable()
export class NoteTextsService extends NoteTextsRepository {
  constructor(
    database: Database,
    private readonly locations: NoteLocations,
  ) {
    super(database);
  }

  /** Those of the notes that exist for the caller. */
  async *readVisibleNotes(workspaceId: string, ids: readonly string[]): AsyncGenerator<NoteText[]> {
    yield* this.readNotes(workspaceId, ids, await this.locations.selectPermitted(workspaceId));
  }

  /** Those of the messages whose notes exist for the caller. */
  async *readVisibleMessages(workspaceId: string, ids: readonly string[]): AsyncGenerator<StoredNoteMessage[]> {
    yield* this.readNoteMessages(workspaceId, ids, await this.locations.selectPermitted(workspaceId));
  }

  /**
   * IDs of notes and messages that exist for the caller, at most `limit` of each.
   *
   * @returns undefined if no policy restricts the notes of the caller.
   */
  async listVisibleIds(
    workspaceId: string,
    limit: number,
  ): Promise<{ notes: string[]; messages: string[] } | undefined> {
    const permitted = await this.locations.selectPermitted(workspaceId);
    if (!permitted) return undefined;
    const notes = await this.listNoteIds(workspaceId, permitted, limit);
    return { notes, messages: await this.listMessageIds(workspaceId, notes, limit) };
  }
}
