import { findCurrentRequest } from '../http/middleware.js';
import type { AccessPolicy } from './principal.js';

/**
 * The access policies of the caller of the current request in the workspace. Empty for a caller without any, and for
 * work that is not part of a request, such as the jobs of the service.
 */
export function listCallerPolicies(workspaceId: string): readonly AccessPolicy[] {
  const memberships = findCurrentRequest()?.identity?.memberships ?? [];
  return memberships.find((membership) => membership.workspaceId === workspaceId)?.policies ?? [];
}
