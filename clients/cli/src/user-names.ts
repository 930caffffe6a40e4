import { type AtriumClient, NotFoundError } from '@atrium/client';

/**
 * Names of members of the workspace by their IDs.
 *
 * @returns no names of former members, and none if the credentials do not permit to read members: the audit log of the
 *   workspace would have an entry for a request that is rejected
 */
export async function readUserNames(
  client: AtriumClient,
  workspaceId: string,
  ids: Iterable<string>,
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const distinct = new Set(ids);
  if (distinct.size === 0 || !(await readScopes(client, workspaceId)).includes('read:users')) return names;
  for (const id of distinct)
    try {
      const params = { path: { id }, query: { workspaceId } };
      const { displayName, email } = await client.get('/v1/api/users/{id}', { params });
      names.set(id, displayName ?? email);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  return names;
}

/** The scopes of the caller in the workspace. */
export async function readScopes(client: AtriumClient, workspaceId: string): Promise<readonly string[]> {
  const params = { path: { workspaceId } };
  return (await client.get('/v2/api/workspaces/{workspaceId}/access', { params })).scopes;
}
