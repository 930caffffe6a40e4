import { Injectable, type OnModuleInit } from '@nestjs/common';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import { ColumnFinder } from '../../../../packages/tabular/src/column-finder.js';
import { DomainError, type FieldError } from '../../../../packages/errors/src/domain-error.js';
import { isUuid } from '../../../../packages/sql/src/uuid.js';
import { AccessPoliciesService } from '../../access-policies/access-policies.service.js';
import type { PolicyChecker, PolicyNames } from '../../access-policies/policy-checker.js';
import { ANY_TABLE, type TableRule } from '../../../../packages/tables/src/catalog/table-rule.js';
import { type PolicyRules } from '../../access-policies/policy-rules.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable, PermittedRows } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { getParentColumn } from '../../../../packages/tables/src/catalog/column-finder.js';
import { type CatalogColumn, isColumnKey } from '../../../../packages/tables/src/catalog/column-plan.js';
import { ENTITY_BY_PATH } from '../../../../packages/tables/src/catalog/entity-kind.js';
import {
  findFormerRows,
  physicalTableName,
  withSelectedRows,
} from '../../../../packages/tables/src/catalog/physical-table.js';
import {
  limitVersions,
  selectVersions,
  type VersionLimit,
} from '../../../../packages/tables/src/catalog/row-versions-sql.js';
import type { TableOptions } from '../../../../packages/tables/src/catalog/table-options.js';
import {
  type NamedTable,
  TablePermissions,
  type TableRules,
} from '../../../../packages/tables/src/catalog/table-permissions.js';
import { wholeView } from '../../../../packages/tables/src/catalog/view.js';
import { InvalidQueryError } from '../../../../packages/tables/src/catalog/query.errors.js';
import { Literals } from './bindings.js';
import { listFilterColumns } from './filter-parser.js';
import { compileConditions, parseLimit } from './query-compiler.js';

/**
 * What the rules of access policies mean for tables (ADR 0161). The permitted rows are a selection of the query
 * compiler, as those of a page.
 */
@Injectable()
export class PolicyTables implements OnModuleInit, TableRules, PolicyChecker, PolicyNames {
  constructor(
    private readonly permissions: TablePermissions,
    private readonly policies: AccessPoliciesService,
    private readonly catalog: CatalogRepository,
  ) {}

  onModuleInit(): void {
    this.permissions.register(this);
    this.policies.registerChecker(this);
    this.policies.registerNames(this);
  }

  /** A rule that does not fit the columns of the table, for example since one was dropped, permits nothing. */
  permit(table: CatalogTable, policies: readonly (readonly TableRule[])[]): CatalogTable | undefined {
    const rules = policies.flatMap((policy) => findRule(table, policy) ?? []);
    if (rules.length < policies.length) return undefined;
    try {
      return applyRules(table, rules);
    } catch (error) {
      if (error instanceof DomainError) return undefined;
      throw error;
    }
  }

  names(table: NamedTable, policies: readonly (readonly TableRule[])[]): boolean {
    return policies.every((policy) => findRule(table, policy) !== undefined);
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

/** The rule that names the table, by its ID or else by its name, else the rule for any table of its entity. */
function findRule({ entity, id, nameKey }: NamedTable, rules: readonly TableRule[]): TableRule | undefined {
  const own = rules.filter((rule) => ENTITY_BY_PATH[rule.entity] === entity);
  const byId = own.find((rule) => rule.table.toLowerCase() === id);
  return byId ?? own.find((rule) => toKey(rule) === nameKey) ?? own.find((rule) => rule.table === ANY_TABLE);
}

function toKey({ table }: TableRule): string {
  return normalizeName(table);
}

/**
 * The part of the table that all rules permit. Each rule sees the whole table: its filter may name a column, and its
 * hierarchy may contain rows, that another rule hides.
 *
 * @throws {InvalidQueryError} if a rule does not fit the columns of the table.
 */
function applyRules(table: CatalogTable, rules: readonly TableRule[]): CatalogTable {
  for (const rule of rules) requireKeys(table, rule);
  const collectKeys = (list: 'hidden' | 'readOnly') => new Set(rules.flatMap(({ columns }) => columns?.[list] ?? []));
  const hiddenKeys = collectKeys('hidden');
  const hidden = table.columns.filter(({ key }) => hiddenKeys.has(key));
  for (const { primaryKey, key } of hidden) if (primaryKey) throw hiddenKeyError(key);
  const visible = table.columns.filter((column) => !hidden.includes(column));
  const ordinals = new Set(hidden.map(({ ordinal }) => ordinal));
  const limiting = rules.filter(({ filter, under }) => filter !== undefined || under !== undefined);
  return {
    ...(limiting.length > 0 ? withSelectedRows(table, compileRows(table, limiting)) : table),
    columns: visible,
    options: restrictOptions(table.options, visible),
    indexes: table.indexes.filter((index) => !index.some((ordinal) => ordinals.has(ordinal))),
    permission: {
      canWrite: rules.every(({ write = false }) => write),
      readOnly: collectKeys('readOnly'),
      rows: limiting.length > 0 ? toPermittedRows(table, limiting) : undefined,
    },
  };
}

function toPermittedRows(table: CatalogTable, rules: readonly TableRule[]): PermittedRows {
  return {
    dependsOnOthers: rules.some(({ under }) => under !== undefined),
    selectVersions: () =>
      rules.reduce((versions, rule) => limitVersions(table, versions, toLimit(table, rule)), selectVersions(table)),
  };
}

function toLimit(table: CatalogTable, { filter, under: sentRoot }: TableRule): VersionLimit {
  const { under, ...selection } = parseLimit(table, { filter, under: sentRoot });
  const conditions = compileConditions({ ...selection, under: undefined }, new Literals());
  if (under === undefined) return { conditions };
  return { conditions, under: { parent: getParentColumn(table, 'under'), root: new Literals().bind(under) } };
}

/** The permitted rows, with what `rowIdName` names, because walks of hierarchies find rows by it. */
function compileRows(table: CatalogTable, rules: readonly TableRule[]): string {
  const conditions = rules.flatMap(({ filter, under }) =>
    compileConditions(parseLimit(table, { filter, under }), new Literals()),
  );
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  const id = findFormerRows(table) ? '' : 't.ctid, ';
  return `(SELECT ${id}t.* FROM ${physicalTableName(table)} t${where})`;
}

/** Without the options that name a hidden column. */
function restrictOptions(options: TableOptions, columns: readonly CatalogColumn[]): TableOptions {
  const isVisible = (key: string) => columns.some((column) => column.key === key);
  const { uniqueTogether, title, ...others } = options;
  return {
    ...others,
    ...(uniqueTogether ? { uniqueTogether: uniqueTogether.filter((keys) => keys.every(isVisible)) } : {}),
    ...(title !== undefined && isVisible(title) ? { title } : {}),
  };
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

function describeName(name: string): string {
  return `"${name.slice(0, 80)}" is not the key of a column, such as "plant". Send the key, not the name.`;
}

/** The filter names columns by their keys only. @throws {InvalidQueryError} */
function requireKeys({ columns }: CatalogTable, { filter }: TableRule): void {
  const finder = new ColumnFinder(columns);
  for (const name of listFilterColumns(filter)) {
    const isKey = columns.some(({ key }) => key === name);
    // The parser reports a column that the table does not have.
    if (!isKey && finder.find(name).length > 0)
      throw new InvalidQueryError('filter', 'invalid_value', describeName(name));
  }
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

function hiddenKeyError(key: string): InvalidQueryError {
  const message = `"${key}" is the primary key, which identifies rows. It cannot be hidden.`;
  return new InvalidQueryError('columns.hidden', 'invalid_value', message);
}
