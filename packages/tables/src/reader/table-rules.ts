import { normalizeName } from '../../../tabular/src/normalization.js';
import { ColumnFinder } from '../../../tabular/src/column-finder.js';
import { DomainError } from '../../../errors/src/domain-error.js';
import { ANY_TABLE, type TableRule } from '../catalog/view.js';
import type { CatalogTable, PermittedRows } from '../catalog/catalog-table.js';
import { getParentColumn } from '../catalog/column-finder.js';
import { type CatalogColumn } from '../catalog/column-plan.js';
import { ENTITY_BY_PATH } from '../catalog/entity-kind.js';
import { findFormerRows, physicalTableName, withSelectedRows } from '../catalog/physical-table.js';
import { limitVersions, selectVersions, type VersionLimit } from '../catalog/row-versions-sql.js';
import type { TableOptions } from '../catalog/table-options.js';
import { type NamedTable, TableRules } from '../catalog/table-permissions.js';
import { InvalidQueryError } from '../catalog/query.errors.js';
import { isPath } from '../catalog/referenced-tables.js';
import { Literals } from './bindings.js';
import { listFilterColumns } from './filter-parser.js';
import { compileConditions, parseLimit } from './query-compiler.js';

/**
 * What the rules of access policies mean for tables (ADR 0161). The permitted rows are a selection of the query
 * compiler, as those of a page.
 */
export class CompiledRules extends TableRules {
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
}

/** The rule that names the table, by its ID or else by its name, else the rule for any table of its entity. */
function findRule({ entity, id, nameKey }: NamedTable, rules: readonly TableRule[]): TableRule | undefined {
  const own = rules.filter((rule) => ENTITY_BY_PATH[rule.entity] === entity);
  const byId = own.find((rule) => rule.table.toLowerCase() === id);
  return byId ?? own.find((rule) => toKey(rule) === nameKey) ?? own.find((rule) => rule.table === ANY_TABLE);
}

export function toKey({ table }: TableRule): string {
  return normalizeName(table);
}

/**
 * The part of the table that all rules permit. Each rule sees the whole table: its filter may name a column, and its
 * hierarchy may contain rows, that another rule hides.
 *
 * @throws {InvalidQueryError} if a rule does not fit the columns of the table.
 */
export function applyRules(table: CatalogTable, rules: readonly TableRule[]): CatalogTable {
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

export function describeName(name: string): string {
  if (isPath(name))
    return `"${name.slice(0, 80)}" leads through a reference, which a filter of an access policy cannot. Use columns of the table.`;
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

function hiddenKeyError(key: string): InvalidQueryError {
  const message = `"${key}" is the primary key, which identifies rows. It cannot be hidden.`;
  return new InvalidQueryError('columns.hidden', 'invalid_value', message);
}
