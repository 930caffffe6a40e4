import { Injectable } from '@nestjs/common';
import { uuid } from '../../../packages/sql/src/uuid.js';
import type { Upload } from '../../platform/body/upload.js';
import { Database } from '../../platform/database/database.js';
import { type AcceptedVersions, requireVersion } from '../../platform/http/conditional-requests.js';
import { DomainError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { retryOnUniqueViolation } from '../../records/records.js';
import { pickChanges } from '../../records/record-values.js';
import type { NoteDto } from './dto/note.dto.js';
import type { ExternalReferenceDto } from './dto/save-note.dto.js';
import type { NoteAuthor } from './note-author.js';
import { type NoteParent, NoteParents } from './note-parents.js';
import { NoteFiles } from './note-files.js';
import { NotePermissions } from './note-permissions.js';
import { NoteReaderService } from './note-reader.service.js';
import { toChangeEvents } from './note-changes.js';
import { requireNoteScope } from './note-scopes.js';
import { type NoteInput, NoteValues, requireContent, requireNone, type ResolvedInput } from './note-values.js';
import type { Note } from './note.entity.js';
import { InvalidNoteError, NOTE_ERRORS, NoteRulesChangedError, ReferenceTakenError } from './notes.errors.js';
import { type NewNoteEvent, NotesRepository } from './notes.repository.js';
import { countStoredBytes } from './stored-bytes.js';

export interface SavedNote {
  note: NoteDto;
  created: boolean;
}

/** What a change of a locked note writes; undefined: nothing. */
type OwnChange = { columns: Partial<Note>; event: NewNoteEvent } | undefined;

/** A write inside its transaction. */
export interface Write {
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
    private readonly files: NoteFiles,
    private readonly permissions: NotePermissions,
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
    this.permissions.requireText(author, input);
    const parent = await this.parents.resolve(author, input);
    requireContent(input, uploads);
    await this.files.store(parent.workspaceId, uploads, author);
    const write = { input, uploads, author, accepted };
    const attempt = async () => {
      const resolved = await this.values.resolve(parent.workspaceId, input, author, !input.externalId);
      const saved = await this.upsert(parent, resolved, write);
      return { ...saved, dto: await this.readForAnonymous(author, parent.workspaceId, saved.note.id) };
    };
    const run = () => retryOnUniqueViolation(() => this.database.transaction(attempt));
    const { note, created, dto } = await run().catch((error: unknown) => {
      if (!(error instanceof InvalidNoteError)) throw error;
      // The remembered rules may be outdated.
      this.values.forgetRules(parent.workspaceId);
      return run();
    });
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
    this.permissions.requireText(author, input);
    const workspaceId = await this.permissions.authorize(author, id);
    await this.files.store(workspaceId, uploads, author);
    const attempt = async () => {
      const resolved = await this.values.resolve(workspaceId, input, author);
      const note = await this.lock(workspaceId, id);
      if (note.archivedAt) throw new DomainError(NOTE_ERRORS.note_archived);
      requireVersion(note, accepted);
      if (author.source === 'public') await this.reader.requirePublic(note);
      await this.change(note, resolved, { input, uploads, author });
      return this.readForAnonymous(author, workspaceId, id);
    };
    // A concurrent request can take an external reference after this one has found it free.
    const dto = await retryOnUniqueViolation(() => this.database.transaction(attempt));
    return dto ?? this.reader.get([workspaceId], id);
  }

  /**
   * Archives or restores a note. Nothing changes if the note is already in the requested state.
   *
   * @throws {NotFoundError | PreconditionFailedError}
   * @throws {ArchivedError} if a parent of a note to restore is archived.
   */
  async setArchived(author: NoteAuthor, id: string, archived: boolean, accepted?: AcceptedVersions): Promise<NoteDto> {
    return this.changeLocked(author, id, async (note) => {
      requireNoteScope(author, note, archived ? 'archive' : 'change');
      requireVersion(note, accepted);
      if ((note.archivedAt !== null) === archived) return undefined;
      if (!archived) await this.parents.requireOpen(note);
      const event = { kind: archived ? 'archived' : 'restored' } as const;
      return { columns: { archivedAt: archived ? new Date() : null }, event };
    });
  }

  /**
   * Locks a note and writes what `change` returns.
   *
   * @param change returns undefined if nothing changes.
   * @throws {NotFoundError} and what `change` throws.
   */
  async changeLocked(author: NoteAuthor, id: string, change: (note: Note) => Promise<OwnChange>): Promise<NoteDto> {
    const workspaceId = await this.permissions.authorize(author, id);
    await this.database.transaction(async () => {
      const note = await this.lock(workspaceId, id);
      const changed = await change(note);
      if (changed) await this.write(note, changed.columns, [changed.event], author);
    });
    return this.reader.get([workspaceId], id);
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

  /**
   * Stores a note within a transaction. A rejected one has written nothing.
   *
   * @param resolved what `NoteValues` resolved before.
   * @throws as `save`.
   */
  async upsert(
    parent: NoteParent,
    resolved: ResolvedInput,
    write: Write,
  ): Promise<{ note: Note; created: boolean; changed: boolean }> {
    const { workspaceId } = parent;
    const { input, accepted } = write;
    const { externalId } = input;
    const existing = externalId ? await this.repository.lock({ workspaceId, externalId }) : null;
    if (existing) await this.reader.requireVisible(existing, 'externalId');
    requireVersion(existing ?? undefined, accepted);
    if (existing?.archivedAt) throw new DomainError(NOTE_ERRORS.note_archived);
    if (existing) {
      const changed = await this.change(existing, resolved, write, parent);
      return { note: existing, created: false, changed };
    }
    return { note: await this.insert(parent, resolved, write), created: true, changed: false };
  }

  private async insert(parent: NoteParent, resolved: ResolvedInput, { input, uploads, author }: Write): Promise<Note> {
    const { workspaceId } = parent;
    const { userId, source } = author;
    const { columns, errors } = this.values.toNewColumns(input, resolved, parent);
    const id = uuid();
    const located = { workspaceId, id, locationTableId: null, locationKey: null, ...columns };
    const isLocated = resolved.rejectedRows.every(({ field }) => field !== 'location');
    await this.requireValid(isLocated ? located : undefined, located, columns.externalReferences, errors);
    const unreviewedBytes = source === 'public' ? countStoredBytes([input], uploads) : 0;
    const note = await this.repository.insert(
      {
        ...columns,
        workspaceId,
        id,
        source,
        unreviewedBytes,
        createdBy: userId,
        updatedBy: userId,
      },
      author,
      resolved.own,
    );
    if (!note) {
      // The transaction is repeated (`NoteRegistrations`).
      this.values.forgetRules(workspaceId);
      throw new NoteRulesChangedError();
    }
    await this.files.attach(workspaceId, note.id, uploads, author);
    return note;
  }

  /**
   * Changes a locked note. An update that changes nothing does not increment the version. A rejected one has written
   * nothing.
   *
   * @returns Has anything changed?
   */
  async change(
    note: Note,
    resolved: ResolvedInput,
    { input, uploads, author }: Write,
    resolvedParent?: NoteParent,
  ): Promise<boolean> {
    requireNoteScope(author, note);
    const parent = await this.parents.resolveChange(author, note, input, resolvedParent);
    if (parent) requireNoteScope(author, parent);
    const { columns, errors } = this.values.toChangedColumns(note, input, resolved, parent, author);
    const changed = pickChanges(note, columns);
    const located = { ...note, ...changed };
    await this.requireValid(located, located, changed.externalReferences, errors);
    const events = toChangeEvents(note, changed, resolved.rules);
    const files = await this.files.add(note.workspaceId, note.id, uploads, author);
    if (files.length > 0) events.push({ kind: 'files', to: files });
    const isReview = author.source !== 'public' && note.unreviewedBytes > 0;
    if (events.length === 0 && !isReview) return false;
    const newBytes = author.source === 'public' ? countStoredBytes(events, uploads) : 0;
    await this.write(note, changed, events, author, newBytes);
    return true;
  }

  /**
   * Finds the errors that depend on other notes and on the policies of the caller, too.
   *
   * @param located the note after the change, unless its location is rejected.
   * @param references those that the request changes.
   * @param errors of the values.
   * @throws {DomainError} the only error, or `InvalidNoteError` with all.
   */
  private async requireValid(
    located: Pick<Note, 'workspaceId' | 'locationTableId' | 'locationKey'> | undefined,
    note: Pick<Note, 'workspaceId' | 'id'>,
    references: readonly ExternalReferenceDto[] | undefined,
    errors: readonly DomainError[],
  ): Promise<void> {
    const all = [...errors];
    const location = located && (await this.reader.findLocationError(located));
    if (location) all.push(location);
    for (const taken of await this.repository.references.findTaken(note, references ?? [])) {
      const isVisible = await this.reader.shows(note.workspaceId, taken.noteId);
      all.push(new ReferenceTakenError(taken.system, taken.id, isVisible ? taken.number : undefined));
    }
    requireNone(all);
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
    if (newBytes > 0) await this.files.requireQuota(workspaceId, newBytes);
    const unreviewedBytes = isPublic ? note.unreviewedBytes + newBytes : 0;
    await this.repository.update(note, { ...columns, unreviewedBytes, updatedBy: author.userId });
    await this.repository.appendEvents({ ...note, ...columns }, events, sequence, author);
  }

  /** Locks a note until the transaction ends. @throws {NotFoundError} */
  async lock(workspaceId: string, id: string): Promise<Note> {
    const note = await this.repository.lock({ workspaceId, id });
    if (!note) throw new NotFoundError('The note');
    await this.reader.requireVisible(note);
    return note;
  }
}
