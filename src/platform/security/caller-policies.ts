import { AsyncLocalStorage } from 'node:async_hooks';
import { findCurrentRequest, runOutsideRequest } from '../http/middleware.js';
import type { AccessPolicy } from './principal.js';
import { grantsAny, type Scope } from './scopes.js';

const restrictedWork = new AsyncLocalStorage<{ workspaceId: string; policies: readonly AccessPolicy[] }>();

/**
 * The access policies of the caller of the current request in the workspace. Empty for a caller without any, and for
 * work that is not part of a request, such as the jobs of the service, unless `runWithPolicies` runs it.
 */
export function listCallerPolicies(workspaceId: string): readonly AccessPolicy[] {
  const restriction = restrictedWork.getStore();
  if (restriction?.workspaceId === workspaceId) return restriction.policies;
  const memberships = findCurrentRequest()?.identity?.memberships ?? [];
  return memberships.find((membership) => membership.workspaceId === workspaceId)?.policies ?? [];
}

/** Do the credentials and the policies of the caller grant the scope in the workspace? Work of the service may all. */
export function callerMay(workspaceId: string, scope: Scope): boolean {
  const granted = [
    findCurrentRequest()?.identity?.scopes,
    ...listCallerPolicies(workspaceId).map((each) => each.scopes),
  ];
  return granted.every((scopes) => scopes === undefined || grantsAny(scopes, scope));
}

/**
 * Checks the caller of the current request again, after the request has waited: its credentials may have ended, and its
 * role or policies may have changed. Outside of a request, nothing is checked.
 *
 * @throws {DomainError} as the access guard: 401, 403 or 404.
 */
export async function renewCaller(): Promise<void> {
  await findCurrentRequest()?.renewCaller?.();
}

/** Runs work of the service, which is part of no request, as access policies permit it in a workspace. */
export function runWithPolicies<T>(workspaceId: string, policies: readonly AccessPolicy[], work: () => T): T {
  return runOutsideRequest(() => restrictedWork.run({ workspaceId, policies }, work));
}
