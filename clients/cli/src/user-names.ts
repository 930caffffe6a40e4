import { type AtriumClient, AtriumError, NotFoundError } from '@atrium/client';

/**
 * Names of members of the workspace by their IDs.
 *
 * @returns no names of former members, and none if the credentials do not permit to read members
 */
export async function readUserNames(
  client: AtriumClient,
  workspaceId: string,
  ids: Iterable<string>,
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const id of new Set(ids))
    try {
      const params = { path: { id }, query: { workspaceId } };
      const { displayName, email } = await client.get('/v1/api/users/{id}', { params });
      names.set(id, displayName ?? email);
    } catch (error) {
      if (!(error instanceof AtriumError)) throw error;
      // The other requests would be rejected, too.
      if (!(error instanceof NotFoundError)) return names;
    }
  return names;
}
