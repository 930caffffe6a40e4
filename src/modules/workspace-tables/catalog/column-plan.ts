import { strangeOptions } from './column-options.js';
import type { ColumnOptions, ColumnType } from './column-types.js';
import { MAX_INDEXES, needsIndex } from './column-indexes.js';
import { normalizeName } from './entity-kind.js';

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

/** A column as it stands in the catalog. */
export interface CatalogColumn {
  key: string;
  ordinal: number;
  name: string;
  type: ColumnType;
  primaryKey: boolean;
  required: boolean;
  description: string | null;
  options: ColumnOptions;
}

/** A difference that a bulk call does not apply: what stands is kept, since somebody may have edited it on purpose. */
export interface IgnoredDifference {
  key: string;
  attribute: string;
  sent: unknown;
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
    | 'too_long';
  message: string;
}

export interface ColumnPlan {
  /** All columns once the plan is carried out. */
  columns: CatalogColumn[];
  added: CatalogColumn[];
  ignored: IgnoredDifference[];
  errors: ColumnError[];
}

/** Keys that would reach a prototype are refused in bodies, so no column may have them. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);
const KEY = /^[a-z0-9_]{1,63}$/;

/** PostgreSQL counts the columns that a table ever had, dropped ones too, up to 1,600. */
const MAX_ORDINAL = 1_500;

/**
 * What sent column definitions make of a table's columns. Bulk creates and adds; it never edits.
 *
 * @param droppedOrdinal the highest ordinal that a dropped column had.
 */
export function planColumns(
  existing: readonly CatalogColumn[],
  sent: readonly ColumnDefinition[],
  maxColumns: number,
  droppedOrdinal = 0,
): ColumnPlan {
  const plan: ColumnPlan = { columns: [...existing], added: [], ignored: [], errors: [] };
  const seen = new Set<string>();
  for (const definition of sent) {
    const key = keyOf(definition, plan.columns.length + 1);
    if (!KEY.test(key) || RESERVED.has(key)) {
      plan.errors.push({ column: key, code: 'invalid_column_key', message: invalidKey(definition, key) });
    } else if (seen.has(key)) {
      plan.errors.push({
        column: key,
        code: 'invalid_column_key',
        message: `Two of the columns have the key "${key}".`,
      });
    } else {
      place(plan, existing, key, definition, droppedOrdinal);
    }
    seen.add(key);
  }
  if (plan.columns.length === 0 && plan.errors.length === 0) {
    plan.errors.push({
      code: 'columns_required',
      message: 'The table does not exist yet: send its columns with the first batch.',
    });
  }
  if (plan.columns.length > maxColumns) {
    const message = `A table has at most ${maxColumns} columns; this would have ${plan.columns.length}.`;
    plan.errors.push({ code: 'too_many_columns', message });
  }
  if (plan.added.some(({ ordinal }) => ordinal > MAX_ORDINAL)) {
    const message = `A table has at most ${MAX_ORDINAL} columns in its life, dropped ones included: move its rows to a new one.`;
    plan.errors.push({ code: 'too_many_columns', message });
  }
  const unindexable = tooManyIndexes(plan.columns, plan.added);
  if (unindexable) plan.errors.push(unindexable);
  if (plan.errors.length === 0) choosePrimaryKey(plan, existing.length > 0);
  return plan;
}

/** An explicit key in lower case, else the slug of the name. */
export function keyOf({ key, name }: Pick<ColumnDefinition, 'key' | 'name'>, position: number): string {
  if (key !== undefined) return key.toLowerCase();
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  return slug || `column_${position}`;
}

function place(
  plan: ColumnPlan,
  existing: readonly CatalogColumn[],
  key: string,
  definition: ColumnDefinition,
  droppedOrdinal: number,
): void {
  const standing = existing.find((column) => column.key === key);
  if (!standing) {
    const column = newColumn(key, nextOrdinal(plan.columns, droppedOrdinal), definition);
    plan.errors.push(...strangeOptions(column, column.options));
    plan.columns.push(column);
    plan.added.push(column);
  } else if (standing.type !== definition.type) {
    plan.errors.push(typeConflict(standing, definition.type));
  } else {
    plan.ignored.push(...differences(standing, definition));
  }
}

export function typeConflict({ key, type }: CatalogColumn, sent: ColumnType): ColumnError {
  const message = `The column "${key}" has the type ${type}; it cannot become ${sent}.`;
  return { column: key, code: 'column_type_conflict', message };
}

function nextOrdinal(columns: readonly CatalogColumn[], droppedOrdinal: number): number {
  return Math.max(droppedOrdinal, ...columns.map((column) => column.ordinal)) + 1;
}

function newColumn(key: string, ordinal: number, definition: ColumnDefinition): CatalogColumn {
  const { name, type, primaryKey = false, required = false, description = null, options = {} } = definition;
  return { key, ordinal, name, type, primaryKey, required, description, options };
}

function differences(standing: CatalogColumn, definition: ColumnDefinition): IgnoredDifference[] {
  const attributes = ['name', 'primaryKey', 'required', 'description', 'options'] as const;
  return attributes
    .filter((attribute) => definition[attribute] !== undefined)
    .filter((attribute) => !isSame(definition[attribute], standing[attribute]))
    .map((attribute) => ({ key: standing.key, attribute, sent: definition[attribute], kept: standing[attribute] }));
}

/** Do the two say the same, in whatever order? */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** An object with its keys in order, so that two that say the same look the same. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, sorted(inner)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** A fault where columns that come to have an index are too many with those that have one. */
export function tooManyIndexes(
  columns: readonly CatalogColumn[],
  anew: readonly CatalogColumn[],
): ColumnError | undefined {
  const wanted = columns.filter(needsIndex).length;
  const last = anew.findLast(needsIndex);
  if (!last || wanted <= MAX_INDEXES) return undefined;
  const message = `A table has at most ${MAX_INDEXES} columns with an index, keys and links apart; this would have ${wanted}.`;
  return { column: last.key, code: 'too_many_indexes', message };
}

/** Exactly one text column is the primary key and the title: the one marked, else the first text column. */
function choosePrimaryKey(plan: ColumnPlan, exists: boolean): void {
  const marked = plan.columns.filter((column) => column.primaryKey);
  const fail = (message: string) =>
    plan.errors.push({ column: marked.at(-1)?.key, code: 'invalid_primary_key', message });
  if (marked.length > 1) {
    fail(`A table has one primary key; ${marked.map((column) => `"${column.key}"`).join(' and ')} are marked.`);
  } else if (marked.length === 1 && marked[0]!.type !== 'text') {
    fail(`The primary key must be a text column; "${marked[0]!.key}" has the type ${marked[0]!.type}.`);
  } else if (marked.length === 0 && !exists) {
    const first = plan.columns.find((column) => column.type === 'text');
    if (first) first.primaryKey = true;
    else fail('One column must be a text column: it is the primary key and the title.');
  }
}

function invalidKey({ key, name }: ColumnDefinition, derived: string): string {
  if (RESERVED.has(derived)) return `"${derived}" cannot be a column's key.`;
  return key === undefined
    ? `The name "${name.slice(0, 80)}" makes the key "${derived.slice(0, 80)}", which is longer than 63 characters: send a key of your own.`
    : `"${key.slice(0, 80)}" cannot be a key: it takes 1 to 63 of a-z, 0-9 and _.`;
}

/** Finds a column by what an item or a query calls it: exactly by key, else without case by key or name. */
export class ColumnFinder<C extends { key: string; name: string }> {
  private readonly byKey = new Map<string, C>();
  private readonly byFolded = new Map<string, C[]>();

  constructor(columns: readonly C[]) {
    for (const column of columns) {
      this.byKey.set(column.key, column);
      for (const name of new Set([column.key, normalizeName(column.name)])) {
        this.byFolded.set(name, [...(this.byFolded.get(name) ?? []), column]);
      }
    }
  }

  /** The columns that the name may mean: one where it is clear, several where it would be a guess, none where unknown. */
  find(name: string): readonly C[] {
    const exact = this.byKey.get(name);
    return exact ? [exact] : (this.byFolded.get(normalizeName(name)) ?? []);
  }
}
