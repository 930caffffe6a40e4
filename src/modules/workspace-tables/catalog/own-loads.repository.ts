import { currentOrigin } from '../../../platform/http/middleware.js';
import type { Sql } from '../../../../packages/sql/src/sql.js';
import { callerView } from './caller-view.js';
import { findPolicyVersion, type View } from '../../../../packages/tables/src/catalog/view.js';

/**
 * The loads that the caller may read, as a condition on `created_by` and `policy_version`, and its parameters. The
 * record of a load may contain any of its rows and columns, so callers whose policies restrict tables read only those
 * of loads that they have sent under the same policies (ADR 0187).
 *
 * @param first the number of its first parameter.
 */
export function selectOwnLoads(view: View, first: number): { sql: string; parameters: unknown[] } {
  const policyVersion = findPolicyVersion(view);
  if (policyVersion === undefined) return { sql: '', parameters: [] };
  const sql = ` AND created_by = $${first}::uuid AND policy_version = $${first + 1}::text`;
  return { sql, parameters: [currentOrigin()?.userId ?? null, policyVersion] };
}

/** A load that a caller names. */
export interface LoadRef {
  view: View;
  id: string;
}

/** The records of loads. */
type LoadTable = 'table_imports' | 'table_proposals';

/** The IDs of those loads that the caller may read. */
export async function findOwnLoads(
  sql: Sql,
  table: LoadTable,
  view: View,
  ids: readonly string[],
): Promise<Set<string>> {
  const own = selectOwnLoads(view, 3);
  const found = await sql.query<{ id: string }>(
    `SELECT id FROM ${table} WHERE workspace_id = $1 AND id = ANY ($2::uuid[])${own.sql}`,
    [view.workspaceId, ids, ...own.parameters],
  );
  return new Set(found.map(({ id }) => id));
}

/** Those events of the workspace whose load the caller may read. @param ids of the load of each event. */
export async function selectOwnEvents(
  sql: Sql,
  table: LoadTable,
  workspaceId: string,
  events: readonly object[],
  ids: readonly string[],
): Promise<(object | undefined)[]> {
  const own = await findOwnLoads(sql, table, callerView(workspaceId), ids);
  return events.map((event, position) => (own.has(ids[position]!) ? event : undefined));
}
