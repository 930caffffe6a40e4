import { listCallerPolicies } from '../../../platform/security/caller-policies.js';
import type { PolicyRules } from '../../access-policies/policy-rules.js';
import type { TablePolicy, View } from '../../../../packages/tables/src/catalog/view.js';

/**
 * What the caller of the current request sees now. Work that is not a part of a request sees everything, unless
 * `runWithPolicies` runs it.
 *
 * @param anyWorkspaceId in any letter case.
 */
export function callerView(anyWorkspaceId: string): View {
  // The policies of another spelling of the ID would be none.
  const workspaceId = anyWorkspaceId.toLowerCase();
  const policies = listCallerPolicies(workspaceId).flatMap(({ id, version, rules }): TablePolicy[] => {
    const { tables } = rules as PolicyRules;
    return tables ? [{ id, version, rules: tables }] : [];
  });
  return { workspaceId, policies };
}
