import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Database } from '../../platform/database/database.js';
import { SQLSTATE, sqlState } from '../../platform/database/database.errors.js';
import { Directory } from '../../platform/database/directory.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import { type AcceptedVersions, requireVersion } from '../../platform/http/conditional-requests.js';
import { pickChanges } from '../../records/record-values.js';
import type { Upload } from '../../platform/body/upload.js';
import { happeningsOf } from './note-changes.js';
import { NoteFiles } from './note-files.js';
import type { Author, NoteInput } from './note-input.js';
import type { Note } from './note.entity.js';
import { NoteValues } from './note-values.js';
import { NoteArchivedError } from './notes.errors.js';
import { type Happening, NotesRepository } from './notes.repository.js';

/** Which note was written, and whether it came to be. */
export interface Written {
  workspaceId: string;
  id: string;
  created: boolean;
}

/**
 * Creates and updates notes, for every surface and both transports (specification, sections 4.6, 4.7 and 4.9): the note,
 * its files and what is told of it are stored together, or nothing is.
 */
@Injectable()
export class NotesService {
  constructor(
    private readonly database: Database,
    private readonly directory: Directory,
    private readonly notes: NotesRepository,
    private readonly values: NoteValues,
    private readonly files: NoteFiles,
  ) {}

  /**
   * Creates a note in the workspace; with an external id that a note has already, updates that one.
   *
   * @throws {InvalidNoteError | UnknownRowError | AmbiguousRowError | NoteArchivedError | PublicQuotaError} and nothing is stored.
   * @throws {PreconditionFailedError} where there is none yet, or another version.
   */
  async create(
    workspaceId: string,
    input: NoteInput,
    uploads: readonly Upload[],
    author: Author,
    accepted?: AcceptedVersions,
  ): Promise<Written> {
    await this.files.land(workspaceId, uploads, author);
    const attempt = () => this.insert(workspaceId, input, uploads, author, accepted);
    try {
      return await this.database.transaction(attempt);
    } catch (error) {
      // Another has created it at this very moment.
      if (!input.externalId || sqlState(error) !== SQLSTATE.uniqueViolation) throw error;
      return this.database.transaction(attempt);
    }
  }

  /**
   * Changes the fields that are named, and adds the files.
   *
   * @throws {NotFoundError} where the workspace has no such note, or none that strangers may change.
   * @throws {PreconditionFailedError | NoteArchivedError | PublicQuotaError}
   * @throws {InvalidNoteError | UnknownRowError | AmbiguousRowError}
   */
  async update(
    workspaceId: string,
    id: string,
    input: NoteInput,
    uploads: readonly Upload[],
    author: Author,
    accepted?: AcceptedVersions,
  ): Promise<Written> {
    await this.files.land(workspaceId, uploads, author);
    return this.database.transaction(async () => {
      const rows = await this.values.rows(workspaceId, input);
      const note = await this.getOpen(workspaceId, id, author);
      requireVersion(note, accepted);
      return this.apply(note, { ...(await this.values.changed(note, input)), ...rows }, uploads, author);
    });
  }

  /** Puts the note away, or brings it back; what it is already is no change. */
  async archive(
    workspaceId: string,
    id: string,
    archived: boolean,
    author: Author,
    accepted?: AcceptedVersions,
  ): Promise<void> {
    await this.database.transaction(async () => {
      const note = await this.getLocked(workspaceId, id);
      requireVersion(note, accepted);
      if ((note.archivedAt !== null) === archived) return;
      const archivedAt = archived ? new Date() : null;
      await this.write(note, { archivedAt }, [{ kind: archived ? 'archived' : 'restored' }], author, 0);
    });
  }

  /** The note, locked, to be changed or answered. @throws {NotFoundError | NoteArchivedError} */
  async getOpen(workspaceId: string, id: string, { source }: Author): Promise<Note> {
    const note = await this.getLocked(workspaceId, id);
    if (source === 'public' && note.source !== 'public') throw new NotFoundError('The note');
    if (note.archivedAt) throw new NoteArchivedError();
    return note;
  }

  /** Writes what has changed of a locked note, and tells it. What strangers leave waits for somebody to look at it. */
  async write(
    note: Note,
    values: Partial<Note>,
    happenings: readonly Happening[],
    author: Author,
    newBytes: number,
  ): Promise<void> {
    const { sequence } = await this.notes.count(note.workspaceId, 0, happenings.length);
    if (author.source === 'public') await this.files.checkQuota(note.workspaceId, newBytes);
    const unreviewedBytes = author.source === 'public' ? note.unreviewedBytes + newBytes : 0;
    await this.notes.update(note, { ...values, unreviewedBytes, updatedBy: author.userId });
    await this.notes.tell(note, happenings, sequence, author);
  }

  private async insert(
    workspaceId: string,
    input: NoteInput,
    uploads: readonly Upload[],
    author: Author,
    accepted: AcceptedVersions,
  ): Promise<Written> {
    const rows = await this.values.rows(workspaceId, input);
    const known = input.externalId ? await this.notes.lockByExternalId(workspaceId, input.externalId) : null;
    requireVersion(known ?? undefined, accepted);
    if (known) {
      if (known.archivedAt) throw new NoteArchivedError();
      return this.apply(known, { ...(await this.values.changed(known, input)), ...rows }, uploads, author);
    }
    const values = { ...(await this.values.initial(workspaceId, input, author)), ...rows };
    const id = uuid();
    const bytes = this.files.sizeOf(uploads);
    const { number, sequence } = await this.notes.count(workspaceId, 1, 1);
    if (author.source === 'public') await this.files.checkQuota(workspaceId, bytes);
    const { source, userId } = author;
    await this.notes.insert({
      ...values,
      workspaceId,
      id,
      number,
      source,
      unreviewedBytes: source === 'public' ? bytes : 0,
      createdBy: userId,
      updatedBy: userId,
    });
    await this.files.attach(workspaceId, id, uploads, author);
    await this.directory.add('note', workspaceId, [id]);
    await this.notes.tell({ workspaceId, id }, [{ kind: 'created' }], sequence, author);
    return { workspaceId, id, created: true };
  }

  private async apply(note: Note, values: Partial<Note>, uploads: readonly Upload[], author: Author): Promise<Written> {
    const { workspaceId, id } = note;
    const changed = pickChanges(note, values);
    const happenings = happeningsOf(note, changed);
    const added = await this.files.attach(workspaceId, id, uploads, author);
    if (added.length > 0) happenings.push({ kind: 'files', to: added });
    const reviewed = author.source !== 'public' && note.unreviewedBytes > 0;
    if (happenings.length > 0 || reviewed)
      await this.write(note, changed, happenings, author, this.files.sizeOf(uploads));
    return { workspaceId, id, created: false };
  }

  private async getLocked(workspaceId: string, id: string): Promise<Note> {
    const note = await this.notes.lock(workspaceId, id);
    if (!note) throw new NotFoundError('The note');
    return note;
  }
}
