/**
 * Inserts the revision with which the history of a table starts, so that reads as of a time find it, although no rows
 * have changed with it. Parameters: the workspace, the table, the revision.
 */
export const INSERT_FIRST_REVISION = `
  INSERT INTO table_revisions (workspace_id, table_id, revision, at) VALUES ($1, $2, $3, clock_timestamp())
  ON CONFLICT DO NOTHING`;
