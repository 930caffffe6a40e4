import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { includesRole } from '../../platform/security/roles.js';
import { InsufficientRoleError } from '../../platform/security/security.errors.js';
import { UsersService } from '../users/users.service.js';
import type { NoteDto } from './dto/note.dto.js';
import type { UserAuthor } from './note-author.js';
import { requireNoteScope } from './note-scopes.js';
import { InvalidNoteError, NOTE_ERRORS } from './notes.errors.js';
import { NotesRepository } from './notes.repository.js';
import { NotesService } from './notes.service.js';

/** Watchers of a note. */
export const MAX_WATCHERS = 100;

/** The users who watch notes. Events of a note contain its watchers. */
@Injectable()
export class NoteWatchersService {
  constructor(
    private readonly notes: NotesService,
    private readonly repository: NotesRepository,
    private readonly users: UsersService,
  ) {}

  /**
   * Adds or removes a watcher. Readers may watch, too, but not change who else does.
   *
   * @param sent the ID of a member; by default the caller.
   * @throws {NotFoundError | InvalidNoteError | InsufficientRoleError | DomainError} `note_archived`
   */
  set(author: UserAuthor, id: string, sent: string | undefined, watches: boolean): Promise<NoteDto> {
    const userId = (sent ?? author.userId!).toLowerCase();
    return this.notes.changeLocked(author, id, async (note) => {
      requireNoteScope(author, note);
      if (userId !== author.userId) requireEditor(author, note.workspaceId);
      if (note.archivedAt) throw new DomainError(NOTE_ERRORS.note_archived);
      const { workspaceId, watchers } = note;
      const others = watchers.filter((each) => each !== userId);
      if (watches) await this.requireWatcher(workspaceId, userId, others.length);
      if (watches === watchers.includes(userId)) return undefined;
      await this.repository.setWatchers(note, watches ? [...others, userId] : others, author);
      return undefined;
    });
  }

  /** @throws {InvalidNoteError} */
  private async requireWatcher(workspaceId: string, userId: string, others: number): Promise<void> {
    const [member] = await this.users.listMembers(workspaceId, [userId]);
    if (!member?.isActive) {
      const message = `"${userId}" is not the ID of a member of the workspace.`;
      throw new InvalidNoteError({ field: 'userId', code: 'not_found', message });
    }
    if (others < MAX_WATCHERS) return;
    const message = `The note has ${others} watchers; the limit is ${MAX_WATCHERS}. Remove one first.`;
    throw new InvalidNoteError({ field: 'userId', code: 'too_many_watchers', message });
  }
}

/** @throws {InsufficientRoleError} */
function requireEditor({ roles }: UserAuthor, workspaceId: string): void {
  const role = roles?.get(workspaceId);
  if (role !== undefined && includesRole(role, 'editor')) return;
  const error = new InsufficientRoleError('editor', 'userId');
  error.workspaceId = workspaceId;
  throw error;
}
