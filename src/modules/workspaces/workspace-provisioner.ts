/**
 * Creates what a new workspace needs, in the transaction that creates the workspace. Higher modules register an
 * implementation.
 */
export abstract class WorkspaceProvisioner {
  abstract provision(workspaceId: string): Promise<void>;
}
