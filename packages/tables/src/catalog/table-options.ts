import { createHash } from 'node:crypto';
import { isIndexed } from './column-indexes.js';
import type { CatalogColumn, ColumnError } from './column-plan.js';
import { getNativeType, isUniqueType } from './column-types.js';

/** Who may approve a proposal. */
export const APPROVERS = ['anyone', 'other'] as const;
export type Approver = (typeof APPROVERS)[number];

/** Which loads of a table wait for approval (ADR 0165). */
export interface Approval {
  required: boolean;
  /** The changed rows above which a load waits: a number, or a percentage of the stored rows. Default: 0. */
  over?: number | string;
  /** `other`: not the user who has sent the load. Default: `anyone`. */
  by?: Approver;
  /** Days until a proposal expires. Default: 7. */
  expiresAfterDays?: number;
}

/** Options of a table. */
export interface TableOptions {
  /** Key of the column whose values are the titles of the rows. Default: the primary key. */
  title?: string;
  /** Keys of columns whose values together occur in one row only. */
  uniqueTogether?: string[][];
  approval?: Approval;
  /** Days for which former rows are stored; 0: none are. Default: the setting `TABLE_HISTORY_DAYS`. */
  historyDays?: number;
}

export const MAX_HISTORY_DAYS = 3_650;

export const MAX_UNIQUE_COLUMNS = 5;
export const MAX_UNIQUE_TOGETHER = 10;

/** An edit of the options: null removes one. */
export type TableOptionsEdit = { [Option in keyof TableOptions]?: TableOptions[Option] | null };

/** The options after an edit. */
export function editOptions(current: TableOptions, edit: TableOptionsEdit): TableOptions {
  const sent = Object.entries<unknown>(edit).filter(([, value]) => value !== undefined);
  const edited = Object.entries<unknown>({ ...current, ...Object.fromEntries(sent) });
  return Object.fromEntries(edited.filter(([, value]) => value !== null));
}

/** The number of changed rows above which a load waits for approval. @param rows that the table has before it. */
export function toChangeLimit({ over = 0 }: Approval, rows: number): number {
  return typeof over === 'number' ? over : Math.floor((rows * Number.parseFloat(over)) / 100);
}

/** Does the limit depend on the number of stored rows? */
export function isPercentage({ over }: Approval): boolean {
  return typeof over === 'string';
}

/** A hash of the columns, and of all options that decide which rows the table accepts. */
export function hashRowRules(columns: readonly CatalogColumn[], { uniqueTogether = [] }: TableOptions): string {
  const rules = columns.map(({ key, type, primaryKey, required, options: { indexed: _, ...options } }) => {
    return [key, type, primaryKey, required, options];
  });
  return createHash('sha256')
    .update(JSON.stringify([rules, uniqueTogether]))
    .digest('hex');
}

/** An error for each option that names columns which it cannot have. */
export function findInvalidTableOptions(options: TableOptions, columns: readonly CatalogColumn[]): ColumnError[] {
  const byKey = new Map(columns.map((column) => [column.key, column]));
  const messages: string[] = [];
  const { title, uniqueTogether = [] } = options;
  const titleColumn = title === undefined ? undefined : byKey.get(title);
  if (title !== undefined && !titleColumn)
    messages.push(`The option "title" names a column "${title}" that the table does not have.`);
  if (titleColumn && getNativeType(titleColumn.type) !== 'text')
    messages.push(
      `The option "title" must name a column of text; "${titleColumn.key}" is a ${titleColumn.type} column.`,
    );
  for (const keys of uniqueTogether) messages.push(...findInvalidKeys(keys, byKey));
  return messages.map((message) => ({ code: 'invalid_option', message }));
}

function findInvalidKeys(keys: readonly string[], columns: ReadonlyMap<string, CatalogColumn>): string[] {
  if (new Set(keys).size < keys.length)
    return [`The option "uniqueTogether" names a column twice: ${keys.join(', ')}.`];
  const first = columns.get(keys[0]!);
  if (first && !isIndexed(first))
    return [`The first column of "uniqueTogether", "${first.key}", needs an index. Set its option "indexed", too.`];
  return keys.flatMap((key) => {
    const column = columns.get(key);
    if (!column) return [`The option "uniqueTogether" names a column "${key}" that the table does not have.`];
    if (isUniqueType(column.type)) return [];
    return [`The option "uniqueTogether" is not for ${column.type} columns such as "${key}".`];
  });
}
