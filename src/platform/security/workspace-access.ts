import type { Request } from 'express';
import {
  InvalidRequestError,
  NotFoundError,
  type AccessDeniedError,
} from '../../../packages/errors/src/domain-error.js';
import type { Identity, Principal, WorkspaceRole } from './principal.js';
import { includesRole, type Role } from './roles.js';
import { grantsAny, type Scope, SCOPES } from './scopes.js';
import { InsufficientRoleError, InsufficientScopeError, PolicyDeniedError } from './security.errors.js';

/** What a route needs of its caller. */
export interface RouteNeeds {
  /** One of them; empty if any credentials suffice. */
  scopes: readonly Scope[];
  /** Undefined if any role suffices. */
  role: Role | undefined;
  /** Does the route obey the access policies of its caller? Called only for a caller with a policy. */
  obeysPolicies: () => boolean;
}

/** The caller with the workspaces in which its role and its policies permit a route. */
export function toPrincipal(caller: Identity, needs: RouteNeeds): Principal {
  const permitted: WorkspaceRole[] = [];
  let rejected: Map<string, (field?: string) => AccessDeniedError> | undefined;
  for (const membership of caller.memberships) {
    const toError = findRejection(membership, caller.scopes, needs);
    if (toError) (rejected ??= new Map()).set(membership.workspaceId, toError);
    else permitted.push(membership);
  }
  const { userId, clientId, sessionId, apiKeyId, apiKeyLabel, apiKeyExpiresAt } = caller;
  const scopes = restrictScopes(caller.scopes, permitted);
  const workspaceIds = permitted.map(({ workspaceId }) => workspaceId);
  // A spread with further properties would be slow on Node 20
  // (docs/explanation/performance.md#prototypes-of-requests).
  return { userId, clientId, sessionId, apiKeyId, apiKeyLabel, apiKeyExpiresAt, scopes, workspaceIds, rejected };
}

function findRejection(
  { role, policies }: WorkspaceRole,
  granted: readonly Scope[],
  { scopes, role: needed, obeysPolicies }: RouteNeeds,
): ((field?: string) => AccessDeniedError) | undefined {
  if (needed !== undefined && !includesRole(role, needed)) return (field) => new InsufficientRoleError(needed, field);
  // A route without a role is not about workspaces.
  if (!policies || needed === undefined) return undefined;
  // The credentials and each policy may grant one of the scopes, but not the same one.
  if (scopes.length > 0 && !includesAny(restrictScopes(granted, [{ policies }]), scopes))
    return () => new InsufficientScopeError(scopes);
  return obeysPolicies() ? undefined : (field) => new PolicyDeniedError(field);
}

/** The scopes that the policies of all workspaces leave. */
function restrictScopes(
  granted: readonly Scope[],
  memberships: readonly Pick<WorkspaceRole, 'policies'>[],
): readonly Scope[] {
  const limits: (readonly Scope[])[] = [];
  for (const { policies = [] } of memberships) for (const { scopes } of policies) if (scopes) limits.push(scopes);
  if (limits.length === 0) return granted;
  return SCOPES.filter((scope) => [granted, ...limits].every((each) => grantsAny(each, scope)));
}

function includesAny(granted: readonly Scope[], required: readonly Scope[]): boolean {
  return required.length === 0 || required.some((scope) => grantsAny(granted, scope));
}

/** @throws {InsufficientScopeError} unless one of the scopes is granted, or none is required. */
export function requireAnyScope(required: readonly Scope[], granted: readonly Scope[]): void {
  if (!includesAny(granted, required)) throw new InsufficientScopeError(required);
}

/**
 * Returns the workspaces in which the caller's role and policies permit the route, or only the requested one.
 *
 * @param field the field that contains the requested ID, if it is not a path parameter.
 * @throws {NotFoundError} if the requested workspace is not one of the caller's, whether or not it exists.
 * @throws {DomainError} 403 if the caller's role or policy in the requested workspace, or in all, does not permit this.
 */
export function resolveWorkspaces(caller: Principal, requested?: string | null, field?: string): readonly string[] {
  if (requested === undefined || requested === null) {
    const [toError] = caller.rejected?.values() ?? [];
    if (toError && caller.workspaceIds.length === 0) throw toError();
    return caller.workspaceIds;
  }
  const workspaceId = requested.toLowerCase();
  requirePermitted(caller, workspaceId, field);
  if (!caller.workspaceIds.includes(workspaceId)) throw new NotFoundError('The workspace', field);
  return [workspaceId];
}

/** @throws {DomainError} 403 if the workspace is one in which the caller's role or policy does not permit the route. */
export function requirePermitted({ rejected }: Pick<Principal, 'rejected'>, workspaceId: string, field?: string): void {
  const error = rejected?.get(workspaceId)?.(field);
  if (!error) return;
  error.workspaceId = workspaceId;
  throw error;
}

/** Returns the workspace of a new record: the requested one, or the caller's only one. */
export function resolveTargetWorkspace(caller: Principal, requested?: string | null): string {
  const [first, ...others] = resolveWorkspaces(caller, requested, 'workspaceId');
  if (first !== undefined && others.length === 0) return first;
  throw new InvalidRequestError([
    {
      field: 'workspaceId',
      code: 'required',
      message: 'workspaceId is required because the caller is not a member of exactly one workspace.',
    },
  ]);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The only workspace that the request can concern: that of the path, or of the query of a read. Any other change may
 * also depend on the caller's other workspaces. Undefined if the request names none, or if the name is not a UUID.
 */
export function findNamedWorkspace({ method, params, query }: Request): string | undefined {
  const named = params['workspaceId'] ?? (method === 'GET' || method === 'HEAD' ? query['workspaceId'] : undefined);
  return typeof named === 'string' && UUID.test(named) ? named.toLowerCase() : undefined;
}
