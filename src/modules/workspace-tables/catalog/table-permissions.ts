import { Injectable } from '@nestjs/common';
import { listCallerPolicies } from '../../../platform/security/caller-policies.js';
import type { AccessPolicy } from '../../../platform/security/principal.js';
import type { PolicyRules, TableRule } from '../../access-policies/policy-rules.js';
import { ReadOnlyError } from '../policy.errors.js';
import type { CatalogTable } from './catalog.repository.js';

/** Compiles the rules of policies for a table. The folder `query` implements it. */
export abstract class TableRules {
  /**
   * @param policies the rules of each policy.
   * @returns undefined if one of the policies does not permit the table.
   */
  abstract permit(table: CatalogTable, policies: readonly (readonly TableRule[])[]): CatalogTable | undefined;

  /** Does a rule of each policy name the table, whatever its columns are? */
  abstract names(table: NamedTable, policies: readonly (readonly TableRule[])[]): boolean;
}

/** What rules name of a table. */
export type NamedTable = Pick<CatalogTable, 'workspaceId' | 'entity' | 'id' | 'nameKey'>;

/**
 * What the access policies of the caller permit in tables (ADR 0161). The caller is that of the current request; other
 * work, such as the jobs of the service, is not restricted.
 */
@Injectable()
export class TablePermissions {
  private rules: TableRules | undefined;

  register(rules: TableRules): void {
    this.rules = rules;
  }

  /** Do policies restrict the tables of the workspace for the caller? */
  isRestricted(workspaceId: string): boolean {
    return listPolicies(workspaceId).length > 0;
  }

  /** Identifies the policies of the caller as they are, for caches and versions. Undefined if there are none. */
  findVersion(workspaceId: string): string | undefined {
    const policies = listPolicies(workspaceId);
    return policies.length === 0 ? undefined : policies.map(({ id, version }) => `${id}.${version}`).join('+');
  }

  /**
   * The table as the caller may read it: with the permitted columns, the permitted rows as its `rows`, and
   * `permission`. The same table if no policy restricts the caller.
   *
   * @param table with all columns.
   * @returns undefined if the table does not exist for the caller.
   */
  find(table: CatalogTable): CatalogTable | undefined {
    const policies = listPolicies(table.workspaceId);
    if (policies.length === 0) return table;
    requireWhole(table);
    const rules = policies.map((policy) => (policy.rules as PolicyRules).tables!);
    return this.rules!.permit(table, rules);
  }

  /** Do the policies of the caller name the table, which may have been dropped? */
  isNamed(table: NamedTable): boolean {
    const policies = listPolicies(table.workspaceId);
    if (policies.length === 0) return true;
    return this.rules!.names(
      table,
      policies.map((policy) => (policy.rules as PolicyRules).tables!),
    );
  }

  /** The tables as the caller may read them, without those that do not exist for the caller. */
  restrict(tables: readonly CatalogTable[]): CatalogTable[] {
    return tables.flatMap((table) => this.find(table) ?? []);
  }

  /**
   * As `find`, for a write of rows. Undefined if no policy restricts the caller.
   *
   * @param toMissing the error if the table does not exist for the caller.
   * @throws {ReadOnlyError} if the caller may not change rows of the table.
   */
  permitWrite(table: CatalogTable, toMissing: () => Error): CatalogTable | undefined {
    if (!this.isRestricted(table.workspaceId)) return undefined;
    const permitted = this.find(table);
    if (!permitted) throw toMissing();
    if (!permitted.permission!.canWrite) throw new ReadOnlyError(table);
    return permitted;
  }
}

/** Rules may need columns that they hide, so a table is restricted once. */
function requireWhole({ id, permission }: CatalogTable): void {
  if (permission) throw new Error(`The table ${id} is already restricted.`);
}

/** The policies of the caller that restrict tables. */
function listPolicies(workspaceId: string): readonly AccessPolicy[] {
  return listCallerPolicies(workspaceId).filter(({ rules }) => (rules as PolicyRules).tables !== undefined);
}
