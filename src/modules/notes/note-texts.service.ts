import { Injectable } from '@nestjs/common';
import { NoteLocations } from './note-locations.js';
import { NoteTextsRepository, type StoredMessageText, type StoredNoteText } from './note-texts.repository.js';

export type NoteText = StoredNoteText;
export type MessageText = StoredMessageText;

/** The texts of notes that are not archived, for the search of a workspace. */
@Injectable()
export class NoteTextsService {
  constructor(
    private readonly repository: NoteTextsRepository,
    private readonly locations: NoteLocations,
  ) {}

  /** In the order of their IDs, as many as a page contains. */
  listNotes(workspaceId: string, after: string | null, limit: number): Promise<NoteText[]> {
    return this.repository.listNotes(workspaceId, after, limit);
  }

  /** In the order of their IDs, as many as a page contains, with the messages of archived notes. */
  listMessages(workspaceId: string, after: string | null, limit: number): Promise<MessageText[]> {
    return this.repository.listMessages(workspaceId, after, limit);
  }

  readNotes(workspaceId: string, ids: readonly string[]): Promise<NoteText[]> {
    return this.repository.readNotes(workspaceId, ids);
  }

  readMessages(workspaceId: string, ids: readonly string[]): Promise<MessageText[]> {
    return this.repository.readMessages(workspaceId, ids);
  }

  /** Those of the notes that exist for the caller. */
  async readVisibleNotes(workspaceId: string, ids: readonly string[]): Promise<NoteText[]> {
    return this.repository.readNotes(workspaceId, ids, await this.locations.selectPermitted(workspaceId));
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
    const notes = await this.repository.listNoteIds(workspaceId, permitted, limit);
    return { notes, messages: await this.repository.listMessageIds(workspaceId, notes, limit) };
  }
}
