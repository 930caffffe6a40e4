import { currentOrigin } from '../../../platform/http/middleware.js';
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
