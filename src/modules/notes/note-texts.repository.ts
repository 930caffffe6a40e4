import { Database } from '../../platform/database/database.js';
import { readInPages, readPage, type RowPage } from '../../../packages/sql/src/page-reader.js';
import type { NoteMessage } from './note-message.entity.js';
import { isAtPermitted, type PermittedLocations } from './note-search.repository.js';
import type { Note } from './note.entity.js';

/** The texts of a note. */
export type StoredNoteText = Pick<
  Note,
  'id' | 'number' | 'externalId' | 'title' | 'description' | 'locationKey' | 'assetKey'
>;

/** The text of a message. */
export interface StoredMessageText extends Pick<NoteMessage, 'id' | 'noteId'> {
  description: string;
}

/** The text of a message, with the title of its note. */
export type StoredNoteMessage = StoredMessageText & Pick<Note, 'number' | 'title'>;

const SELECT_NOTES = `
  SELECT note.id, note.number::float8 AS number, note.external_id AS "externalId", note.title, note.description,
         note.location_key AS "locationKey", note.asset_key AS "assetKey"
    FROM notes note WHERE note.workspace_id = $1 AND note.archived_at IS NULL`;

const SELECT_MESSAGES = `
  SELECT message.id, message.note_id AS "noteId", message.description
    FROM note_messages message WHERE message.workspace_id = $1 AND message.description IS NOT NULL`;

const SELECT_NOTE_MESSAGES = `
  SELECT message.id, message.note_id AS "noteId", message.description, note.number::float8 AS number, note.title
    FROM note_messages message
    JOIN notes note ON note.workspace_id = message.workspace_id AND note.id = message.note_id
   WHERE message.workspace_id = $1 AND message.description IS NOT NULL AND note.archived_at IS NULL`;

const SIZED = ['description'];

/** The statements of `NoteTextsService`. */
export class NoteTextsRepository {
  constructor(private readonly database: Database) {}

  /** In the order of their IDs, as many as a page contains. */
  async listNotes(workspaceId: string, after: string | null, limit: number): Promise<StoredNoteText[]> {
    const sql = `${SELECT_NOTES} AND ($2::uuid IS NULL OR note.id > $2::uuid) ORDER BY note.id`;
    return (await this.read<StoredNoteText>(sql, [workspaceId, after], limit)).items;
  }

  /** In the order of their IDs, as many as a page contains, with the messages of archived notes. */
  async listMessages(workspaceId: string, after: string | null, limit: number): Promise<StoredMessageText[]> {
    const sql = `${SELECT_MESSAGES} AND ($2::uuid IS NULL OR message.id > $2::uuid) ORDER BY message.id`;
    return (await this.read<StoredMessageText>(sql, [workspaceId, after], limit)).items;
  }

  /** In pages. @param permitted the locations at which the caller may read notes; undefined for all notes. */
  readNotes(
    workspaceId: string,
    ids: readonly string[],
    permitted?: PermittedLocations,
  ): AsyncGenerator<StoredNoteText[]> {
    return this.readAll(`${SELECT_NOTES} AND note.id = ANY ($2::uuid[])`, workspaceId, ids, permitted);
  }

  /** In pages, with the messages of archived notes. */
  readMessages(workspaceId: string, ids: readonly string[]): AsyncGenerator<StoredMessageText[]> {
    return this.readAll(`${SELECT_MESSAGES} AND message.id = ANY ($2::uuid[])`, workspaceId, ids, undefined);
  }

  /** In pages. @param permitted the locations at which the caller may read notes; undefined for all notes. */
  readNoteMessages(
    workspaceId: string,
    ids: readonly string[],
    permitted: PermittedLocations | undefined,
  ): AsyncGenerator<StoredNoteMessage[]> {
    return this.readAll(`${SELECT_NOTE_MESSAGES} AND message.id = ANY ($2::uuid[])`, workspaceId, ids, permitted);
  }

  /** IDs of notes at the locations, at most `limit`. */
  async listNoteIds(workspaceId: string, permitted: PermittedLocations, limit: number): Promise<string[]> {
    const parameters: unknown[] = [workspaceId, limit];
    const sql = `SELECT note.id FROM notes note
                  WHERE note.workspace_id = $1 AND note.archived_at IS NULL${restrict(parameters, permitted)} LIMIT $2`;
    const found = await this.database.query<{ id: string }>(sql, parameters);
    return found.map(({ id }) => id);
  }

  /** IDs of messages of the notes, at most `limit`. */
  async listMessageIds(workspaceId: string, noteIds: readonly string[], limit: number): Promise<string[]> {
    const sql = 'SELECT id FROM note_messages WHERE workspace_id = $1 AND note_id = ANY ($2::uuid[]) LIMIT $3';
    const found = await this.database.query<{ id: string }>(sql, [workspaceId, noteIds, limit]);
    return found.map(({ id }) => id);
  }

  /** @param select the statement without the condition of the locations. */
  private readAll<Row extends { id: string }>(
    select: string,
    workspaceId: string,
    ids: readonly string[],
    permitted: PermittedLocations | undefined,
  ): AsyncGenerator<Row[]> {
    return readInPages<Row>(ids, (unread) => {
      const parameters: unknown[] = [workspaceId, unread];
      return this.read(`${select}${restrict(parameters, permitted)} ORDER BY id`, parameters, unread.length);
    });
  }

  private read<Row extends object>(sql: string, parameters: unknown[], limit: number): Promise<RowPage<Row>> {
    return readPage<Row>(this.database, { sql, parameters, sized: SIZED }, limit);
  }
}

/** The condition for notes at the permitted locations; it adds parameters. */
function restrict(parameters: unknown[], permitted: PermittedLocations | undefined): string {
  if (!permitted) return '';
  return ` AND ${isAtPermitted(permitted, (value) => `$${parameters.push(value)}`)}`;
}
