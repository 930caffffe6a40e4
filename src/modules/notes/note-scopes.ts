import { grantsAny, type Scope } from '../../platform/security/scopes.js';
import { InsufficientScopeError } from '../../platform/security/security.errors.js';
import type { NoteAuthor } from './note-author.js';
import type { Note } from './note.entity.js';

/** What a write does with a note. `archive` needs the scope of a deletion, except in a workspace, which has none. */
export type NoteWrite = 'change' | 'archive';

const SCOPES = {
  project: { change: 'write:projects', archive: 'delete:projects' },
  workspace: { change: 'write:workspaces', archive: 'write:workspaces' },
} as const satisfies Record<string, Record<NoteWrite, Scope>>;

/**
 * The scope that a write of the note needs, whatever the API surface: that of the project, or of the workspace for a
 * note without a project.
 *
 * @throws {InsufficientScopeError} except for anonymous callers, whose notes the policy authorizes.
 */
export function requireNoteScope(
  { source, scopes }: NoteAuthor,
  { projectId }: Pick<Note, 'projectId'>,
  write: NoteWrite = 'change',
): void {
  const required = SCOPES[projectId === null ? 'workspace' : 'project'][write];
  if (source !== 'public' && !grantsAny(scopes, required)) throw new InsufficientScopeError([required]);
}
