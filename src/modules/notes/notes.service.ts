import { Injectable } from '@nestjs/common';
import { uuid } from '../../../packages/sql/src/uuid.js';
import type { Upload } from '../../platform/body/upload.js';
import { Database } from '../../platform/database/database.js';
import { type AcceptedVersions, requireVersion } from '../../platform/http/conditional-requests.js';
import { DomainError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { retryOnUniqueViolation } from '../../records/records.js';
import { pickChanges } from '../../records/record-values.js';
import { AttachmentsService } from '../attachments/attachments.service.js';
import type { NoteDto, NoteMessageDto } from './dto/note.dto.js';
import type { WorkspaceMessageDto } from './dto/save-note.dto.js';
import type { NoteAuthor } from './note-author.js';
import { type NoteParent, NoteParents } from './note-parents.js';
import { NoteReaderService } from './note-reader.service.js';
import { mayChangeAnyNote, requireNoteScope } from './note-scopes.js';
import { type NoteInput, NoteValues, requireContent, toChangeEvents } from './note-values.js';
import { Note } from './note.entity.js';
import { InvalidNoteError, StatusesChangedError, NOTE_ERRORS } from './notes.errors.js';
import { type NewNoteEvent, NotesRepository } from './notes.repository.js';
import { PublicNotesPolicy } from './public-notes.policy.js';
import { countStoredBytes } from './stored-bytes.js';

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
 * Writes notes and messages for all API surfaces (specification, sections 4.6 to 4.9). Each write stores the record,
 * its files and its events together, or nothing.
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
   * @throws {InvalidNoteError | UnknownRowError | AmbiguousRowError | ArchivedError | DomainError} `note_archived`
   * @throws {PublicQuotaError | PublicTextTooLargeError | DomainError} `public_notes_off`
   * @throws {PreconditionFailedError} if the note does not exist yet, or has none of the accepted versions.
   */
  async save(
    author: NoteAuthor,
    { id: sentId, ...input }: NoteInput & { id?: string | null },
    uploads: readonly Upload[],
    accepted?: AcceptedVersions,
  ): Promise<SavedNote> {
    if (sentId) return { note: await this.update(author, sentId, input, uploads, accepted), created: false };
    if (author.source === 'public') this.policy.requireText(input);
    const parent = await this.parents.resolve(author, input);
    requireContent(input, uploads);
    await this.storeBlobs(parent.workspaceId, uploads, author);
    const write = { input, uploads, author, accepted };
    const attempt = async () => {
      const saved = await this.upsert(parent, write);
      return { ...saved, dto: await this.readForAnonymous(author, parent.workspaceId, saved.note.id) };
    };
    const { note, created, dto } = await retryOnUniqueViolation(() => this.database.transaction(attempt));
    if (dto) return { note: dto, created };
    const isComplete = created && uploads.length === 0;
    const read = isComplete ? this.reader.toNewDto(note) : this.reader.get([parent.workspaceId], note.id);
    return { note: await read, created };
  }

  /**
   * Updates the fields that are sent, and adds the files.
   *
   * @throws {NotFoundError} if the note does not exist or the author may not change it.
   * @throws {InvalidNoteError | UnknownRowError | AmbiguousRowError | ArchivedError | DomainError} `note_archived`
   * @throws {PreconditionFailedError | PublicQuotaError | PublicTextTooLargeError | DomainError} `public_notes_off`
   * @throws {DomainError} `note_not_public` for an anonymous caller, if a user of the workspace has written to it.
   */
  async update(
    author: NoteAuthor,
    id: string,
    input: NoteInput,
    uploads: readonly Upload[],
    accepted?: AcceptedVersions,
  ): Promise<NoteDto> {
    if (author.source === 'public') this.policy.requireText(input);
    const workspaceId = await this.authorize(author, id);
    await this.storeBlobs(workspaceId, uploads, author);
    const dto = await this.database.transaction(async () => {
      const rows = await this.values.lockRows(workspaceId, input);
      const note = await this.lockUnarchived(workspaceId, id);
      requireVersion(note, accepted);
      if (author.source === 'public') await this.reader.requirePublic(note);
      await this.change(note, rows, { input, uploads, author });
      return this.readForAnonymous(author, workspaceId, id);
    });
    return dto ?? this.reader.get([workspaceId], id);
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
      requireNoteScope(author, note, archived ? 'archive' : 'change');
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
   * @throws {NotFoundError | PublicQuotaError | PublicTextTooLargeError}
   * @throws {DomainError} `public_notes_off`, `note_archived`
   */
  async addMessage(
    author: NoteAuthor,
    noteId: string,
    { description = null }: WorkspaceMessageDto,
    uploads: readonly Upload[],
  ): Promise<NoteMessageDto> {
    const isPublic = author.source === 'public';
    if (isPublic) this.policy.requireText({ description });
    const workspaceId = await this.authorizeMessage(author, noteId);
    if (description === null && uploads.length === 0)
      throw new InvalidNoteError('description', 'required', 'A message needs a description, files or both.');
    const message = { workspaceId, noteId, description };
    await this.storeBlobs(workspaceId, uploads, author);
    const inserted = await this.database.transaction(async () => {
      const newBytes = isPublic ? countStoredBytes([{ description }], uploads) : 0;
      const stored = await this.repository.insertMessage(message, author, newBytes);
      if (stored) await this.attach(workspaceId, stored.id, uploads, author);
      return stored;
    });
    return inserted ? this.reader.toMessageDto(inserted) : this.rejectMessage(workspaceId, noteId);
  }

  /**
   * The written note, before its lock ends: afterwards it may contain what a user adds.
   *
   * @returns undefined for other authors.
   */
  private async readForAnonymous(
    { source }: NoteAuthor,
    workspaceId: string,
    id: string,
  ): Promise<NoteDto | undefined> {
    return source === 'public' ? this.reader.get([workspaceId], id) : undefined;
  }

  /** @throws {NotFoundError | InsufficientScopeError | DomainError} `public_notes_off` */
  private async authorizeMessage(author: NoteAuthor, id: string): Promise<string> {
    const workspaceId = await this.authorize(author, id);
    if (author.source === 'public' || mayChangeAnyNote(author)) return workspaceId;
    const note = await this.database.repository(Note).findOneBy({ workspaceId, id });
    if (!note) throw new NotFoundError('The note');
    requireNoteScope(author, note);
    return workspaceId;
  }

  /** Rejects a message to a note that does not exist or was archived. */
  private async rejectMessage(workspaceId: string, noteId: string): Promise<never> {
    const exists = await this.database.repository(Note).existsBy({ workspaceId, id: noteId });
    throw exists ? new DomainError(NOTE_ERRORS.note_archived) : new NotFoundError('The note');
  }

  /**
   * The workspace of a note that the author may change. Anonymous callers may change only notes that were created
   * publicly; all other notes are not found.
   */
  private async authorize(author: NoteAuthor, id: string): Promise<string> {
    const workspaceId = await this.reader.getWorkspace(author, id);
    if (author.source !== 'public') return workspaceId;
    const note = await this.database.repository(Note).findOneBy({ workspaceId, id });
    if (note?.source !== 'public') throw new NotFoundError('The note');
    await this.policy.authorize(workspaceId, note.projectId);
    return workspaceId;
  }

  private async upsert(parent: NoteParent, write: Write): Promise<{ note: Note; created: boolean }> {
    const { workspaceId } = parent;
    const { input, accepted } = write;
    const { externalId } = input;
    const rows = await this.values.lockRows(workspaceId, input);
    const existing = externalId ? await this.repository.lock({ workspaceId, externalId }) : null;
    requireVersion(existing ?? undefined, accepted);
    if (existing) await this.reader.requireVisible(existing);
    if (existing?.archivedAt) throw new DomainError(NOTE_ERRORS.note_archived);
    if (existing) {
      await this.change(existing, rows, write, parent);
      return { note: existing, created: false };
    }
    return { note: await this.insert(parent, rows, write), created: true };
  }

  private async insert(parent: NoteParent, rows: Partial<Note>, { input, uploads, author }: Write): Promise<Note> {
    const { workspaceId } = parent;
    const { userId, source } = author;
    const { locationTableId = null, locationKey = null } = rows;
    await this.reader.requireWritable({ workspaceId, locationTableId, locationKey });
    const unreviewedBytes = source === 'public' ? countStoredBytes([input], uploads) : 0;
    const { columns, statuses } = await this.values.toNewColumns(input, parent);
    const note = await this.repository.insert(
      {
        ...columns,
        ...rows,
        workspaceId,
        id: uuid(),
        source,
        unreviewedBytes,
        createdBy: userId,
        updatedBy: userId,
      },
      author,
      statuses,
    );
    if (!note) {
      // The transaction is repeated (`NoteRegistrations`).
      this.values.forgetStatuses(workspaceId);
      throw new StatusesChangedError();
    }
    await this.attach(workspaceId, note.id, uploads, author);
    return note;
  }

  /** Attaches the files of a new note or message, whose bytes are already counted. @throws {PublicQuotaError} */
  private async attach(
    workspaceId: string,
    ownerId: string,
    uploads: readonly Upload[],
    { userId, source }: NoteAuthor,
  ): Promise<void> {
    await this.attachments.attach(workspaceId, ownerId, uploads, userId);
    if (source === 'public') await this.policy.requireCountedQuota(workspaceId);
  }

  /** Changes a locked note. An update that changes nothing does not increment the version. */
  private async change(
    note: Note,
    rows: Partial<Note>,
    { input, uploads, author }: Write,
    resolved?: NoteParent,
  ): Promise<void> {
    requireNoteScope(author, note);
    const parent = await this.parents.resolveChange(author, note, input, resolved);
    if (parent) requireNoteScope(author, parent);
    const changed = pickChanges(note, { ...(await this.values.toChangedColumns(note, input, parent)), ...rows });
    await this.reader.requireWritable({ ...note, ...changed });
    const events = toChangeEvents(note, changed);
    const files = await this.attachments.attach(note.workspaceId, note.id, uploads, author.userId);
    if (files.length > 0) events.push({ kind: 'files', to: files });
    const isReview = author.source !== 'public' && note.unreviewedBytes > 0;
    if (events.length === 0 && !isReview) return;
    const newBytes = author.source === 'public' ? countStoredBytes(events, uploads) : 0;
    await this.write(note, changed, events, author, newBytes);
  }

  /**
   * Writes a locked note and its events. A write by a user of the workspace counts as a review of all that anonymous
   * callers stored.
   */
  private async write(
    note: Note,
    columns: Partial<Note>,
    events: readonly NewNoteEvent[],
    author: NoteAuthor,
    newBytes = 0,
  ): Promise<void> {
    const { workspaceId } = note;
    const isPublic = author.source === 'public';
    const sequence = await this.repository.advanceCounter(workspaceId, events.length);
    if (isPublic) await this.policy.requireQuota(workspaceId, newBytes);
    const unreviewedBytes = isPublic ? note.unreviewedBytes + newBytes : 0;
    await this.repository.update(note, { ...columns, unreviewedBytes, updatedBy: author.userId });
    await this.repository.appendEvents(note, events, sequence, author);
  }

  /** Stores the bytes before the transaction that attaches them. @throws {PublicQuotaError} */
  private async storeBlobs(workspaceId: string, uploads: readonly Upload[], { source }: NoteAuthor): Promise<void> {
    if (source === 'public') await this.policy.requireQuota(workspaceId, countStoredBytes([], uploads));
    await this.attachments.storeBlobs(workspaceId, uploads);
  }

  private async lockUnarchived(workspaceId: string, id: string): Promise<Note> {
    const note = await this.lock(workspaceId, id);
    if (note.archivedAt) throw new DomainError(NOTE_ERRORS.note_archived);
    return note;
  }

  private async lock(workspaceId: string, id: string): Promise<Note> {
    const note = await this.repository.lock({ workspaceId, id });
    if (!note) throw new NotFoundError('The note');
    await this.reader.requireVisible(note);
    return note;
  }
}
