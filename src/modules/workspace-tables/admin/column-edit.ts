import { isLongText, needsIndex } from '../catalog/column-indexes.js';
import {
  type ColumnDefinition,
  type ColumnError,
  isEqual,
  deriveColumnKey,
  type CatalogColumn,
  planColumns,
  checkIndexLimit,
  typeConflictError,
} from '../catalog/column-plan.js';
import { type ColumnOptions, type ColumnType, findInvalidOptions } from '../catalog/column-types.js';

/** A column as an administrator edits or adds it. What is not sent stays. */
export interface ColumnEdit {
  /** Of the column, in any case; without it the name's, as in bulk. */
  key?: string;
  name?: string;
  type?: ColumnType;
  primaryKey?: boolean;
  required?: boolean;
  /** Null takes it away, as it does an option. */
  description?: string | null;
  options?: { [Option in keyof ColumnOptions]?: ColumnOptions[Option] | null };
}

/** What all rows have to satisfy before a column may be as it is to be. */
export interface RowRule {
  column: CatalogColumn;
  rule: 'required' | 'choices' | 'length';
  /** Is the column yet to be added, so that no row has a value? */
  isNew: boolean;
}

export interface EditPlan {
  /** All columns once the plan is carried out. */
  columns: CatalogColumn[];
  added: CatalogColumn[];
  changed: CatalogColumn[];
  /** Columns of the table that are asked to have an index, also those that have one. */
  indexed: CatalogColumn[];
  /** Columns that are to have none from now on. */
  unindexed: CatalogColumn[];
  rules: RowRule[];
  errors: ColumnError[];
}

/** What edits make of a table's columns: they add and change, and never drop, change a type or move the primary key. */
export function planEdit(
  existing: readonly CatalogColumn[],
  edits: readonly ColumnEdit[],
  maxColumns: number,
  droppedOrdinal: number,
): EditPlan {
  const errors: ColumnError[] = [];
  const columns = new Map(existing.map((column) => [column.key, column]));
  const additions: ColumnDefinition[] = [];
  const asked = new Set<string>();
  const seen = new Set<string>();
  for (const edit of edits) {
    const key = deriveColumnKey({ key: edit.key, name: edit.name ?? '' }, existing.length + additions.length + 1);
    const standing = columns.get(key);
    if (edit.key === undefined && edit.name === undefined) {
      errors.push({ code: 'unknown_column', message: 'A column is named by its key, and a new one by its name.' });
    } else if (standing && seen.has(key)) {
      errors.push({ column: key, code: 'invalid_column_key', message: `The column "${key}" is edited twice.` });
    } else if (standing) {
      errors.push(...refusals(standing, edit));
      columns.set(key, edited(standing, edit));
      if (edit.options?.indexed) asked.add(key);
    } else {
      const addition = additionOf(edit);
      if (addition) additions.push(addition);
      else errors.push(incomplete(key));
    }
    seen.add(key);
  }
  const changed = [...columns.values()].filter((column) => !existing.includes(column));
  const plan = planColumns([...columns.values()], additions, maxColumns, droppedOrdinal);
  // A table that has too many columns or indexes already, by a limit that came later, may be edited all the same.
  if (additions.length > 0) errors.push(...plan.errors);
  const before = new Map(existing.map((column) => [column.key, column]));
  const newlyIndexed = changed.filter((column) => needsIndex(column) && !needsIndex(before.get(column.key)!));
  const unindexed = changed.filter((column) => !needsIndex(column) && needsIndex(before.get(column.key)!));
  const unindexable = checkIndexLimit(plan.columns, newlyIndexed);
  if (unindexable) errors.push(unindexable);
  const indexed = [...columns.values()].filter((column) => asked.has(column.key) && needsIndex(column));
  const rules = [
    ...changed.flatMap((column) => newRules(before.get(column.key)!, column)),
    ...plan.added
      .filter(({ required }) => required)
      .map((column): RowRule => ({ column, rule: 'required', isNew: true })),
  ];
  return { columns: plan.columns, added: plan.added, changed, indexed, unindexed, rules, errors };
}

function refusals(standing: CatalogColumn, { type, primaryKey, options = {} }: ColumnEdit): ColumnError[] {
  const { key: column } = standing;
  if (type !== undefined && type !== standing.type) return [typeConflictError(standing, type)];
  const errors = findInvalidOptions(standing, options);
  if (primaryKey === undefined || primaryKey === standing.primaryKey) return errors;
  const message = `The primary key of a table stays what it is; "${column}" is ${primaryKey ? 'another column' : 'it'}.`;
  return [...errors, { column, code: 'invalid_primary_key', message }];
}

/** The very same column where nothing of it changes. */
function edited(standing: CatalogColumn, edit: ColumnEdit): CatalogColumn {
  const { name = standing.name, required = standing.required, description = standing.description } = edit;
  // A body has all of them, undefined where they were not sent.
  const sent = Object.entries<unknown>(edit.options ?? {}).filter(([, value]) => value !== undefined);
  const options = optionsOf({ ...standing.options, ...Object.fromEntries(sent) });
  const column = { ...standing, name, required, description, options };
  return isEqual(column, standing) ? standing : column;
}

function additionOf({ key, name, type, primaryKey, required, description, options }: ColumnEdit) {
  if (name === undefined || type === undefined) return undefined;
  return {
    key,
    name,
    type,
    primaryKey,
    required,
    description: description ?? undefined,
    options: options && optionsOf(options),
  };
}

/** Without those that are null, or were not sent. */
function optionsOf(options: NonNullable<ColumnEdit['options']>): ColumnOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => (value ?? null) !== null));
}

function incomplete(key: string): ColumnError {
  const message = `The table has no column "${key.slice(0, 80)}". To add one, send its name and its type.`;
  return { column: key.slice(0, 255), code: 'unknown_column', message };
}

function newRules(before: CatalogColumn, after: CatalogColumn): RowRule[] {
  const rules: RowRule['rule'][] = [];
  const { choices } = after.options;
  // A key is never empty.
  if (after.required && !before.required && !after.primaryKey) rules.push('required');
  if (after.type === 'tagStatus' && choices && !isEqual(choices, before.options.choices)) rules.push('choices');
  if (isLongText(after) && needsIndex(after) && !needsIndex(before)) rules.push('length');
  return rules.map((rule) => ({ column: after, rule, isNew: false }));
}
