import { alignColumns, COLUMN_GAP } from '../../packages/tabular/src/aligned-columns.js';
import { formatForTerminal } from '../../packages/tabular/src/terminal-text.js';

/** Output of a command: for scripts, and for a terminal. */
export interface Output {
  json: unknown;
  text: string;
}

/**
 * A list: `fields` are those of the JSON output, because rows may have internal fields; `columns` are those of the
 * table.
 */
export interface List<Row> {
  fields: readonly (keyof Row)[];
  columns: Record<string, (row: Row) => unknown>;
}

/** Width of tables that are not printed on a terminal. */
const WIDTH = 80;
const MAX_WIDTH = 100;
/** Columns that are at most as wide as a date and its gap are wrapped last. */
const NARROW = 12;
const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
/** A time as `formatValue` writes it. */
const TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\dZ)$/;

/** Formats one record vertically, with a note for the terminal. */
export function formatRecord(json: Record<string, unknown>, titles: Record<string, string>, note: string): Output {
  const rows = Object.entries(titles).map(([key, title]) => [title, formatValue(json[key])]);
  return { json, text: `${layOut(rows)}\n\n${note}` };
}

export function formatList<Row extends object>(
  rows: readonly Row[],
  { fields, columns }: List<Row>,
  ifEmpty: string,
): Output {
  const head = Object.keys(columns).map((title) => title.toUpperCase());
  const cells = rows.map((row) => Object.values(columns).map((read) => formatValue(read(row))));
  return {
    json: rows.map((row) => Object.fromEntries(fields.map((key) => [key, row[key]]))),
    text: rows.length > 0 ? layOut([head, ...cells]) : ifEmpty,
  };
}

/**
 * Aligns the columns. A table that is too wide breaks times, then wraps its widest columns. The first column, which
 * identifies the row, and IDs can be copied whole: they are only wrapped if the table exceeds `MAX_WIDTH`.
 */
function layOut(table: string[][]): string {
  const available = (process.stdout.columns || WIDTH) + COLUMN_GAP;
  const isTooWide = sum(measureColumns(table)) > available;
  const rows = isTooWide ? table.map((row) => row.map((cell) => cell.replace(TIME, '$1\n$2'))) : table;
  const widths = measureColumns(rows);
  const isWhole = (column: number) => column === 0 || rows.slice(1).every((row) => ID.test(row[column]!));
  for (let excess = sum(widths) - available; excess > 0; excess--) {
    const wrapped = widths.map((width, column) => (isWhole(column) ? 0 : width));
    const widest = Math.max(...wrapped);
    if (widest > NARROW) widths[wrapped.indexOf(widest)]! -= 1;
    else if (sum(widths) > MAX_WIDTH + COLUMN_GAP) widths[widths.indexOf(Math.max(...widths))]! -= 1;
    else break;
  }
  const lines = rows.flatMap((row) => toLines(row.map((cell, index) => wrap(cell, widths[index]! - COLUMN_GAP))));
  // Only lines with wide characters are still too long.
  return alignColumns(lines, widths, 'continue');
}

/** The lines of a cell, at most as long as its column is wide. */
function wrap(cell: string, width: number): string[] {
  const part = new RegExp(`.{1,${Math.max(width, 1)}}`, 'gu');
  return cell.split('\n').flatMap((line) => line.match(part) ?? ['']);
}

/** A row for each line of the cells: the time that the library takes grows with the cube of the lines of a cell. */
function toLines(cells: string[][]): string[][] {
  const count = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: count }, (_, at) => cells.map((lines) => lines[at] ?? ''));
}

const measureColumns = (rows: string[][]) =>
  rows[0]!.map((_, index) => rows.reduce((widest, row) => Math.max(widest, longestLine(row[index]!)), 0) + COLUMN_GAP);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const longestLine = (text: string) => Math.max(...text.split('\n').map(({ length }) => length));

function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (value instanceof Date) return `${value.toISOString().slice(0, 16).replace('T', ' ')}Z`;
  if (Array.isArray(value)) return value.map(formatValue).join('\n');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return formatForTerminal(text);
}
