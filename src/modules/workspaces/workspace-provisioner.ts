/** Makes what a new workspace needs elsewhere, in the transaction that makes the workspace. Higher modules register one. */
export abstract class WorkspaceProvisioner {
  abstract provision(workspaceId: string): Promise<void>;
}
