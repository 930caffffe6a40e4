import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError, type FieldError } from '../../../../packages/errors/src/domain-error.js';
import { isUuid } from '../../../../packages/sql/src/uuid.js';
import { AccessPoliciesService } from '../../access-policies/access-policies.service.js';
import type { PolicyChecker, PolicyNames } from '../../access-policies/policy-checker.js';
import { ANY_TABLE, type TableRule } from '../../../../packages/tables/src/catalog/table-rule.js';
import { type PolicyRules } from '../../access-policies/policy-rules.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { isColumnKey } from '../../../../packages/tables/src/catalog/column-plan.js';
import { ENTITY_BY_PATH } from '../../../../packages/tables/src/catalog/entity-kind.js';
import { wholeView } from '../../../../packages/tables/src/catalog/view.js';
import { listFilterColumns } from '../../../../packages/tables/src/reader/filter-parser.js';
import { applyRules, describeName, toKey } from '../../../../packages/tables/src/reader/table-rules.js';

/** Checks the rules for tables of access policies, and shows their tables by name. */
@Injectable()
export class PolicyTables implements OnModuleInit, PolicyChecker, PolicyNames {
  constructor(
    private readonly policies: AccessPoliciesService,
    private readonly catalog: CatalogRepository,
  ) {}

  onModuleInit(): void {
    this.policies.registerChecker(this);
    this.policies.registerNames(this);
  }

  /** Rules that name a table must fit its columns. Tables of other rules may be created later (`PolicyWarnings`). */
  async check(workspaceId: string, { tables = [] }: PolicyRules): Promise<FieldError[]> {
    const errors = findDuplicateRules(tables);
    const known = new Set<string>();
    for (const [position, rule] of tables.entries()) {
      errors.push(...findInvalidKeys(rule, `tables[${position}]`));
      if (rule.table === ANY_TABLE) {
        errors.push(...findEmptyFilter(rule, `tables[${position}]`));
        continue;
      }
      const table = await this.catalog.find(wholeView(workspaceId), ENTITY_BY_PATH[rule.entity], rule.table);
      if (!table) continue;
      errors.push(...checkRule(table, rule, `tables[${position}]`));
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
export function listKeys({ columns = {} }: TableRule, field: string): { key: string; field: string }[] {
  return (['hidden', 'readOnly'] as const).flatMap((list) =>
    (columns[list] ?? []).map((key, at) => ({ key, field: `${field}.columns.${list}[${at}]` })),
  );
}

/** Columns that a rule for one table names must exist: a misspelled name would leave the column visible. */
export function checkRule(table: CatalogTable, rule: TableRule, field: string): FieldError[] {
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
