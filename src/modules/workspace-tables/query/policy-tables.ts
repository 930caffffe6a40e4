import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError, type FieldError } from '../../../../packages/errors/src/domain-error.js';
import { isUuid } from '../../../../packages/sql/src/uuid.js';
import { RowReferencesService } from './row-references.service.js';
import { RowsRepository } from '../../../../packages/tables/src/catalog/rows.repository.js';
import { findConstant } from '../../../../packages/tables/src/reader/filter-expression.js';
import { parseLimit } from '../../../../packages/tables/src/reader/query-compiler.js';
import { AccessPoliciesService } from '../../access-policies/access-policies.service.js';
import type { PolicySubjects } from '../../access-policies/policy-subjects.js';
import { ANY_TABLE, type TableRule, wholeView } from '../../../../packages/tables/src/catalog/view.js';
import type { NoteRule, PolicyRules } from '../../access-policies/policy-rules.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { isColumnKey } from '../../../../packages/tables/src/catalog/column-plan.js';
import { ENTITY_BY_PATH } from '../../../../packages/tables/src/catalog/entity-kind.js';
import { listFilterColumns } from '../../../../packages/tables/src/reader/filter-parser.js';
import { applyRules, describeName, toKey } from '../../../../packages/tables/src/reader/table-rules.js';

interface NamedRule {
  rule: TableRule;
  /** Path of the rule in the policy. */
  field: string;
}

/** Checks the rules for tables of access policies, and shows their tables by name. */
@Injectable()
export class PolicyTables implements OnModuleInit, PolicySubjects {
  constructor(
    private readonly policies: AccessPoliciesService,
    private readonly catalog: CatalogRepository,
    private readonly rows: RowsRepository,
    private readonly references: RowReferencesService,
  ) {}

  onModuleInit(): void {
    this.policies.registerSubjects(this);
  }

  /** Rules that name a table must fit its columns. Tables of other rules may be created later (`findWarnings`). */
  async check(workspaceId: string, { tables = [] }: PolicyRules): Promise<FieldError[]> {
    const errors = findDuplicateRules(tables);
    const known = new Set<string>();
    for (const [position, rule] of tables.entries()) {
      const invalid = findInvalidKeys(rule, `tables[${position}]`);
      errors.push(...invalid);
      if (rule.table === ANY_TABLE) {
        errors.push(...findEmptyFilter(rule, `tables[${position}]`));
        continue;
      }
      const table = await this.catalog.find(wholeView(workspaceId), ENTITY_BY_PATH[rule.entity], rule.table);
      if (!table) continue;
      if (invalid.length === 0) errors.push(...checkRule(table, rule, `tables[${position}]`));
      // By its ID and by its name.
      if (known.has(table.id) && errors.length === 0) errors.push(toDuplicateError(rule, position));
      known.add(table.id);
    }
    return errors;
  }

  async toStored(workspaceId: string, rules: PolicyRules): Promise<PolicyRules> {
    if (!rules.tables) return rules;
    const tables: TableRule[] = [];
    for (const rule of rules.tables) {
      const isAny = rule.table === ANY_TABLE;
      const table = isAny
        ? undefined
        : await this.catalog.find(wholeView(workspaceId), ENTITY_BY_PATH[rule.entity], rule.table);
      tables.push(table ? { ...rule, table: table.id } : rule);
    }
    return { ...rules, tables };
  }

  async toShown(workspaceId: string, policies: readonly PolicyRules[]): Promise<PolicyRules[]> {
    const ids = policies.flatMap(({ tables = [] }) => tables.map(({ table }) => table).filter(isUuid));
    const found = ids.length > 0 ? await this.catalog.listByIds(wholeView(workspaceId), ids) : [];
    const names = new Map(found.map((table) => [table.id, toShownName(table)]));
    const show = (rule: TableRule): TableRule => ({
      ...rule,
      table: names.get(rule.table.toLowerCase()) ?? rule.table,
    });
    return policies.map((rules) => (rules.tables ? { ...rules, tables: rules.tables.map(show) } : rules));
  }

  /**
   * Finds rules that permit nothing now, because what they name does not exist, and rules that restrict nothing now,
   * such as a hidden column of no table (ADR 0200). Such rules are valid: tables and rows may be created after the
   * policy.
   */
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

/** The table of a rule as a policy shows it: its ID if its name means something else. */
function toShownName({ id, name }: CatalogTable): string {
  return name === ANY_TABLE || isUuid(name) ? id : name;
}

function findDuplicateRules(rules: readonly TableRule[]): FieldError[] {
  const known = new Set<string>();
  return rules.flatMap((rule, position) => {
    const name = `${rule.entity} ${toKey(rule)}`;
    const errors = known.has(name) ? [toDuplicateError(rule, position)] : [];
    known.add(name);
    return errors;
  });
}

function toDuplicateError({ entity, table }: TableRule, position: number): FieldError {
  const message = `Another rule names the table "${table}" of ${entity}, too. Use one rule per table.`;
  return { field: `tables[${position}].table`, code: 'duplicate', message };
}

/** A filter without conditions would permit all rows. The filters of rules for named tables are checked with them. */
function findEmptyFilter({ filter }: TableRule, field: string): FieldError[] {
  if (!filter || Object.keys(filter).length > 0) return [];
  const message = 'The filter has no condition, so it does not limit the rows. Add a condition, or omit "filter".';
  return [{ field: `${field}.filter`, code: 'invalid_value', message }];
}

/** A display name can change, and would then leave the column visible, or select other rows. */
function findInvalidKeys(rule: TableRule, field: string): FieldError[] {
  const filtered = listFilterColumns(rule.filter).map((key) => ({ key, field: `${field}.filter` }));
  return [...listKeys(rule, field), ...filtered].flatMap(({ key, field: at }) =>
    isColumnKey(key) ? [] : [{ field: at, code: 'invalid_value', message: describeName(key) }],
  );
}

/** The keys of `hidden` and `readOnly`, each with its path in the policy. */
function listKeys({ columns = {} }: TableRule, field: string): { key: string; field: string }[] {
  return (['hidden', 'readOnly'] as const).flatMap((list) =>
    (columns[list] ?? []).map((key, at) => ({ key, field: `${field}.columns.${list}[${at}]` })),
  );
}

/** Columns that a rule for one table names must exist: a misspelled name would leave the column visible. */
function checkRule(table: CatalogTable, rule: TableRule, field: string): FieldError[] {
  const unknown = listKeys(rule, field).filter(
    ({ key }) => isColumnKey(key) && !table.columns.some((column) => column.key === key),
  );
  const errors = unknown.map(({ key, field: at }) => {
    return { field: at, code: 'unknown_column', message: `The table "${table.name}" has no column "${key}".` };
  });
  try {
    applyRules(table, [rule]);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const {
      field: part = '',
      code,
      message,
    } = error.details?.errors?.[0] ?? { code: error.code, message: error.message };
    errors.push({ field: part === '' ? field : `${field}.${part}`, code, message });
  }
  return errors;
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
  const message = `No table of ${entity} has the name or ID "${table}", so the rule applies to none until one has it.`;
  return { field: `${field}.table`, code: 'unknown_table', message };
}

function toUnknownRow(subject: string, key: string, field: string): FieldError {
  const message = `${subject} with the key "${key}", so the rule permits nothing until one has it.`;
  return { field, code: 'unknown_row', message };
}
