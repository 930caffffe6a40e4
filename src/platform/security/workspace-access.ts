import type { Request } from 'express';
import { InvalidRequestError, NotFoundError } from '../http/domain-error.js';
import type { Principal } from './principal.js';

/**
 * Returns the caller's workspaces, or only the requested one.
 *
 * @param field the field that contains the requested ID, if it is not a path parameter.
 * @throws {NotFoundError} if the requested workspace is not one of the caller's, whether or not it exists.
 */
export function resolveWorkspaces(caller: Principal, requested?: string | null, field?: string): readonly string[] {
  if (requested === undefined || requested === null) return caller.workspaceIds;
  const workspaceId = requested.toLowerCase();
  if (!caller.workspaceIds.includes(workspaceId)) throw new NotFoundError('The workspace', field);
  return [workspaceId];
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
