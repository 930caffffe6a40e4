import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import type { Upload } from '../../platform/body/upload.js';
import { Database } from '../../platform/database/database.js';
import { type AcceptedVersions, requireVersion } from '../../platform/http/conditional-requests.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import { retryOnUniqueViolation } from '../../records/records.js';
import { pickChanges } from '../../records/record-values.js';
import { AttachmentsService } from '../attachments/attachments.service.js';
import type { NoteDto, NoteMessageDto } from './dto/note.dto.js';
import type { WorkspaceMessageDto } from './dto/save-note.dto.js';
import type { NoteAuthor } from './note-author.js';
import { NoteMessage } from './note-message.entity.js';
import { type NoteParent, NoteParents } from './note-parents.js';
import { NoteReaderService } from './note-reader.service.js';
import { type NoteInput, NoteValues, toChangeEvents } from './note-values.js';
import { Note } from './note.entity.js';
import { InvalidNoteError, NoteArchivedError } from './notes.errors.js';
import { type NewNoteEvent, NotesRepository } from './notes.repository.js';
import { PublicNotesPolicy } from './public-notes.policy.js';

export interface SavedNote {
  note: NoteDto;
  created: boolean;
}

/** A write inside its transaction. */
interface Write {
  input: NoteInput;
  uploads: readonly Upload[];
  author: NoteAuthor;
  accepted?: AcceptedVersions;
}

/**
 * Writes notes and messages for all API surfaces (specification, sections 4.6 to 4.9). Each write stores the record, its
 * files and its events together, or nothing.
 */
@Injectable()
export class NotesService {
  constructor(
    private readonly database: Database,
    private readonly repository: NotesRepository,
    private readonly reader: NoteReaderService,
    private readonly parents: NoteParents,
    private readonly values: NoteValues,
    private readonly attachments: AttachmentsService,
    private readonly policy: PublicNotesPolicy,
  ) {}

  /**
   * Creates a note. If the ID is sent, or a note of the workspace has the external ID, updates that note instead.
   *
   * @throws {NotFoundError} if no note has the ID or the author may not change it.
   * @throws {InvalidNoteError | UnknownRowError | AmbiguousRowError | ArchivedError | NoteArchivedError}
   * @throws {PublicNotesOffError | PublicQuotaError}
   * @throws {PreconditionFailedError} if the note does not exist yet, or has none of the accepted versions.
   */
  async save(
    author: NoteAuthor,
    { id: sentId, ...input }: NoteInput & { id?: string | null },
    uploads: readonly Upload[],
    accepted?: AcceptedVersions,
  ): Promise<SavedNote> {
    if (sentId) return { note: await this.update(author, sentId, input, uploads, accepted), created: false };
    const parent = await this.parents.resolve(author, input);
    await this.storeBlobs(parent.workspaceId, uploads, author);
    const attempt = () => this.upsert(parent, { input, uploads, author, accepted });
    const { id, created } = await retryOnUniqueViolation(() => this.database.transaction(attempt));
    return { note: await this.reader.get([parent.workspaceId], id), created };
  }

  /**
   * Updates the fields that are sent, and adds the files.
   *
   * @throws {NotFoundError} if the note does not exist or the author may not change it.
   * @throws {InvalidNoteError | UnknownRowError | AmbiguousRowError | ArchivedError | NoteArchivedError}
   * @throws {PreconditionFailedError | PublicNotesOffError | PublicQuotaError}
   */
  async update(
    author: NoteAuthor,
    id: string,
    input: NoteInput,
    uploads: readonly Upload[],
    accepted?: AcceptedVersions,
  ): Promise<NoteDto> {
    const workspaceId = await this.authorize(author, id);
    await this.storeBlobs(workspaceId, uploads, author);
    await this.database.transaction(async () => {
      const rows = await this.values.lockRows(workspaceId, input);
      const note = await this.lockUnarchived(workspaceId, id);
      requireVersion(note, accepted);
      await this.change(note, rows, { input, uploads, author });
    });
    return this.reader.get([workspaceId], id);
  }

  /**
   * Archives or restores a note. Nothing changes if the note is already in the requested state.
   *
   * @throws {NotFoundError | PreconditionFailedError}
   */
  async setArchived(author: NoteAuthor, id: string, archived: boolean, accepted?: AcceptedVersions): Promise<NoteDto> {
    const workspaceId = await this.authorize(author, id);
    await this.database.transaction(async () => {
      const note = await this.lock(workspaceId, id);
      requireVersion(note, accepted);
      if ((note.archivedAt !== null) === archived) return;
      const archivedAt = archived ? new Date() : null;
      await this.write(note, { archivedAt }, [{ kind: archived ? 'archived' : 'restored' }], author);
    });
    return this.reader.get([workspaceId], id);
  }

  /**
   * Adds a message with text, files or both to a note.
   *
   * @throws {InvalidNoteError} if the message has neither text nor files.
   * @throws {NotFoundError | NoteArchivedError | PublicNotesOffError | PublicQuotaError}
   */
  async addMessage(
    author: NoteAuthor,
    noteId: string,
    { description = null }: WorkspaceMessageDto,
    uploads: readonly Upload[],
  ): Promise<NoteMessageDto> {
    const workspaceId = await this.authorize(author, noteId);
    if (description === null && uploads.length === 0)
      throw new InvalidNoteError('description', 'required', 'A message needs a description, files or both.');
    await this.storeBlobs(workspaceId, uploads, author);
    const { userId: createdBy, source } = author;
    const id = await this.database.transaction(async () => {
      const note = await this.lockUnarchived(workspaceId, noteId);
      // Under the lock, so that the IDs of a note's messages ascend in the order of their commits.
      const id = uuid();
      const createdAt = new Date();
      const message = { workspaceId, id, noteId, description, source, createdAt, createdBy };
      await this.database.repository(NoteMessage).insert(message);
      await this.attachments.attach(workspaceId, id, uploads, createdBy);
      const columns = { messageCount: note.messageCount + 1, lastMessageAt: createdAt };
      await this.write(note, columns, [{ kind: 'message', messageId: id }], author, sumSizes(uploads));
      return id;
    });
    return this.reader.getMessage(workspaceId, id);
  }

  /**
   * The workspace of a note that the author may change. Anonymous callers may change only notes that were created
   * publicly; all other notes are not found.
   */
  private async authorize({ source, workspaceIds }: NoteAuthor, id: string): Promise<string> {
    const workspaceId = await this.reader.getWorkspace(workspaceIds, id);
    if (source !== 'public') return workspaceId;
    const note = await this.database.repository(Note).findOneBy({ workspaceId, id });
    if (note?.source !== 'public') throw new NotFoundError('The note');
    await this.policy.authorize(workspaceId, note.projectId);
    return workspaceId;
  }

  private async upsert(parent: NoteParent, write: Write): Promise<{ id: string; created: boolean }> {
    const { workspaceId } = parent;
    const { input, accepted } = write;
    const { externalId } = input;
    const rows = await this.values.lockRows(workspaceId, input);
    const existing = externalId ? await this.repository.lock({ workspaceId, externalId }) : null;
    requireVersion(existing ?? undefined, accepted);
    if (existing?.archivedAt) throw new NoteArchivedError();
    if (existing) {
      await this.change(existing, rows, write, parent);
      return { id: existing.id, created: false };
    }
    return { id: await this.insert(parent, rows, write), created: true };
  }

  private async insert(parent: NoteParent, rows: Partial<Note>, { input, uploads, author }: Write): Promise<string> {
    const { workspaceId } = parent;
    const { userId, source } = author;
    const columns = { ...(await this.values.toNewColumns(input, parent)), ...rows };
    const id = uuid();
    const { number, sequence } = await this.repository.advanceCounter(workspaceId, { notes: 1, events: 1 });
    const unreviewedBytes = source === 'public' ? sumSizes(uploads) : 0;
    await this.policy.requireQuota(workspaceId, unreviewedBytes);
    const key = { workspaceId, id };
    await this.repository.insert({
      ...columns,
      ...key,
      ...{ number, source, unreviewedBytes },
      ...{ createdBy: userId, updatedBy: userId },
    });
    await this.attachments.attach(workspaceId, id, uploads, userId);
    await this.repository.appendEvents(key, [{ kind: 'created' }], sequence, author);
    return id;
  }

  /** Changes a locked note. An update that changes nothing does not increment the version. */
  private async change(
    note: Note,
    rows: Partial<Note>,
    { input, uploads, author }: Write,
    resolved?: NoteParent,
  ): Promise<void> {
    const parent = await this.parents.resolveChange(author, note, input, resolved);
    const changed = pickChanges(note, { ...(await this.values.toChangedColumns(note, input, parent)), ...rows });
    const events = toChangeEvents(note, changed);
    const files = await this.attachments.attach(note.workspaceId, note.id, uploads, author.userId);
    if (files.length > 0) events.push({ kind: 'files', to: files });
    const isReview = author.source !== 'public' && note.unreviewedBytes > 0;
    if (events.length > 0 || isReview) await this.write(note, changed, events, author, sumSizes(uploads));
  }

  /** Writes a locked note and its events. A write by a user of the workspace counts as a review of its files. */
  private async write(
    note: Note,
    columns: Partial<Note>,
    events: readonly NewNoteEvent[],
    author: NoteAuthor,
    newBytes = 0,
  ): Promise<void> {
    const { workspaceId } = note;
    const isPublic = author.source === 'public';
    const { sequence } = await this.repository.advanceCounter(workspaceId, { notes: 0, events: events.length });
    if (isPublic) await this.policy.requireQuota(workspaceId, newBytes);
    const unreviewedBytes = isPublic ? note.unreviewedBytes + newBytes : 0;
    await this.repository.update(note, { ...columns, unreviewedBytes, updatedBy: author.userId });
    await this.repository.appendEvents(note, events, sequence, author);
  }

  /** Stores the bytes before the transaction that attaches them. @throws {PublicQuotaError} */
  private async storeBlobs(workspaceId: string, uploads: readonly Upload[], { source }: NoteAuthor): Promise<void> {
    if (source === 'public') await this.policy.requireQuota(workspaceId, sumSizes(uploads));
    await this.attachments.storeBlobs(workspaceId, uploads);
  }

  private async lockUnarchived(workspaceId: string, id: string): Promise<Note> {
    const note = await this.lock(workspaceId, id);
    if (note.archivedAt) throw new NoteArchivedError();
    return note;
  }

  private async lock(workspaceId: string, id: string): Promise<Note> {
    const note = await this.repository.lock({ workspaceId, id });
    if (!note) throw new NotFoundError('The note');
    return note;
  }
}

function sumSizes(uploads: readonly Upload[]): number {
  return uploads.reduce((sum, { size }) => sum + size, 0);
}
