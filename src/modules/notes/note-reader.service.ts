import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import type { RecordsById } from '../../platform/database/entity-columns.js';
import { Directory } from '../../platform/database/directory.js';
import { DomainError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { PageQueryDto } from '../../platform/http/page.dto.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import type { StoredFileDto } from '../../platform/storage/stored-file.dto.js';
import { requirePermitted } from '../../platform/security/workspace-access.js';
import { mapByWorkspace } from '../../records/record-values.js';
import { AttachmentsService } from '../attachments/attachments.service.js';
import type { ExpandNotesDto } from './dto/list-notes.dto.js';
import type { NoteDto, NoteEventPageDto, NoteMessageDto } from './dto/note.dto.js';
import type { NoteAccess } from './note-author.js';
import { NOTE_ERRORS } from './notes.errors.js';
import { EVENT_KEYSET, NoteHistoryRepository } from './note-history.repository.js';
import { NoteLocations } from './note-locations.js';
import { NoteFieldValues } from './note-field-values.js';
import { toDto, toMessageDto } from './note-mapping.js';
import { NoteMessage } from './note-message.entity.js';
import { NoteSearchRepository } from './note-search.repository.js';
import { Note } from './note.entity.js';

/** Reads notes with their files and referenced rows, messages, histories and the note feed. */
@Injectable()
export class NoteReaderService {
  constructor(
    private readonly database: Database,
    private readonly directory: Directory,
    private readonly history: NoteHistoryRepository,
    private readonly search: NoteSearchRepository,
    private readonly attachments: AttachmentsService,
    private readonly locations: NoteLocations,
    private readonly fields: NoteFieldValues,
  ) {}

  /**
   * The workspace of a note.
   *
   * @throws {NotFoundError} if the note does not exist or is not in an accessible workspace.
   */
  async getWorkspace(access: NoteAccess, id: string): Promise<string> {
    const { workspaceIds } = access;
    const workspaceId = await this.directory.findWorkspace('note', id);
    if (workspaceId !== undefined) requirePermitted(access, workspaceId);
    if (workspaceId === undefined || (workspaceIds !== 'any' && !workspaceIds.includes(workspaceId)))
      throw new NotFoundError('The note');
    if (this.locations.isRestricted(workspaceId)) await this.getVisible([workspaceId], id);
    return workspaceId;
  }

  /** @throws {NotFoundError} */
  async get(workspaceIds: readonly string[], id: string, expand?: ExpandNotesDto['expand']): Promise<NoteDto> {
    return (await this.toDtos([await this.getVisible(workspaceIds, id)], expand))[0]!;
  }

  /**
   * Is the record a note, or a message of a note, that exists for the caller?
   *
   * @param id of a record of any kind.
   */
  async shows(workspaceId: string, id: string): Promise<boolean> {
    const message = await this.database.repository(NoteMessage).findOneBy({ workspaceId, id });
    const note = await this.database.repository(Note).findOneBy({ workspaceId, id: message?.noteId ?? id });
    return note !== null && this.locations.isPermitted(note);
  }

  /**
   * @param field that names the note, if the path does not.
   * @throws {NotFoundError} if the note does not exist for the caller.
   */
  requireVisible(note: Note, field?: string): Promise<void> {
    return this.locations.requireVisible(note, field);
  }

  /** The error of a note that an access policy does not permit the caller to file at its location. */
  findLocationError(
    note: Pick<Note, 'workspaceId' | 'locationTableId' | 'locationKey'>,
  ): Promise<DomainError | undefined> {
    return this.locations.findLocationError(note);
  }

  /**
   * @throws {DomainError} `note_not_public` if a user of the workspace has written to the note, also if anonymous
   *   callers have added messages since.
   */
  async requirePublic({ workspaceId, id, updatedBy }: Note): Promise<void> {
    if (updatedBy !== null || (await this.history.hasUserEvents(workspaceId, id)))
      throw new DomainError(NOTE_ERRORS.note_not_public);
  }

  /** Notes in the order of these IDs, as many as a page contains. */
  async readByIds(workspaceId: string, ids: readonly string[]): Promise<RecordsById<NoteDto>> {
    const { found, unread } = await this.search.readByIds(workspaceId, ids);
    return { found: await this.toDtos(found), unread };
  }

  /** Those of the IDs of notes that exist for the caller. */
  async findVisible(workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
    const visible = new Set(ids);
    if (!this.locations.isRestricted(workspaceId)) return visible;
    for (let unread = [...visible]; unread.length > 0;) {
      const page = await this.readByIds(workspaceId, unread);
      const permitted = await this.locations.findVisible(workspaceId, page.found);
      for (const id of unread) if (!page.unread.has(id) && !permitted.has(id)) visible.delete(id);
      unread = unread.filter((id) => page.unread.has(id));
    }
    return visible;
  }

  /** Messages in the order of these IDs, as many as a page contains. */
  async readMessagesByIds(workspaceId: string, ids: readonly string[]): Promise<RecordsById<NoteMessageDto>> {
    const { found, unread } = await this.history.readMessagesByIds(workspaceId, ids);
    return { found: await this.toMessageDtos(workspaceId, found), unread };
  }

  /** A new note without files. Runs a statement only if it refers to rows. */
  async toNewDto(note: Note): Promise<NoteDto> {
    const [expanded] = await this.locations.expand(note.workspaceId, [note]);
    return toDto(expanded!, []);
  }

  /** A message with its files. */
  async toMessageDto(message: NoteMessage): Promise<NoteMessageDto> {
    return (await this.toMessageDtos(message.workspaceId, [message]))[0]!;
  }

  /**
   * A page of the messages of a note, oldest first.
   *
   * @throws {NotFoundError | InvalidCursorError}
   */
  async listMessages(
    workspaceIds: readonly string[],
    noteId: string,
    query: PageQueryDto,
  ): Promise<Page<NoteMessageDto>> {
    const workspaceId = await this.getWorkspace({ workspaceIds }, noteId);
    const page = await this.history.listMessages(workspaceId, noteId, query);
    return { ...page, items: await this.toMessageDtos(workspaceId, page.items) };
  }

  /**
   * A page of the events of a note, oldest first.
   *
   * @throws {NotFoundError | InvalidCursorError}
   */
  async listHistory(workspaceIds: readonly string[], noteId: string, query: PageQueryDto): Promise<NoteEventPageDto> {
    const workspaceId = await this.getWorkspace({ workspaceIds }, noteId);
    return this.listEvents(['history', workspaceId, noteId], workspaceId, query, noteId);
  }

  /**
   * A page of the events of all notes of the workspace, oldest first. A client that continues from the last cursor at
   * any later time gets each event exactly once.
   *
   * @throws {InvalidCursorError}
   */
  async readFeed(workspaceId: string, query: PageQueryDto): Promise<NoteEventPageDto> {
    const page = await this.listEvents(['feed', workspaceId], workspaceId, query);
    const visible = await this.findVisible(
      workspaceId,
      page.items.map(({ noteId }) => noteId),
    );
    return { ...page, items: page.items.filter(({ noteId }) => visible.has(noteId)) };
  }

  /** @throws {NotFoundError} */
  private async getVisible(workspaceIds: readonly string[], id: string): Promise<Note> {
    const note = await this.database.repository(Note).findOneBy({ workspaceId: In([...workspaceIds]), id });
    if (!note) throw new NotFoundError('The note');
    await this.locations.requireVisible(note);
    return note;
  }

  private async listEvents(
    identity: unknown,
    workspaceId: string,
    { limit, cursor }: PageQueryDto,
    noteId?: string,
  ): Promise<NoteEventPageDto> {
    const after = EVENT_KEYSET.decode(identity, cursor);
    const { items: events, hasMore } = await this.history.listEvents(workspaceId, after, limit, noteId);
    const messages = await this.toMessageDtos(
      workspaceId,
      events.flatMap(({ message }) => message ?? []),
    );
    const byId = new Map(messages.map((message) => [message.id, message]));
    const items = events.map(({ message, ...event }) => ({ ...event, message: byId.get(message?.id ?? '') ?? null }));
    const last = items.at(-1);
    return { items, hasMore, nextCursor: EVENT_KEYSET.encode(identity, last ? [last.sequence] : (after ?? [0])) };
  }

  /** Loads files and row names with a few statements per workspace, not per note. */
  toDtos(notes: readonly Note[], expand?: ExpandNotesDto['expand']): Promise<NoteDto[]> {
    return mapByWorkspace(notes, async (workspaceId, own) => {
      const ids = own.map(({ id }) => id);
      const files = await this.attachments.listByOwners(workspaceId, ids);
      const expanded = await this.locations.expand(workspaceId, own);
      const dtos = expanded.map((note) => toDto(note, files.get(note.id)!));
      if (!expand) return dtos;
      const fields = await this.fields.expand(workspaceId, own);
      return dtos.map((dto, at) => ({ ...dto, fields: fields[at] }));
    });
  }

  private async toMessageDtos(workspaceId: string, messages: readonly NoteMessage[]): Promise<NoteMessageDto[]> {
    const ids = messages.map(({ id }) => id);
    const files =
      ids.length === 0 ? new Map<string, StoredFileDto[]>() : await this.attachments.listByOwners(workspaceId, ids);
    return messages.map((message) => toMessageDto(message, files.get(message.id)!));
  }
}
