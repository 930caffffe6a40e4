import { toSlug } from '../../../tabular/src/normalization.js';
import { isEqual } from '../../../sql/src/stored-json.js';
import { MAX_INDEXES, needsIndex } from './column-indexes.js';
import { type ColumnType } from '../../../tabular/src/coercions.js';
import { type ColumnOptions, type ConstraintCode, findInvalidOptions } from './column-types.js';

/** A column as a caller defines it. */
export interface ColumnDefinition {
  key?: string;
  name: string;
  type: ColumnType;
  primaryKey?: boolean;
  required?: boolean;
  description?: string;
  options?: ColumnOptions;
}

/** A column in the catalog. */
export interface CatalogColumn {
  key: string;
  ordinal: number;
  name: string;
  type: ColumnType;
  primaryKey: boolean;
  required: boolean;
  description: string | null;
  options: ColumnOptions;
  /** The revision of the table that has added the column; undefined while it is being added. */
  addedRevision?: number;
  /** Does the column of a result have keys as its values? */
  hasKeys?: boolean;
  /** Of a described relation: returns a text that a filter sends in the spelling that is stored. */
  normalize?: (text: string) => string;
  /** Of a described relation: the name of a column with the stored text, which exports contain if the value is null. */
  storedText?: string;
  /** Of a described relation: are the texts JSON? */
  isJson?: boolean;
}

/**
 * An attribute of an existing column that a bulk request sent differently. The catalog remains as an administrator set
 * it.
 */
export interface IgnoredDifference {
  /** Key of the column. */
  key: string;
  /** The attribute that differs. */
  attribute: string;
  sent: unknown;
  /** The stored value, which is unchanged. */
  kept: unknown;
}

export interface ColumnError {
  column?: string;
  code:
    | 'invalid_column_key'
    | 'invalid_option'
    | 'invalid_primary_key'
    | 'columns_required'
    | 'column_type_conflict'
    | 'too_many_columns'
    | 'too_many_indexes'
    | 'unknown_column'
    | 'required'
    | 'type_mismatch'
    | ConstraintCode;
  message: string;
}

export interface ColumnPlan {
  /** All columns after the plan was executed. */
  columns: CatalogColumn[];
  added: CatalogColumn[];
  ignored: IgnoredDifference[];
  errors: ColumnError[];
}

/**
 * Names of properties of JavaScript prototypes: request bodies must not contain them, so a column cannot have them as
 * key.
 */
const RESERVED_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const KEY = /^[a-z0-9_]{1,63}$/;

/** Can a column have this key? */
export function isColumnKey(key: string): boolean {
  return KEY.test(key) && !RESERVED_KEYS.has(key);
}

/** PostgreSQL allows 1,600 columns per table, including those that were dropped. */
const MAX_ORDINAL = 1_500;

/**
 * Plans how sent definitions change the columns of a table in a bulk request: they create and add, and never edit.
 *
 * @param existing empty for a new table.
 * @param droppedOrdinal the highest ordinal of a dropped column.
 */
export function planColumns(
  existing: readonly CatalogColumn[],
  sent: readonly ColumnDefinition[],
  maxColumns: number,
  droppedOrdinal = 0,
): ColumnPlan {
  const plan: ColumnPlan = { columns: [...existing], added: [], ignored: [], errors: [] };
  const seen = new Map<string, string>();
  for (const definition of sent) {
    const key = chooseColumnKey(definition, existing, seen.keys());
    const invalidKey = findKeyError(definition, key, seen);
    if (invalidKey) plan.errors.push(invalidKey);
    else planColumn(plan, existing, key, definition, droppedOrdinal);
    seen.set(key, definition.name);
  }
  if (plan.columns.length === 0 && plan.errors.length === 0) {
    const message = 'The table does not exist yet. Send its columns with the first batch.';
    plan.errors.push({ code: 'columns_required', message });
  }
  if (plan.added.length > 0 && plan.columns.length > maxColumns) {
    const message = `A table has at most ${maxColumns} columns; this would have ${plan.columns.length}.`;
    plan.errors.push({ code: 'too_many_columns', message });
  }
  if (plan.added.some(({ ordinal }) => ordinal > MAX_ORDINAL)) {
    const message = `A table has at most ${MAX_ORDINAL} columns in its lifetime, including dropped ones. Move its rows to a new table.`;
    plan.errors.push({ code: 'too_many_columns', message });
  }
  const tooManyIndexes = checkIndexLimit(plan.columns, plan.added);
  if (tooManyIndexes) plan.errors.push(tooManyIndexes);
  if (plan.errors.length === 0) choosePrimaryKey(plan, existing.length > 0);
  return plan;
}

/**
 * The explicit key in lowercase, else the slug of the name: "Höhe [m]" becomes `hohe_m`. Read literally, the
 * specification (NFKD, every other run of characters `_`) would make it `ho_he_m_`. A name without a slug, such as
 * `***`, names the existing column with this name, or else a new one: `column_` and its number.
 *
 * @param named keys of the columns that the request has named before.
 */
export function chooseColumnKey(
  { key, name }: Pick<ColumnDefinition, 'key' | 'name'>,
  existing: readonly CatalogColumn[],
  named: Iterable<string> = [],
): string {
  const chosen = key?.toLowerCase() ?? toSlug(name, '_');
  if (key !== undefined || chosen !== '') return chosen;
  const others = new Set(named);
  const same = existing.find((column) => column.name === name && !others.has(column.key));
  if (same) return same.key;
  for (const column of existing) others.add(column.key);
  let number = others.size + 1;
  while (others.has(`column_${number}`)) number++;
  return `column_${number}`;
}

/** @param seen names of the columns before this one, by their keys */
function findKeyError(
  definition: ColumnDefinition,
  key: string,
  seen: ReadonlyMap<string, string>,
): ColumnError | undefined {
  const message = findKeyProblem(definition, key, seen);
  return message === undefined ? undefined : { column: key, code: 'invalid_column_key', message };
}

function findKeyProblem({ key: sent, name }: ColumnDefinition, key: string, seen: ReadonlyMap<string, string>) {
  const other = seen.get(key);
  if (RESERVED_KEYS.has(key)) return `"${key}" is reserved and cannot be the key of a column. Send another key.`;
  if (KEY.test(key) && other !== undefined) {
    const names = [other, name].map((each) => `"${each.slice(0, 80)}"`).join(' and ');
    return `Two columns have the key "${key}": ${names}. Use each key once.`;
  }
  if (KEY.test(key)) return undefined;
  return sent === undefined
    ? `The key derived from the name "${name.slice(0, 80)}" is longer than 63 characters. Send a key.`
    : `The key "${sent.slice(0, 80)}" is invalid. Use 1 to 63 of the characters a-z, 0-9 and _.`;
}

function planColumn(
  plan: ColumnPlan,
  existing: readonly CatalogColumn[],
  key: string,
  definition: ColumnDefinition,
  droppedOrdinal: number,
): void {
  const current = existing.find((column) => column.key === key);
  const options = definition.options && removeEmptyOptions(definition.options);
  if (!current) {
    const { name, type, primaryKey = false, required = false, description = null } = definition;
    const ordinal = Math.max(droppedOrdinal, ...plan.columns.map((column) => column.ordinal)) + 1;
    const column = { key, ordinal, name, type, primaryKey, required, description, options: options ?? {} };
    plan.errors.push(...findInvalidOptions(column, column.options));
    plan.columns.push(column);
    plan.added.push(column);
  } else if (current.type !== definition.type) {
    plan.errors.push(createTypeConflictError(current, definition.type));
  } else {
    plan.ignored.push(...findDifferences(current, { ...definition, options }));
  }
}

/** Null is an absent option. */
export function removeEmptyOptions(options: object): ColumnOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]: unknown[]) => (value ?? null) !== null));
}

export function createTypeConflictError({ key, type }: CatalogColumn, sent: ColumnType): ColumnError {
  const message = `The column "${key}" has the type ${type}, which cannot be changed to ${sent}.`;
  return { column: key, code: 'column_type_conflict', message };
}

function findDifferences(current: CatalogColumn, definition: ColumnDefinition): IgnoredDifference[] {
  const attributes = ['name', 'primaryKey', 'required', 'description', 'options'] as const;
  return attributes
    .filter((attribute) => definition[attribute] !== undefined)
    .filter((attribute) => !isEqual(definition[attribute], current[attribute]))
    .map((attribute) => ({ key: current.key, attribute, sent: definition[attribute], kept: current[attribute] }));
}

/**
 * An error if the table would have too many indexes.
 *
 * @param changed the columns that get an index; without any, a table may exceed the limit, which can be newer than the
 *   table.
 */
export function checkIndexLimit(
  columns: readonly CatalogColumn[],
  changed: readonly CatalogColumn[],
): ColumnError | undefined {
  const indexes = columns.filter(needsIndex).length;
  const last = changed.findLast(needsIndex);
  if (!last || indexes <= MAX_INDEXES) return undefined;
  const message = `A table has at most ${MAX_INDEXES} columns with "indexed", not counting keys and references; this would have ${indexes}.`;
  return { column: last.key, code: 'too_many_indexes', message };
}

/** Exactly one text column is the primary key and title: the marked one, else the first text column. */
function choosePrimaryKey(plan: ColumnPlan, exists: boolean): void {
  const marked = plan.columns.filter((column) => column.primaryKey);
  const fail = (message: string) =>
    plan.errors.push({ column: marked.at(-1)?.key, code: 'invalid_primary_key', message });
  if (marked.length > 1) {
    fail(`A table has one primary key, but ${marked.map((column) => `"${column.key}"`).join(' and ')} are marked.`);
  } else if (marked.length === 1 && marked[0]!.type !== 'text') {
    fail(`The primary key must be a text column; "${marked[0]!.key}" has the type ${marked[0]!.type}.`);
  } else if (marked.length === 0 && !exists) {
    const first = plan.columns.find((column) => column.type === 'text');
    if (first) first.primaryKey = true;
    else fail('A table needs a text column as its primary key and title. Send one.');
  }
}
