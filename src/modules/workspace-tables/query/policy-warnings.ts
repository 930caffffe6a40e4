import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isUuid } from '../../../../packages/sql/src/uuid.js';
import type { FieldError } from '../../../../packages/errors/src/domain-error.js';
import { RowReferences } from '../../../records/row-references.js';
import { AccessPoliciesService } from '../../access-policies/access-policies.service.js';
import type { PolicyAdvisor } from '../../access-policies/policy-checker.js';
import { ANY_TABLE, type TableRule } from '../../../../packages/tables/src/catalog/table-rule.js';
import { type NoteRule, type PolicyRules } from '../../access-policies/policy-rules.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { ENTITY_BY_PATH } from '../../../../packages/tables/src/catalog/entity-kind.js';
import { RowsRepository } from '../../../../packages/tables/src/catalog/rows.repository.js';
import { wholeView } from '../../../../packages/tables/src/catalog/view.js';
import { findConstant } from '../../../../packages/tables/src/reader/filter-expression.js';
import { listFilterColumns } from '../../../../packages/tables/src/reader/filter-parser.js';
import { checkRule, listKeys } from './policy-tables.js';
import { parseLimit } from '../../../../packages/tables/src/reader/query-compiler.js';

interface NamedRule {
  rule: TableRule;
  /** Path of the rule in the policy. */
  field: string;
}

/**
 * Finds rules that permit nothing now, because what they name does not exist, and rules that restrict nothing now, such
 * as a hidden column of no table (ADR 0200). Such rules are valid: tables and rows may be created after the policy.
 */
@Injectable()
export class PolicyWarnings implements OnModuleInit, PolicyAdvisor {
  constructor(
    private readonly policies: AccessPoliciesService,
    private readonly catalog: CatalogRepository,
    private readonly rows: RowsRepository,
    private readonly references: RowReferences,
  ) {}

  onModuleInit(): void {
    this.policies.registerAdvisor(this);
  }

  findWarnings(workspaceId: string, { tables = [], notes }: PolicyRules): Promise<FieldError[]> {
    const rules = tables.map((rule, position) => ({ rule, field: `tables[${position}]` }));
    const named = rules.filter(({ rule }) => rule.table !== ANY_TABLE);
    const others = rules.filter(({ rule }) => rule.table === ANY_TABLE);
    return this.catalog.readWithRetry(async () => [
      ...(await this.findOfTables(workspaceId, named)),
      ...(await this.findOfAnyTable(workspaceId, others)),
      ...(notes ? await this.findOfNotes(workspaceId, notes) : []),
    ]);
  }

  private async findOfTables(workspaceId: string, rules: readonly NamedRule[]): Promise<FieldError[]> {
    if (rules.length === 0) return [];
    const identities = rules.map(({ rule: { entity, table } }) => {
      return { entity: ENTITY_BY_PATH[entity], name: table, id: isUuid(table) ? table : undefined };
    });
    const tables = await this.catalog.findAll(wholeView(workspaceId), identities);
    const warnings: FieldError[] = [];
    for (const [at, named] of rules.entries()) warnings.push(...(await this.findOfRule(tables[at], named)));
    return warnings;
  }

  private async findOfRule(table: CatalogTable | undefined, { rule, field }: NamedRule): Promise<FieldError[]> {
    if (!table) return [toUnknownTable(rule, field)];
    const errors = checkRule(table, rule, field);
    if (errors.length > 0) return errors;
    const warnings = findConstants(table, { rule, field });
    if (rule.under === undefined) return warnings;
    const { under } = parseLimit(table, { under: rule.under });
    const found = await this.rows.findExisting(table, [under!]);
    if (found.size > 0) return warnings;
    return [...warnings, toUnknownRow(`The table "${table.name}" has no row`, rule.under, `${field}.under`)];
  }

  /** A column that no table of the entity has is probably misspelled: a hidden column would then stay visible. */
  private async findOfAnyTable(workspaceId: string, rules: readonly NamedRule[]): Promise<FieldError[]> {
    const warnings: FieldError[] = [];
    for (const { rule, field } of rules) {
      const filtered = listFilterColumns(rule.filter).map((key) => ({ key, field: `${field}.filter` }));
      const keys = [...listKeys(rule, field), ...filtered];
      const tables =
        keys.length > 0 ? await this.catalog.list(wholeView(workspaceId), ENTITY_BY_PATH[rule.entity]) : [];
      const known = new Set(tables.flatMap(({ columns }) => columns.map(({ key }) => key)));
      warnings.push(...keys.filter(({ key }) => !known.has(key)).map((each) => toUnknownColumn(rule, each)));
      const fitting = tables.find((table) => checkRule(table, { ...rule, columns: {} }, field).length === 0);
      if (fitting) warnings.push(...findConstants(fitting, { rule, field }));
    }
    return warnings;
  }

  private async findOfNotes(workspaceId: string, { under }: NoteRule): Promise<FieldError[]> {
    const found = await this.references.lockByKey(workspaceId, 'location', under);
    return found.length > 0 ? [] : [toUnknownRow('No Locations table has a row', under, 'notes.under')];
  }
}

/** Conditions that are true, or false, for all rows. @param table to whose columns the rule fits. */
function findConstants(table: CatalogTable, { rule: { filter }, field }: NamedRule): FieldError[] {
  if (!filter) return [];
  const values = new Set(parseLimit(table, { filter }).filters.map(findConstant));
  const warn = (message: string) => ({ field: `${field}.filter`, code: 'invalid_value', message });
  if (values.has(false)) return [warn('A condition of the filter is false for all rows, so the rule permits no row.')];
  if (!values.has(true)) return [];
  return [
    warn('A condition of the filter is true for all rows, such as "notIn" without values, so it limits nothing.'),
  ];
}

function toUnknownColumn({ entity }: TableRule, { key, field }: { key: string; field: string }): FieldError {
  const message = `No table of ${entity} has the column "${key}". Check the spelling.`;
  return { field, code: 'unknown_column', message };
}

function toUnknownTable({ entity, table }: TableRule, field: string): FieldError {
  const message = `No table of ${entity} has the name or ID "${table}", so the rule permits nothing until one has it.`;
  return { field: `${field}.table`, code: 'unknown_table', message };
}

function toUnknownRow(subject: string, key: string, field: string): FieldError {
  const message = `${subject} with the key "${key}", so the rule permits nothing until one has it.`;
  return { field, code: 'unknown_row', message };
}
