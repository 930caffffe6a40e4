import type { AtriumClient, components } from '@atrium/client';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** The role and the scopes of the caller in the workspace. */
export type Access = components['schemas']['WorkspaceAccessDto'];

/** Undefined until it is read. */
export const AccessContext = createContext<Access | undefined>(undefined);

export function readAccess(client: AtriumClient, signal: AbortSignal): Promise<Access> {
  return client.json('GET', `${client.workspacePath}/access`, { signal });
}

/** May the caller change rows? An access policy may permit only some of them, which the service decides. */
export function useMayWrite(): boolean {
  const access = useContext(AccessContext);
  return access !== undefined && access.role !== 'reader' && access.scopes.includes('write:workspaces');
}

/** May the caller approve and reject proposals? */
export function useMayDecide(): boolean {
  const mayWrite = useMayWrite();
  return useContext(AccessContext)?.role === 'owner' && mayWrite;
}

/** May the caller read the names of users? The audit log has an entry for a request that is rejected. */
export function useMayReadUsers(): boolean {
  return useContext(AccessContext)?.scopes.includes('read:users') ?? false;
}
