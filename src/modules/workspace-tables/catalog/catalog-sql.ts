/** The entry `t` of a table. */
export const SELECTED_ENTRY = `
  t.workspace_id AS "workspaceId", t.id, t.entity, t.name, t.name_key AS "nameKey", t.revision::float8 AS revision,
  t.dropped_ordinal AS "droppedOrdinal", t.definition_id AS "definitionId",
  t.tombstones_since IS NOT NULL AS "hasTombstones", t.changes_since::float8 AS "changesSince"`;

/**
 * The entries of a workspace, `$1`, without their definitions; and with them. All conditions on the workspace contain
 * its ID: a cluster would send a subselect that only refers to `t` to all nodes.
 */
export const SELECT_ENTRY = `SELECT ${SELECTED_ENTRY} FROM workspace_tables t WHERE t.workspace_id = $1`;

export const SELECT_TABLE = `
  SELECT ${SELECTED_ENTRY},
         (SELECT coalesce(json_agg(json_build_object('key', c.key, 'ordinal', c.ordinal, 'name', c.name, 'type', c.type,
                   'primaryKey', c.primary_key, 'required', c.required, 'description', c.description, 'options', c.options,
                   'addedRevision', c.added_revision)
                 ORDER BY c.ordinal), '[]')
            FROM workspace_columns c WHERE c.workspace_id = $1 AND c.table_id = t.id) AS columns,
         (SELECT coalesce(json_agg(i.ordinals ORDER BY i.ordinals), '[]') FROM column_indexes i
           WHERE i.workspace_id = $1 AND i.table_id = t.id
             AND cardinality(i.ordinals) > 1 AND i.state = 'ready') AS indexes
    FROM workspace_tables t
   WHERE t.workspace_id = $1`;
