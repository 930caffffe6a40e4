import { quoteLiteral } from '../../../packages/sql/src/sql-literal.js';

/** JOIN of a workspace that is not deleted, with `w.id` and `w.name`. */
export function joinWorkspace(id: string): string {
  return `JOIN workspaces w ON w.id = ${id} AND w.removal_due_at IS NULL`;
}

/** Locks the workspace until the transaction ends. Writers of records in the workspace do not wait for it. */
export function lockWorkspace(id: string): string {
  return `SELECT 1 FROM workspaces WHERE id = ${id} FOR NO KEY UPDATE`;
}

/** SQL condition: the workspace is not deleted. For callers a deleted workspace does not exist. */
export function isNotDeleted(id: string): string {
  return `${id} <> ALL (ARRAY(SELECT deleted.id FROM workspaces deleted WHERE deleted.removal_due_at IS NOT NULL))`;
}

/**
 * SELECT of the `id` of a workspace whose settings of these names are equal to those of `value`, as a JSON object. An
 * absent setting is equal to null.
 */
export function selectWithSettings(id: string, names: readonly string[], value: string): string {
  const members = names.map((name) => `${quoteLiteral(name)}, settings -> ${quoteLiteral(name)}`);
  return `SELECT id FROM workspaces
           WHERE id = ${id} AND jsonb_strip_nulls(jsonb_build_object(${members.join(', ')})) = jsonb_strip_nulls(${value}::jsonb)`;
}
