/** Which of a workspace's records are counted: all where nothing is said, else a project's, and those at the locations. */
export interface RecordScope {
  workspaceId: string;
  projectId?: string | null;
  locations?: readonly { tableId: string; keys: readonly string[] }[];
}

/** The scope as parts of a WHERE clause. They take the first parameters of the statement. */
export interface ScopeConditions {
  /** For every table with workspace_id and project_id. */
  own: string;
  /** The same for a table that has a location, too. */
  placed: string;
  /** The statement's own parameters come behind these. */
  parameters: unknown[];
}

export function conditionsOf({ workspaceId, projectId, locations }: RecordScope): ScopeConditions {
  const parameters: unknown[] = [workspaceId];
  let own = 'workspace_id = $1';
  if (projectId) own += ` AND project_id = $${parameters.push(projectId)}`;
  if (!locations) return { own, placed: own, parameters };
  const pairs = locations.flatMap(({ tableId, keys }) => keys.map((key) => ({ tableId, key })));
  const tables = parameters.push(pairs.map(({ tableId }) => tableId));
  const keys = parameters.push(pairs.map(({ key }) => key));
  const at = `(location_table_id, location_key) IN (SELECT * FROM unnest($${tables}::uuid[], $${keys}::text[]))`;
  return { own, placed: `${own} AND ${at}`, parameters };
}
