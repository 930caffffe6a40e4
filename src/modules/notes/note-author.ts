import type { Principal } from '../../platform/security/principal.js';
import type { NoteSource } from './note.entity.js';

/** Workspaces that a caller can access. Anonymous callers are authorized per note, in any workspace. */
export type WorkspaceAccess = readonly string[] | 'any';

/** The caller that writes a note, and the API surface of the request. */
export interface NoteAuthor {
  /** Null for anonymous callers. */
  userId: string | null;
  source: NoteSource;
  workspaceIds: WorkspaceAccess;
}

export const ANONYMOUS: NoteAuthor = { userId: null, source: 'public', workspaceIds: 'any' };

/** The author of a request to `/v1/api/notes`. */
export function apiAuthor({ userId, workspaceIds }: Principal): NoteAuthor {
  return { userId, source: 'api', workspaceIds };
}

/** The author of a request to the notes of the workspace in the path. */
export function workspaceAuthor({ userId }: Principal, workspaceId: string): NoteAuthor {
  return { userId, source: 'workspace', workspaceIds: [workspaceId] };
}
