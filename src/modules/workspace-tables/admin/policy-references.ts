import { Injectable } from '@nestjs/common';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import { AccessPoliciesService } from '../../access-policies/access-policies.service.js';
import type { TableRule } from '../../../../packages/tables/src/catalog/view.js';
import type { PolicyRules } from '../../access-policies/policy-rules.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { ENTITY_BY_PATH, type EntityKind } from '../../../../packages/tables/src/catalog/entity-kind.js';

/** The rules of access policies that name a table, which must protect its rows under any name (ADR 0200). */
@Injectable()
export class PolicyReferences {
  constructor(private readonly policies: AccessPoliciesService) {}

  /** Before the table gets another name: rules that name it get its ID. Policies with its ID are shown differently. */
  bind({ workspaceId, id, entity, nameKey }: CatalogTable): Promise<void> {
    const isNamed = (table: string) => normalizeName(table) === nameKey || table.toLowerCase() === id;
    return this.replace(workspaceId, entity, isNamed, id, 1);
  }

  /** When the table is dropped: rules with its ID get its name, which a later table may have. */
  release({ workspaceId, id, entity, name }: CatalogTable): Promise<void> {
    return this.replace(workspaceId, entity, (table) => table.toLowerCase() === id, name, 0);
  }

  /** Does a rule have the name, although no table had it when the policy was saved? */
  async isNamed(workspaceId: string, entity: EntityKind, name: string): Promise<boolean> {
    const nameKey = normalizeName(name);
    const all = await this.policies.listRules(workspaceId);
    const isNamedBy = (rule: TableRule) => isOf(entity, rule) && normalizeName(rule.table) === nameKey;
    return all.some(({ tables = [] }) => tables.some(isNamedBy));
  }

  /** Two rules of a policy do not get the same table. */
  private replace(
    workspaceId: string,
    entity: EntityKind,
    isNamed: (table: string) => boolean,
    name: string,
    versions: 0 | 1,
  ): Promise<void> {
    const rewrite = (rules: PolicyRules): PolicyRules => {
      const own = rules.tables?.filter((rule) => isOf(entity, rule)) ?? [];
      const first = own.find(({ table }) => isNamed(table));
      if (!first) return rules;
      if (own.some((rule) => rule !== first && rule.table === name)) return { ...rules };
      return { ...rules, tables: rules.tables!.map((rule) => (rule === first ? { ...rule, table: name } : rule)) };
    };
    return this.policies.rewriteRules(workspaceId, rewrite, versions);
  }
}

function isOf(entity: EntityKind, rule: TableRule): boolean {
  return ENTITY_BY_PATH[rule.entity] === entity;
}
