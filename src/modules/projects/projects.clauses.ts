/** JOIN of a project, with `p.archived_at`. */
export function joinProject(workspaceId: string, id: string): string {
  return `JOIN projects p ON p.workspace_id = ${workspaceId} AND p.id = ${id}`;
}
