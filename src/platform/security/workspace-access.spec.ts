import type { AccessPolicy } from './principal.js';
import type { Scope } from './scopes.js';
import { toPrincipal } from './workspace-access.js';

describe('the scopes of a caller', () => {
  const workspaceId = '01a21b65-b5e6-70f5-91d1-a2b492180491';
  const needs = { scopes: [], role: undefined, obeysPolicies: () => true };

  function scopesWith(policies: readonly AccessPolicy[] | undefined): readonly Scope[] {
    const memberships = [{ workspaceId, role: 'editor' as const, policies }];
    return toPrincipal({ userId: 'user', scopes: ['write:projects'], memberships }, needs).scopes;
  }

  it('are those of the credentials without a policy, and with one that does not limit them', () => {
    expect(scopesWith(undefined)).toEqual(['write:projects']);
    expect(scopesWith([{ id: 'policy', version: 1, rules: {} }])).toEqual(['write:projects']);
  });

  it('are those that all policies leave', () => {
    const limits: readonly Scope[] = ['read:projects', 'read:tours'];
    expect(scopesWith([{ id: 'policy', version: 1, scopes: limits, rules: {} }])).toEqual(['read:projects']);
  });

  it('must contain one of those of a route that credentials and policy grant together', () => {
    const policies: AccessPolicy[] = [{ id: 'policy', version: 1, scopes: ['read:workspaces'], rules: {} }];
    const identity = { userId: 'user', memberships: [{ workspaceId, role: 'editor' as const, policies }] };
    const route = {
      scopes: ['read:projects', 'read:workspaces'] as const,
      role: 'reader' as const,
      obeysPolicies: () => true,
    };
    const workspacesWith = (scope: Scope) => toPrincipal({ ...identity, scopes: [scope] }, route).workspaceIds;
    expect(workspacesWith('read:projects')).toEqual([]);
    expect(workspacesWith('write:workspaces')).toEqual([workspaceId]);
  });
});
