import type { WorkspaceContext } from './context.js';
import { isNotFound } from './failure.js';

/**
 * Names of members of the workspace by their IDs.
 *
 * @returns no names of former members, and none if the credentials do not permit to read members: the audit log of the
 *   workspace would have an entry for a request that is rejected
 */
export async function readUserNames(context: WorkspaceContext, ids: Iterable<string>): Promise<Map<string, string>> {
  const { client, workspaceId } = context;
  const names = new Map<string, string>();
  const distinct = new Set(ids);
  if (distinct.size === 0 || !(await readScopes(context)).includes('read:users')) return names;
  for (const id of distinct)
    try {
      const params = { path: { id }, query: { workspaceId } };
      const { displayName, email } = await client.get('/v1/api/users/{id}', { params });
      names.set(id, displayName ?? email);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  return names;
}

/** The scopes of the caller in the workspace. */
export async function readScopes({ client, workspaceId }: WorkspaceContext): Promise<readonly string[]> {
  const params = { path: { workspaceId } };
  return (await client.get('/v2/api/workspaces/{workspaceId}/access', { params })).scopes;
}
