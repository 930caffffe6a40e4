import { Injectable } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { Database } from '../../platform/database/database.js';
import { decodeCursor, encodeCursor, InvalidCursorError } from '../../platform/http/cursor.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import { type Page, PageQueryDto } from '../../platform/http/page.dto.js';
import { AttachmentsService } from '../attachments/attachments.service.js';
import type { NoteEventDto, NoteEventPageDto, NoteMessageDto } from './dto/note.dto.js';

const MESSAGES = `
  SELECT m.id, m.workspace_id AS "workspaceId", m.note_id AS "threadId", m.description, m.source,
         m.created_at AS "createdAt", m.created_by AS "createdBy"
    FROM note_messages m WHERE m.workspace_id = $1`;

const EVENTS = `
  SELECT e.sequence::float8 AS sequence, e.note_id AS "noteId", n.number::float8 AS number, e.kind, e.field, e."from", e."to",
         e.message_id AS "messageId", e.actor_id AS actor, e.source, e.at
    FROM note_events e JOIN notes n ON n.workspace_id = e.workspace_id AND n.id = e.note_id
   WHERE e.workspace_id = $1 AND e.sequence > $2`;

type FoundEvent = Omit<NoteEventDto, 'message'> & { messageId: string | null };

/** Messages of notes, and all that happened to them. */
@Injectable()
export class NoteHistoryService {
  constructor(
    private readonly database: Database,
    private readonly attachments: AttachmentsService,
  ) {}

  /** A page of a note's messages, oldest first. @throws {InvalidCursorError} */
  async messages(workspaceId: string, noteId: string, { limit, cursor }: PageQueryDto): Promise<Page<NoteMessageDto>> {
    const identity = ['messages', workspaceId, noteId];
    const [after] = cursor === undefined ? [] : decodeCursor(identity, cursor, 1);
    if (after !== undefined && !isUuid(after)) throw new InvalidCursorError();
    const found = await this.find(
      `${MESSAGES} AND m.note_id = $2 AND ($3::uuid IS NULL OR m.id > $3) ORDER BY m.id LIMIT ${limit + 1}`,
      [workspaceId, noteId, after ?? null],
    );
    const items = found.slice(0, limit);
    const hasMore = found.length > limit;
    return { items, hasMore, nextCursor: hasMore ? encodeCursor(identity, [items.at(-1)!.id]) : null };
  }

  /** @throws {NotFoundError} */
  async message(workspaceId: string, id: string): Promise<NoteMessageDto> {
    const [message] = await this.find(`${MESSAGES} AND m.id = $2`, [workspaceId, id]);
    if (!message) throw new NotFoundError('The message');
    return message;
  }

  /** What happened to a note, from its creation on. @throws {InvalidCursorError} */
  history(workspaceId: string, noteId: string, query: PageQueryDto): Promise<NoteEventPageDto> {
    return this.events(['history', workspaceId, noteId], workspaceId, query, ' AND e.note_id = $3', [noteId]);
  }

  /**
   * What happened to any note of the workspace, from the first on. Whoever goes on from the cursor of the last page, a
   * minute or a year later, misses nothing and sees nothing twice. @throws {InvalidCursorError}
   */
  feed(workspaceId: string, query: PageQueryDto): Promise<NoteEventPageDto> {
    return this.events(['feed', workspaceId], workspaceId, query);
  }

  private async events(
    identity: unknown,
    workspaceId: string,
    { limit, cursor }: PageQueryDto,
    condition = '',
    parameters: unknown[] = [],
  ): Promise<NoteEventPageDto> {
    const [after] = cursor === undefined ? [0] : decodeCursor(identity, cursor, 1);
    if (!Number.isSafeInteger(after)) throw new InvalidCursorError();
    const sql = `${EVENTS}${condition} ORDER BY e.sequence LIMIT ${limit + 1}`;
    const found = await this.database.query<FoundEvent>(sql, [workspaceId, after, ...parameters]);
    const page = found.slice(0, limit);
    const messageIds = page.flatMap(({ messageId }) => messageId ?? []);
    const messages = await this.find(`${MESSAGES} AND m.id = ANY ($2::uuid[])`, [workspaceId, messageIds]);
    const byId = new Map(messages.map((message) => [message.id, message]));
    const items = page.map(({ messageId, ...event }) => ({ ...event, message: byId.get(messageId ?? '') ?? null }));
    const last = items.at(-1)?.sequence ?? (after as number);
    return { items, hasMore: found.length > limit, nextCursor: encodeCursor(identity, [last]) };
  }

  private async find(sql: string, parameters: unknown[]): Promise<NoteMessageDto[]> {
    const found = await this.database.query<Omit<NoteMessageDto, 'files'>>(sql, parameters);
    if (found.length === 0) return [];
    const files = await this.attachments.listByOwners(
      parameters[0] as string,
      found.map(({ id }) => id),
    );
    return found.map((message) => ({ ...message, files: files.get(message.id) ?? [] }));
  }
}
