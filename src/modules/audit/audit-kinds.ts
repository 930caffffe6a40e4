/**
 * The kinds of entries. Stored and filtered by name, so existing names do not change. `refused` is a rejection of
 * credentials, the other rejections are those of valid credentials without the scope, the role or a permission of their
 * access policies.
 */
export const AUDIT_KINDS = [
  'signed_in',
  'refreshed',
  'refused',
  'scope_rejected',
  'role_rejected',
  'policy_rejected',
  'reuse_detected',
  'session_revoked',
  'sessions_reset',
  'client_created',
  'client_disabled',
  'secret_rotated',
  'issuer_added',
  'issuer_removed',
  'identity_linked',
  'user_suspended',
  'user_activated',
  'user_deleted',
  'user_erased',
  'member_added',
  'member_changed',
  'member_removed',
  'member_restored',
  'member_admitted',
  'invitation_accepted',
  'invitation_declined',
  'group_changed',
  'workspace_created',
  'workspace_changed',
  'workspace_exported',
  'workspace_imported',
  'workspace_deleted',
  'workspace_restored',
  'workspace_removed',
  'api_key_created',
  'api_key_used',
  'api_key_rotated',
  'api_key_revoked',
  'access_policy_created',
  'access_policy_changed',
  'access_policy_deleted',
  'access_policy_assigned',
  'note_deleted',
  'table_changed',
  'table_dropped',
  'column_dropped',
  'load_stored',
  'load_proposed',
  'load_approved',
  'load_rejected',
  'load_expired',
  'export_completed',
  'export_aborted',
  'webhook_called',
  'rate_limits_reset',
  'signing_keys_rotated',
  'signing_keys_replaced',
  'subscription_created',
  'subscription_changed',
  'subscription_deleted',
  'subscription_disabled',
  'subscription_secret_rotated',
] as const;

export type AuditKind = (typeof AUDIT_KINDS)[number];

/** What became of an action. `aborted`: a part of an export was sent. */
export const AUDIT_RESULTS = ['succeeded', 'rejected', 'aborted'] as const;
export type AuditResult = (typeof AUDIT_RESULTS)[number];

const REJECTED = new Set<AuditKind>([
  'refused',
  'scope_rejected',
  'role_rejected',
  'policy_rejected',
  'reuse_detected',
]);

/**
 * Kinds about the access of a user to all workspaces. An entry without a workspace is one of every workspace of which
 * the user was a member at its time.
 */
const OF_USER = new Set<AuditKind>([
  'signed_in',
  'refused',
  'scope_rejected',
  'reuse_detected',
  'session_revoked',
  'sessions_reset',
  'identity_linked',
  'user_suspended',
  'user_activated',
]);

/**
 * The kind whose entries the service causes if they have a request without an actor: the groups of a token change
 * memberships before the caller is accepted. Entries of other kinds without an actor are caused by their user.
 */
export const KIND_OF_GROUPS: AuditKind = 'member_changed';

/** Kinds that are only in the log of the operator. */
const OF_OPERATOR = new Set<AuditKind>([
  'refreshed',
  'client_created',
  'client_disabled',
  'secret_rotated',
  'issuer_added',
  'issuer_removed',
  'user_deleted',
  'user_erased',
  'workspace_created',
  'workspace_removed',
  'rate_limits_reset',
  'signing_keys_rotated',
  'signing_keys_replaced',
]);

/** The kinds that owners of a workspace read. */
export const WORKSPACE_KINDS = AUDIT_KINDS.filter((kind) => !OF_OPERATOR.has(kind));

export function resultOf(kind: AuditKind): AuditResult {
  if (kind === 'export_aborted') return 'aborted';
  return REJECTED.has(kind) ? 'rejected' : 'succeeded';
}

/** Are entries without a workspace those of all workspaces of the user? */
export function isOfUser(kind: AuditKind): boolean {
  return OF_USER.has(kind);
}
