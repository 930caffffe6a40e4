import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { type AcceptedVersions, requireVersion } from '../../platform/http/conditional-requests.js';
import { InsufficientRoleError } from '../../platform/security/security.errors.js';
import { AttachmentsService } from '../attachments/attachments.service.js';
import { AuditLog } from '../audit/audit-log.js';
import { EventsService } from '../events/events.service.js';
import type { NoteDto } from './dto/note.dto.js';
import { NoteDeletedDto } from './dto/note-log.dto.js';
import type { UserAuthor } from './note-author.js';
import { NoteReaderService } from './note-reader.service.js';
import { requireNoteScope } from './note-scopes.js';
import { NotesRepository } from './notes.repository.js';
import { NotesService } from './notes.service.js';

/** Called in the transaction that deletes a note. */
type PurgeListener = (workspaceId: string, noteId: string, messageIds: readonly string[]) => Promise<void>;

/** Deletes notes permanently, for owners. */
@Injectable()
export class NotePurgeService {
  private readonly listeners: PurgeListener[] = [];

  constructor(
    private readonly database: Database,
    private readonly notes: NotesService,
    private readonly repository: NotesRepository,
    private readonly reader: NoteReaderService,
    private readonly attachments: AttachmentsService,
    private readonly events: EventsService,
    private readonly audit: AuditLog,
  ) {}

  /** Registers what else contains texts of notes. */
  onPurge(listener: PurgeListener): void {
    this.listeners.push(listener);
  }

  /**
   * Deletes a note with its messages, history and files. The cleanup of attachments removes the bytes of the files.
   *
   * @returns the note as it was.
   * @throws {NotFoundError | PreconditionFailedError | InsufficientScopeError}
   * @throws {InsufficientRoleError} unless the author is an owner of the workspace.
   */
  async purge(author: UserAuthor, id: string, accepted: AcceptedVersions): Promise<NoteDto> {
    const workspaceId = await this.reader.getWorkspace(author, id);
    return this.database.transaction(async () => {
      const note = await this.notes.lock(workspaceId, id);
      requireNoteScope(author, note, 'archive');
      requireOwner(author, workspaceId);
      requireVersion(note, accepted);
      const dto = await this.reader.get([workspaceId], id);
      const messageIds = await this.repository.listMessageIds(note);
      for (const listener of this.listeners) await listener(workspaceId, id, messageIds);
      const files = await this.attachments.detach(workspaceId, [id, ...messageIds]);
      await this.repository.delete(note);
      const { number, watchers } = note;
      // Without the external references: the log has nothing of the content of a deleted note.
      await this.events.record(workspaceId, NoteDeletedDto, { noteId: id, number, watchers });
      const counts = { messages: messageIds.length, files };
      await this.audit.record({ kind: 'note_deleted', workspaceId, counts, details: { noteId: id, number } });
      return dto;
    });
  }
}

/** @throws {InsufficientRoleError} */
function requireOwner({ roles }: UserAuthor, workspaceId: string): void {
  if (roles?.get(workspaceId) === 'owner') return;
  const error = new InsufficientRoleError('owner', 'purge');
  error.workspaceId = workspaceId;
  throw error;
}
