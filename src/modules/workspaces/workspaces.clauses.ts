import { quoteLiteral } from '../../../packages/sql/src/sql-literal.js';

/** JOIN of a workspace, with `w.id` and `w.name`. */
export function joinWorkspace(id: string): string {
  return `JOIN workspaces w ON w.id = ${id}`;
}

/** SELECT of the `id` of a workspace if its setting has this value, as JSON; null if the setting is absent. */
export function selectWithSetting(id: string, setting: string, value: string): string {
  return `SELECT id FROM workspaces
           WHERE id = ${id} AND nullif(settings -> ${quoteLiteral(setting)}, 'null') IS NOT DISTINCT FROM ${value}::jsonb`;
}
