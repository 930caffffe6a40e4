import { listCallerPolicies } from '../../../platform/security/caller-policies.js';
import type { PolicyRules } from '../../access-policies/policy-rules.js';
import type { Subtree, TablePolicy, View } from '../../../../packages/tables/src/catalog/view.js';

/**
 * What the caller of the current request sees now. Work that is not a part of a request sees everything, unless
 * `runWithPolicies` runs it.
 *
 * @param anyWorkspaceId in any letter case.
 */
export function callerView(anyWorkspaceId: string): View {
  // The policies of another spelling of the ID would be none.
  const workspaceId = anyWorkspaceId.toLowerCase();
  const policies: TablePolicy[] = [];
  const subtrees: Subtree[] = [];
  for (const { id, version, rules } of listCallerPolicies(workspaceId)) {
    const { tables, notes } = rules as PolicyRules;
    if (tables) policies.push({ id, version, rules: tables });
    if (notes) subtrees.push({ entity: 'location', root: notes.under });
  }
  return subtrees.length > 0 ? { workspaceId, policies, subtrees } : { workspaceId, policies };
}
