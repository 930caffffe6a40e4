import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isUuid } from '../../../platform/database/uuid.js';
import type { FieldError } from '../../../platform/http/domain-error.js';
import { RowReferences } from '../../../records/row-references.js';
import { AccessPoliciesService } from '../../access-policies/access-policies.service.js';
import type { PolicyAdvisor } from '../../access-policies/policy-checker.js';
import { ANY_TABLE, type NoteRule, type PolicyRules, type TableRule } from '../../access-policies/policy-rules.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { CatalogWrites } from '../catalog/catalog-writes.repository.js';
import { ENTITY_BY_PATH } from '../catalog/entity-kind.js';
import { RowsRepository } from '../catalog/rows.repository.js';
import { checkRule } from './policy-tables.js';
import { parseLimit } from './query-compiler.js';

interface NamedRule {
  rule: TableRule;
  /** Path of the rule in the policy. */
  field: string;
}

/**
 * Finds rules that permit nothing now, because what they name does not exist (ADR 0162). Such rules are valid: tables
 * and rows may be created after the policy.
 */
@Injectable()
export class PolicyWarnings implements OnModuleInit, PolicyAdvisor {
  constructor(
    private readonly policies: AccessPoliciesService,
    private readonly catalog: CatalogWrites,
    private readonly rows: RowsRepository,
    private readonly references: RowReferences,
  ) {}

  onModuleInit(): void {
    this.policies.registerAdvisor(this);
  }

  findWarnings(workspaceId: string, { tables = [], notes }: PolicyRules): Promise<FieldError[]> {
    const rules = tables
      .map((rule, position) => ({ rule, field: `tables[${position}]` }))
      .filter(({ rule }) => rule.table !== ANY_TABLE);
    return this.catalog.readWithRetry(async () => [
      ...(await this.findOfTables(workspaceId, rules)),
      ...(notes ? await this.findOfNotes(workspaceId, notes) : []),
    ]);
  }

  private async findOfTables(workspaceId: string, rules: readonly NamedRule[]): Promise<FieldError[]> {
    if (rules.length === 0) return [];
    const identities = rules.map(({ rule: { entity, table } }) => {
      return { entity: ENTITY_BY_PATH[entity], name: table, id: isUuid(table) ? table : undefined };
    });
    const tables = await this.catalog.findAll(workspaceId, identities);
    const warnings: FieldError[] = [];
    for (const [at, named] of rules.entries()) warnings.push(...(await this.findOfRule(tables[at], named)));
    return warnings;
  }

  private async findOfRule(table: CatalogTable | undefined, { rule, field }: NamedRule): Promise<FieldError[]> {
    if (!table) return [toUnknownTable(rule, field)];
    const errors = checkRule(table, rule, field);
    if (errors.length > 0 || rule.under === undefined) return errors;
    const { under } = parseLimit(table, { under: rule.under });
    const found = await this.rows.findExisting(table, [under!]);
    return found.size > 0 ? [] : [toUnknownRow(`The table "${table.name}" has no row`, rule.under, `${field}.under`)];
  }

  private async findOfNotes(workspaceId: string, { under }: NoteRule): Promise<FieldError[]> {
    const found = await this.references.lockByKey(workspaceId, 'location', under);
    return found.length > 0 ? [] : [toUnknownRow('No Locations table has a row', under, 'notes.under')];
  }
}

function toUnknownTable({ entity, table }: TableRule, field: string): FieldError {
  const message = `No table of ${entity} has the name or ID "${table}", so the rule permits nothing until one has it.`;
  return { field: `${field}.table`, code: 'unknown_table', message };
}

function toUnknownRow(subject: string, key: string, field: string): FieldError {
  const message = `${subject} with the key "${key}", so the rule permits nothing until one has it.`;
  return { field, code: 'unknown_row', message };
}
