import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Role } from './roles.js';
import type { Scope } from './scopes.js';
import type { AccessDeniedError } from '../../../packages/errors/src/domain-error.js';

/** Restricts a caller in a workspace, in addition to the role. */
export interface AccessPolicy {
  readonly id: string;
  /** Increases with each change of the policy. */
  readonly version: number;
  /** The scopes that the policy leaves to the caller; absent: those of the credentials. */
  readonly scopes?: readonly Scope[];
  /** What modules restrict; they know the content. */
  readonly rules: object;
}

/** A workspace to which the caller has access, and the role of the caller's membership. */
export interface WorkspaceRole {
  workspaceId: string;
  role: Role;
  /** The IDs of the policies of the membership and of the client or API key. All of them apply. Absent without any. */
  policyIds?: readonly string[];
  /** These policies as the authenticator has read them. */
  policies?: readonly AccessPolicy[];
}

/** The readable parts of an API key. */
export interface ApiKeyLabel {
  readonly name: string;
  /** The first characters of the secret that was used; null for keys of former versions. */
  readonly prefix: string | null;
}

/** The caller as the credentials identify it. Always read from the database, never only from a token. */
export interface Identity {
  readonly userId: string;
  /** The OAuth2 client of a session. */
  readonly clientId?: string;
  /** Absent for an API key. */
  readonly sessionId?: string;
  /** The ID of the API key, not the key itself. */
  readonly apiKeyId?: string;
  /** How people recognize the API key. */
  readonly apiKeyLabel?: ApiKeyLabel;
  /** The end of the used secret of the API key; null if it has none. */
  readonly apiKeyExpiresAt?: Date | null;
  readonly scopes: readonly Scope[];
  /** If the path names a workspace, or the query of a read, only that one. */
  readonly memberships: readonly WorkspaceRole[];
}

/** The authenticated caller of a route. */
export interface Principal extends Omit<Identity, 'memberships'> {
  /**
   * The workspaces in which the caller's role and policies permit the route. For the caller all others do not exist,
   * except those of `rejected`.
   */
  readonly workspaceIds: readonly string[];
  /** The caller's workspaces in which its role or a policy does not permit the route; absent if there are none. */
  readonly rejected?: RejectedWorkspaces;
}

/** Where a caller may do what a route does. */
export type WorkspaceAccess = Pick<Principal, 'workspaceIds' | 'rejected'>;

/**
 * By the ID of each workspace, the error of a request that names it, or a record of it.
 *
 * @param field the field that contains the ID of the workspace, if it is not a path parameter.
 */
export type RejectedWorkspaces = ReadonlyMap<string, (field?: string) => AccessDeniedError>;

/** Injects the principal into a handler. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<Request>();
  if (!principal) throw new Error('@Caller() needs a route with @RequireScope()');
  return principal;
});

/** Injects the role of the caller in the workspace of the path. */
export const CallerRole = createParamDecorator((_: unknown, context: ExecutionContext): Role => {
  return getCallerRole(context.switchToHttp().getRequest<Request>());
});

/** The role of the caller in the workspace of the path. */
export function getCallerRole({ identity, params }: Request): Role {
  const workspaceId = (params['workspaceId'] as string | undefined)?.toLowerCase();
  const membership = identity?.memberships.find((each) => each.workspaceId === workspaceId);
  if (!membership) throw new Error('The role of a caller needs @RequireScope() and a workspace in the path');
  return membership.role;
}
