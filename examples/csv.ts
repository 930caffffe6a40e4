import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import type { ColumnDefinition, ColumnType, Entity, Item } from './contract.js';
import { UsageError } from './credentials.js';

/** A line of a CSV file: header to cell. */
export type CsvRow = Record<string, string>;

/** A column of a table, and the header in the CSV file that it is filled from. */
export interface SourceColumn {
  header: string;
  definition: ColumnDefinition;
}

/** A table as it is to be stored, with all its rows. */
export interface Table {
  type: Entity;
  name: string;
  columns: ColumnDefinition[];
  items: Item[];
}

/** Describes a column. Its key is the CSV's header in lower case, and its name the header, where nothing else is said. */
export function column(header: string, type: ColumnType, more: Partial<ColumnDefinition> = {}): SourceColumn {
  return { header, definition: { key: header.toLowerCase(), name: header, type, ...more } };
}

/** Reads a whole file: these have some megabytes at most. What is larger is better streamed to the import endpoint. */
export async function readCsv(directory: string, file: string): Promise<CsvRow[]> {
  const text = await readFile(path.join(directory, file)).catch((error: unknown) => {
    throw new UsageError(`Cannot read ${path.join(directory, file)} (${(error as NodeJS.ErrnoException).code ?? ''}).`);
  });
  return parse<CsvRow>(text, { columns: true, bom: true });
}

/**
 * Makes a table of CSV rows. A header that no column describes becomes a text column: a publisher who adds one next
 * year loses nothing. A column whose header is missing means that this is another file than it should be.
 */
export function tableOf(type: Entity, name: string, described: SourceColumn[], rows: CsvRow[]): Table {
  const headers = new Set(rows.flatMap(Object.keys));
  const missing = described.filter(({ header }) => rows.length > 0 && !headers.has(header));
  if (missing.length > 0) {
    throw new UsageError(`The data of "${name}" has no column ${missing.map(({ header }) => header).join(', ')}.`);
  }
  const others = [...headers].filter((header) => !described.some((one) => one.header === header));
  const columns = [...described, ...others.map((header) => column(header, 'text'))];
  return {
    type,
    name,
    columns: columns.map(({ definition }) => definition),
    items: rows.map((row) => itemOf(columns, row)),
  };
}

/**
 * Cells go as the text they are, whatever the column's type: the service converts what converts without loss, and
 * refuses the rest by row and column. Converting here would lose in silence, as `Number('9007199254740993')` does.
 *
 * An empty cell is no value, so `null`; only a checkbox reads it, as "no" (SAP writes its flags as "X" and "").
 */
function itemOf(columns: SourceColumn[], row: CsvRow): Item {
  const item: Item = {};
  for (const { header, definition } of columns) {
    const { key, type } = definition;
    const cell = row[header] ?? '';
    item[key] = cell === '' && type !== 'checkbox' ? null : cell;
  }
  return item;
}
