import type { ColumnType } from '../../../packages/tabular/src/coercions.js';
import {
  type CatalogTable,
  type DescribedColumn,
  describeRelation,
} from '../../../packages/tables/src/catalog/catalog-table.js';
import type { EntityKind } from '../../../packages/tables/src/catalog/entity-kind.js';
import { physicalColumnName, withSelectedRows } from '../../../packages/tables/src/catalog/physical-table.js';
import type { View } from '../../../packages/tables/src/catalog/view.js';
import type { FilterExpression } from '../../../packages/tables/src/reader/filter-expression.js';
import { quoteLiteral } from '../../../packages/sql/src/sql-literal.js';
import type { ReferredTable } from '../../records/row-references.js';
import { findByKey, isBindable, type NoteField, type NoteRules } from './note-rules.js';
import { normalizeStatus } from './note-status.js';

/** SQL: a text that is not a column, sorted by its bytes as the columns are. */
const toText = (sql: string) => `((${sql}) COLLATE "C")`;

/** SQL: an instant of a note `note` as tables store dates. */
const instant = (column: string) =>
  toText(`to_char(note.${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** Exponents have at most three digits, so that the conversion of a stored text to `numeric` cannot fail. */
const DECIMAL = '^ *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})? *$';

/** The smallest and the largest positive number that the coercion of number columns accepts. */
const NUMBERS = `5e-324 AND ${Number.MAX_SAFE_INTEGER}`;

const LEAP_YEAR = '([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)';
const DAY =
  '([0-9]{4}-((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)' +
  `|${LEAP_YEAR}-02-29)`;
const TIME = '[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?(Z|[+-](0[0-9]|1[0-4]):?[0-5][0-9])?';
/** A day of the calendar, also with a time. PostgreSQL has no year 0. */
const DATE = `^(?!0000)${DAY}(${TIME})?$`;

/** The fields of every note in a query, with their types and SQL on the note `note`. */
const COLUMNS: readonly [key: string, type: ColumnType, sql: string][] = [
  ['id', 'text', toText('note.id::text')],
  ['number', 'number', 'note.number::float8'],
  ['externalId', 'text', toText('note.external_id')],
  ['title', 'text', 'note.title'],
  ['description', 'text', 'note.description'],
  ['type', 'text', 'note.type'],
  ['status', 'text', 'note.status'],
  ['priority', 'text', 'note.priority'],
  ['category', 'text', 'note.category'],
  ['workCenter', 'text', 'note.work_center'],
  ['assignee', 'text', 'note.assignee'],
  ['reporter', 'text', 'note.reporter'],
  ['location', 'text', 'note.location_key'],
  ['locationKey', 'text', toText('note.location_table_id::text')],
  ['asset', 'text', 'note.asset_key'],
  ['assetKey', 'text', toText('note.asset_table_id::text')],
  ['scheduledDate', 'date', instant('scheduled_date')],
  ['dueDate', 'date', instant('due_date')],
  ['closedAt', 'date', instant('closed_at')],
  ['createdAt', 'date', instant('created_at')],
  ['updatedAt', 'date', instant('updated_at')],
  ['projectId', 'text', toText('note.project_id::text')],
  ['tagId', 'number', 'note.tag_id::float8'],
  ['tourId', 'text', toText('note.tour_id::text')],
  ['messageCount', 'number', 'note.message_count::float8'],
  ['lastMessageAt', 'date', instant('last_message_at')],
  ['createdBy', 'text', toText('note.created_by::text')],
  ['updatedBy', 'text', toText('note.updated_by::text')],
  ['source', 'text', 'note.source'],
];

/** The fields of every note whose values are instants. */
export const INSTANTS: ReadonlySet<string> = new Set(COLUMNS.flatMap(([key, type]) => (type === 'date' ? [key] : [])));

/** How a query compares the values of a field. */
const FIELD_TYPES: Record<NoteField['type'], ColumnType> = {
  text: 'text',
  number: 'number',
  date: 'date',
  checkbox: 'checkbox',
  choice: 'text',
  row: 'reference',
  user: 'text',
};

/** The notes of a workspace as a table of the engine, so that queries of tables and of notes are one language. */
export interface NoteTable {
  table: CatalogTable;
  /** SQL: the columns of the table, of the note `note`. */
  select: string;
}

/** Conditions on notes `note` in the language of tables. */
export interface NoteFilter {
  /** SQL: what FROM needs after the notes. */
  join: string;
  expressions: readonly FilterExpression[];
}

/** A column of the table of notes, with its SQL on the note `note`. */
interface NoteColumn extends Omit<DescribedColumn, 'key' | 'primaryKey' | 'storedText'> {
  sql: string;
  /** SQL: the stored text, of a column whose values can be of another type. */
  text?: string;
}

/**
 * @param tables those of the fields of type `row` that exist for the caller.
 * @param isWhole adds what only a whole note has, as JSON.
 */
export function toNoteTable(
  view: View,
  rules: NoteRules,
  tables: readonly ReferredTable[],
  isWhole: boolean,
): NoteTable {
  const { fields, types } = rules;
  const expressions = new Map<string, NoteColumn>();
  for (const [key, type, sql] of COLUMNS) expressions.set(key, { type, sql, options: {} });
  expressions.get('status')!.normalize = normalizeStatus;
  expressions.get('type')!.normalize = (name) => findByKey(types, name)?.key ?? name;
  for (const field of fields) {
    const target = tables.find(({ id }) => id === field.tableId);
    const type = field.type === 'row' && !target ? 'text' : FIELD_TYPES[field.type];
    const options = target ? { target: { entity: target.entity as EntityKind, table: target.name } } : {};
    const { key } = field;
    const text = isBindable(key) ? expressions.get(key)!.sql : toText(`note.custom_fields ->> ${quoteLiteral(key)}`);
    expressions.set(key, { type, options, ...toTyped(type, text) });
  }
  if (isWhole)
    for (const [key, sql] of listJson(fields))
      expressions.set(key, { type: 'text', options: {}, sql: toText(`(${sql})::text`), isJson: true });
  const columns = [...expressions].map(([key, { sql: _, text, ...column }], at) => ({
    ...column,
    key,
    primaryKey: key === 'id',
    storedText: text === undefined ? undefined : `text${at}`,
  }));
  const table = describeRelation(view, 'notes', columns);
  const cells = [...expressions.values()].flatMap(({ sql, text }, at) => {
    const column = table.columns[at]!;
    const cell = `${sql} AS ${physicalColumnName(column)}`;
    return text === undefined ? [cell] : [cell, `${text} AS ${column.storedText}`];
  });
  return { table, select: cells.join(', ') };
}

/** The parts of a note that are not columns, with their SQL: `customFields` without those that have a column. */
function listJson(fields: readonly NoteField[]): [key: string, sql: string][] {
  const defined = fields.map(({ key }) => quoteLiteral(key)).join(', ');
  return [
    ['customFields', `note.custom_fields - ARRAY[${defined}]::text[]`],
    ['externalReferences', 'note.external_references'],
  ];
}

/** The table with those of its notes that meet the conditions on `note`. */
export function withNotes({ table, select }: NoteTable, conditions: readonly string[]): CatalogTable {
  return withSelectedRows(table, `(SELECT ${select} FROM notes note WHERE ${conditions.join(' AND ')})`);
}

/** A text that is not of the type was stored before the field had it. A cast of such a text would fail. */
function toTyped(type: ColumnType, text: string): Pick<NoteColumn, 'sql' | 'text'> {
  if (type === 'number') {
    const size = `abs(${text}::numeric)`;
    const isNumber = `${size} = 0 OR ${size} BETWEEN ${NUMBERS}`;
    return { text, sql: `CASE WHEN ${text} ~ '${DECIMAL}' THEN CASE WHEN ${isNumber} THEN ${text}::float8 END END` };
  }
  if (type === 'date') return { text, sql: `CASE WHEN ${text} ~ '${DATE}' THEN ${text} END` };
  if (type !== 'checkbox') return { sql: text };
  return { text, sql: `CASE WHEN ${text} IN ('true', 'false') THEN ${text}::boolean END` };
}
