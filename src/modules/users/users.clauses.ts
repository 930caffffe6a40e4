import type { WorkspaceRole } from '../../platform/security/principal.js';
import type { Role } from '../../platform/security/roles.js';
import { isNotDeleted } from '../workspaces/workspaces.clauses.js';

/** The memberships `m` that give access to their workspace. */
export const IS_ACTIVE_MEMBERSHIP = `m.archived_at IS NULL AND m.accepted_at IS NOT NULL AND m.status = 'active' AND ${isNotDeleted('m.workspace_id')}`;

/** The active memberships `m` of owners. */
export const IS_ACTIVE_OWNER = `${IS_ACTIVE_MEMBERSHIP} AND m.role = 'owner'`;

/** The user `u` may sign in. */
export const IS_ACTIVE_USER = `u.status = 'active'`;

/** JOIN of a user. */
export function joinUser(id: string): string {
  return `JOIN users u ON u.id = ${id}`;
}

/** SQL condition: the user is or was a member of the workspace, or is invited to it. */
export function isKnownTo(workspaceId: string, userId: string): string {
  return `${userId} IN (SELECT known.user_id FROM workspace_members known WHERE known.workspace_id = ${workspaceId})`;
}

/** LEFT JOIN of a user. */
export function joinUserIfAny(id: string): string {
  return `LEFT ${joinUser(id)}`;
}

/** SQL: is the user a member of any workspace, or invited to one? */
export function isMemberOrInvited(userId: string): string {
  return `EXISTS (SELECT 1 FROM workspace_members m WHERE m.user_id = ${userId} AND m.archived_at IS NULL AND m.status = 'active' AND ${isNotDeleted('m.workspace_id')})`;
}

/** JOIN of a user who may sign in, with the columns of `joinUser`. */
export function joinActiveUser(id: string): string {
  return `${joinUser(id)} AND ${IS_ACTIVE_USER}`;
}

/** JOIN of a membership that gives access to the workspace. */
export function joinActiveMembership(workspaceId: string, userId: string): string {
  return `JOIN workspace_members m ON m.workspace_id = ${workspaceId} AND m.user_id = ${userId} AND ${IS_ACTIVE_MEMBERSHIP}`;
}

/** JOIN of a membership that was accepted and has not ended, whether or not it is suspended. */
export function joinAcceptedMembership(workspaceId: string, userId: string): string {
  return `JOIN workspace_members m ON m.workspace_id = ${workspaceId} AND m.user_id = ${userId} AND m.archived_at IS NULL AND m.accepted_at IS NOT NULL`;
}

/** The ID of the access policy that an OAuth client of the member `m` has in the workspace, as a text, or null. */
export function toClientPolicy(clientId: string): string {
  return `(m.client_policies ->> ${clientId})`;
}

/**
 * SELECT of the workspaces to which a user has access, each with the role of the membership, `ID:role`, and the IDs of
 * the access policies of the membership and of the OAuth client, `ID:role:ID:ID`, as far as it has them.
 *
 * @param workspaceId of all of them or of this one, which is read by primary key.
 */
export function selectWorkspaceRoles(userId: string, clientId: string, workspaceId?: string): string {
  const condition = workspaceId === undefined ? '' : `AND m.workspace_id = ${workspaceId}`;
  const policies = `coalesce(':' || m.policy_id::text, '') || coalesce(':' || ${toClientPolicy(clientId)}, '')`;
  return `SELECT m.workspace_id::text || ':' || m.role || ${policies} FROM workspace_members m WHERE m.user_id = ${userId} AND ${IS_ACTIVE_MEMBERSHIP} ${condition}`;
}

/** @param text the rows of `selectWorkspaceRoles`, separated by commas. */
export function parseWorkspaceRoles(text: string): WorkspaceRole[] {
  if (text === '') return [];
  return text.split(',').map((each) => {
    const [workspaceId, role, ...policyIds] = each.split(':') as [string, Role, ...string[]];
    return policyIds.length === 0 ? { workspaceId, role } : { workspaceId, role, policyIds };
  });
}

/** UPDATE that records a sign-in. A sign-in is not a change of the user, so the version remains. */
export function recordLogin(userId: string): string {
  return `UPDATE users SET last_login_at = now() WHERE id = ${userId}`;
}
