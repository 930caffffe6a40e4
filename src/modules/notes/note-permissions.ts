import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { Database } from '../../platform/database/database.js';
import type { NoteAuthor } from './note-author.js';
import { NoteParents } from './note-parents.js';
import { NoteReaderService } from './note-reader.service.js';
import { requireNoteScope } from './note-scopes.js';
import { Note } from './note.entity.js';
import { PublicNotesPolicy } from './public-notes.policy.js';

/** What an author may write to. */
@Injectable()
export class NotePermissions {
  constructor(
    private readonly database: Database,
    private readonly reader: NoteReaderService,
    private readonly parents: NoteParents,
    private readonly policy: PublicNotesPolicy,
  ) {}

  /**
   * The workspace of a note that the author may change. Anonymous callers may change only notes that were created
   * publicly; all other notes are not found.
   *
   * @throws {NotFoundError | DomainError} `public_notes_off`
   */
  async authorize(author: NoteAuthor, id: string): Promise<string> {
    const workspaceId = await this.reader.getWorkspace(author, id);
    if (author.source !== 'public') return workspaceId;
    const note = await this.database.repository(Note).findOneBy({ workspaceId, id });
    if (note?.source !== 'public') throw new NotFoundError('The note');
    await this.policy.authorize(workspaceId, note.projectId);
    return workspaceId;
  }

  /** As `authorize`, for a message. @throws {InsufficientScopeError | ArchivedError} and as `authorize`. */
  async authorizeMessage(author: NoteAuthor, id: string): Promise<string> {
    const workspaceId = await this.authorize(author, id);
    const note = await this.database.repository(Note).findOneBy({ workspaceId, id });
    if (!note) throw new NotFoundError('The note');
    requireNoteScope(author, note);
    await this.parents.requireOpen(note);
    return workspaceId;
  }

  /** @throws {PublicTextTooLargeError} if an anonymous caller sends too much text. */
  requireText({ source }: NoteAuthor, fields: object): void {
    if (source === 'public') this.policy.requireText(fields);
  }
}
