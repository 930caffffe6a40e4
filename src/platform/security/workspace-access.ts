import { InvalidRequestError, NotFoundError } from '../http/domain-error.js';
import type { Principal } from './principal.js';

/**
 * The caller's workspaces, or the one asked for.
 *
 * @param field that asks for it, where it is no parameter of the path. @throws {NotFoundError} where it is not the caller's.
 */
export function reachableWorkspaces(caller: Principal, asked?: string | null, field?: string): readonly string[] {
  if (asked === undefined || asked === null) return caller.workspaceIds;
  const workspaceId = asked.toLowerCase();
  // A foreign workspace answers exactly as one that does not exist.
  if (!caller.workspaceIds.includes(workspaceId)) throw new NotFoundError('The workspace', field);
  return [workspaceId];
}

/** The workspace a new record goes to: the one asked for, else the caller's only one. */
export function chosenWorkspace(caller: Principal, asked?: string | null): string {
  const [first, ...others] = reachableWorkspaces(caller, asked, 'workspaceId');
  if (first !== undefined && others.length === 0) return first;
  throw new InvalidRequestError([
    {
      field: 'workspaceId',
      code: 'required',
      message: 'workspaceId is needed: the caller is not a member of exactly one workspace.',
    },
  ]);
}
