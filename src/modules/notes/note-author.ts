import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { RejectedWorkspaces } from '../../platform/security/principal.js';
import type { Role } from '../../platform/security/roles.js';
import type { Scope } from '../../platform/security/scopes.js';
import type { NoteSource } from './note.entity.js';

/** Workspaces that a caller can access. Anonymous callers are authorized per note, in any workspace. */
export interface NoteAccess {
  workspaceIds: readonly string[] | 'any';
  /** Workspaces in which the caller's role does not permit the route. */
  rejected?: RejectedWorkspaces;
}

/** The caller that writes a note, and the API surface of the request. */
export interface NoteAuthor extends NoteAccess {
  /** Null for anonymous callers. */
  userId: string | null;
  source: NoteSource;
  scopes: readonly Scope[];
  /** The role of the caller in each workspace. Without it, no change that needs a role is permitted. */
  roles?: ReadonlyMap<string, Role>;
}

/** An author with credentials. */
export type UserAuthor = NoteAuthor & { workspaceIds: readonly string[] };

export const ANONYMOUS: NoteAuthor = { userId: null, source: 'public', workspaceIds: 'any', scopes: [] };

/** Injects the caller into a handler. If the path has a workspace, the author can access only this one. */
export const Author = createParamDecorator((_: unknown, context: ExecutionContext): UserAuthor => {
  const { principal, identity, params } = context.switchToHttp().getRequest<Request<{ workspaceId?: string }>>();
  if (!principal) throw new Error('@Author() needs a route with @RequireScope()');
  const { userId, workspaceIds, rejected, scopes } = principal;
  const roles = new Map(identity?.memberships.map((each) => [each.workspaceId, each.role]));
  if (params.workspaceId === undefined) return { userId, source: 'api', workspaceIds, rejected, scopes, roles };
  return { userId, source: 'workspace', workspaceIds: [params.workspaceId.toLowerCase()], scopes, roles };
});
