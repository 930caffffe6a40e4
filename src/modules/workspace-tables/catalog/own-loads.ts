import { currentOrigin } from '../../../platform/http/middleware.js';
import { findPolicyVersion, type View } from '../../../../packages/tables/src/catalog/view.js';

/** The loads that a caller with an access policy may read. */
interface OwnLoads {
  userId: string | null;
  policyVersion: string;
}

/**
 * The loads that the caller may read; undefined: all. The record of a load may contain any of its rows and columns, so
 * callers whose policies restrict tables read only those of loads that they have sent under the same policies (ADR
 * 0187).
 */
export function findOwnLoads(view: View): OwnLoads | undefined {
  const policyVersion = findPolicyVersion(view);
  return policyVersion === undefined ? undefined : { userId: currentOrigin()?.userId ?? null, policyVersion };
}

/**
 * A condition on `created_by` and `policy_version`, and its parameters.
 *
 * @param first the number of its first parameter.
 */
export function selectOwnLoads(view: View, first: number): { sql: string; parameters: unknown[] } {
  const own = findOwnLoads(view);
  if (!own) return { sql: '', parameters: [] };
  const sql = ` AND created_by = $${first}::uuid AND policy_version = $${first + 1}::text`;
  return { sql, parameters: [own.userId, own.policyVersion] };
}
