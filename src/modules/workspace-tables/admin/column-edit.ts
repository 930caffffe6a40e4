import { isEqual } from '../../../../packages/sql/src/stored-json.js';
import { needsIndex } from '../../../../packages/tables/src/catalog/column-indexes.js';
import {
  type CatalogColumn,
  checkIndexLimit,
  type ColumnDefinition,
  type ColumnError,
  createTypeConflictError,
  chooseColumnKey,
  planColumns,
  removeEmptyOptions,
} from '../../../../packages/tables/src/catalog/column-plan.js';
import { type Constraint, listConstraints } from '../../../../packages/tables/src/catalog/column-constraints.js';
import { type AddedRule, listRules } from '../../../../packages/tables/src/catalog/constraints.repository.js';
import type { ColumnType } from '../../../../packages/tabular/src/coercions.js';
import { type ColumnOptions, findInvalidOptions } from '../../../../packages/tables/src/catalog/column-types.js';
import type { TableOptionsEdit } from '../../../../packages/tables/src/catalog/table-options.js';

/** An edit of a column, or the definition of a new one. Omitted attributes remain unchanged. */
export interface ColumnEdit {
  /** In any letter case. Default: derived from the name, as in bulk requests. */
  key?: string;
  name?: string;
  type?: ColumnType;
  primaryKey?: boolean;
  required?: boolean;
  /** Null removes the description. */
  description?: string | null;
  /** Null removes an option. */
  options?: { [Option in keyof ColumnOptions]?: ColumnOptions[Option] | null };
}

/** An edit of a table. Omitted attributes and columns remain unchanged. */
export interface TableEdit {
  name?: string;
  columns?: readonly ColumnEdit[];
  options?: TableOptionsEdit;
  /** `allow`: stored rows may violate the constraints that the edit adds. */
  existing?: 'reject' | 'allow';
}

export interface EditPlan {
  /** All columns after the edit. */
  columns: CatalogColumn[];
  added: CatalogColumn[];
  changed: CatalogColumn[];
  /** Existing columns for which the request sends `indexed` or `unique`, including those that already have an index. */
  indexed: CatalogColumn[];
  /** Columns that lose their index. */
  unindexed: CatalogColumn[];
  rules: AddedRule[];
  /** The constraints that stored rows may violate: new ones, and those with other values. */
  constraints: Constraint[];
  errors: ColumnError[];
}

/** Plans an edit: it adds and changes columns. It never drops a column, changes a type or changes the primary key. */
export function planEdit(
  existing: readonly CatalogColumn[],
  edits: readonly ColumnEdit[],
  maxColumns: number,
  droppedOrdinal: number,
): EditPlan {
  const errors: ColumnError[] = [];
  const before = new Map(existing.map((column) => [column.key, column]));
  const columns = new Map(before);
  const additions: ColumnDefinition[] = [];
  const sentIndexed = new Set<string>();
  const seen = new Set<string>();
  for (const edit of edits) {
    const key = chooseColumnKey({ key: edit.key, name: edit.name ?? '' }, existing, seen);
    const current = columns.get(key);
    if (edit.key === undefined && edit.name === undefined) {
      errors.push({
        code: 'unknown_column',
        message: 'A column has neither key nor name. Send the key, or the name of a new column.',
      });
    } else if (current && seen.has(key)) {
      errors.push({
        column: key,
        code: 'invalid_column_key',
        message: `The column "${key}" is edited twice. Send it once.`,
      });
    } else if (current) {
      errors.push(...findEditErrors(current, edit));
      columns.set(key, applyEdit(current, edit));
      if (edit.options?.indexed || edit.options?.unique) sentIndexed.add(key);
    } else {
      const addition = toDefinition(edit);
      if (addition) additions.push(addition);
      else errors.push(unknownColumnError(key));
    }
    seen.add(key);
  }
  const edited = [...columns.values()];
  const changed = edited.filter((column) => !existing.includes(column));
  const plan = planColumns(edited, additions, maxColumns, droppedOrdinal);
  // A table that exceeds the limits, which can be newer than the table, remains editable.
  if (additions.length > 0) errors.push(...plan.errors);
  const newlyIndexed = changed.filter((column) => needsIndex(column) && !needsIndex(before.get(column.key)!));
  const tooManyIndexes = checkIndexLimit(plan.columns, newlyIndexed);
  if (tooManyIndexes) errors.push(tooManyIndexes);
  return {
    columns: plan.columns,
    added: plan.added,
    changed,
    indexed: edited.filter((column) => sentIndexed.has(column.key) && needsIndex(column)),
    unindexed: changed.filter((column) => !needsIndex(column) && needsIndex(before.get(column.key)!)),
    rules: [
      ...changed.flatMap((column) => findNewRules(before.get(column.key)!, column)),
      ...plan.added
        .filter(({ required }) => required)
        .map((column): AddedRule => ({ column, rule: 'required', isNew: true })),
    ],
    constraints: changed.flatMap((column) => findNewConstraints(before.get(column.key)!, column)),
    errors,
  };
}

function findEditErrors(current: CatalogColumn, { type, primaryKey, options = {} }: ColumnEdit): ColumnError[] {
  const { key: column } = current;
  if (type !== undefined && type !== current.type) return [createTypeConflictError(current, type)];
  const errors = findInvalidOptions(current, options);
  if (primaryKey === undefined || primaryKey === current.primaryKey) return errors;
  const message = `The primary key of a table cannot be changed; "${column}" is ${primaryKey ? 'another column' : 'the primary key'}.`;
  return [...errors, { column, code: 'invalid_primary_key', message }];
}

/** @returns the same object if the edit changes nothing. */
function applyEdit(current: CatalogColumn, edit: ColumnEdit): CatalogColumn {
  const { name = current.name, required = current.required, description = current.description } = edit;
  // The options of a request body contain undefined for omitted properties.
  const sent = Object.entries<unknown>(edit.options ?? {}).filter(([, value]) => value !== undefined);
  const options = removeEmptyOptions({ ...current.options, ...Object.fromEntries(sent) });
  const column = { ...current, name, required, description, options };
  return isEqual(column, current) ? current : column;
}

/** Undefined if the edit does not define a new column. */
function toDefinition(edit: ColumnEdit): ColumnDefinition | undefined {
  const { key, name, type, primaryKey, required, description, options } = edit;
  if (name === undefined || type === undefined) return undefined;
  const definition = { key, name, type, primaryKey, required, description: description ?? undefined };
  return { ...definition, options: options && removeEmptyOptions(options) };
}

function unknownColumnError(key: string): ColumnError {
  const message = `The table has no column "${key.slice(0, 80)}". To add it, send its name and type.`;
  return { column: key.slice(0, 255), code: 'unknown_column', message };
}

/** The constraints that the column did not have before the edit, or only as warnings. */
function findNewConstraints(before: CatalogColumn, after: CatalogColumn): Constraint[] {
  const isStricter = before.options.level === 'warning' && after.options.level !== 'warning';
  return listConstraints({ columns: [after] }).filter(
    ({ rule }) => isStricter || !isEqual(after.options[rule], before.options[rule]),
  );
}

/** The rules that the column did not have before the edit. */
function findNewRules(before: CatalogColumn, after: CatalogColumn): AddedRule[] {
  const known = new Set(listRules(before).map(({ rule }) => rule));
  return listRules(after)
    .filter(
      ({ rule }) => !known.has(rule) || (rule === 'choices' && !isEqual(after.options.choices, before.options.choices)),
    )
    .map((rule) => ({ ...rule, isNew: false }));
}
