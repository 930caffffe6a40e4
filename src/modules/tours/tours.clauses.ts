import { joinProject } from '../projects/projects.clauses.js';

/** Neither the tour nor its project is archived. A scalar subquery, so that PostgreSQL evaluates it per row by key. */
export function isInOpenTour(workspaceId: string, tourId: string): string {
  return `(SELECT t.archived_at IS NULL AND p.archived_at IS NULL
             FROM tours t ${joinProject(workspaceId, 't.project_id')}
            WHERE t.workspace_id = ${workspaceId} AND t.id = ${tourId})`;
}
