import { Injectable } from '@nestjs/common';
import { currentOrigin } from '../../../platform/http/middleware.js';
import { TablePermissions } from './table-permissions.js';

/** The loads that a caller with an access policy may read. */
export interface OwnLoads {
  userId: string | null;
  policyVersion: string;
}

/**
 * Which records of loads a caller reads. A record may contain any rows and columns of a load, so callers whose policies
 * restrict tables read only those of loads that they have sent under the same policies (ADR 0184).
 */
@Injectable()
export class LoadPermissions {
  constructor(private readonly permissions: TablePermissions) {}

  /** Identifies the policies of the caller, to be stored with a load. Undefined if none restricts the caller. */
  findVersion(workspaceId: string): string | undefined {
    return this.permissions.findVersion(workspaceId);
  }

  /** @returns undefined if no policy restricts the caller. */
  findOwn(workspaceId: string): OwnLoads | undefined {
    const policyVersion = this.permissions.findVersion(workspaceId);
    return policyVersion === undefined ? undefined : { userId: currentOrigin()?.userId ?? null, policyVersion };
  }
}

/**
 * A condition on `created_by` and `policy_version`, and its parameters.
 *
 * @param first the number of its first parameter.
 */
export function selectOwn(own: OwnLoads | undefined, first: number): { sql: string; parameters: unknown[] } {
  if (!own) return { sql: '', parameters: [] };
  const sql = ` AND created_by = $${first}::uuid AND policy_version = $${first + 1}::text`;
  return { sql, parameters: [own.userId, own.policyVersion] };
}
