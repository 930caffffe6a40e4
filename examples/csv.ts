import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ColumnDefinition, ColumnType, Entity, Row } from '@atrium/client';
import { parse } from 'csv-parse/sync';
import { UsageError } from './credentials.js';

/** A record of a CSV file: header to cell. */
export type CsvRow = Record<string, string>;

/** A column of a table, and the CSV header that fills it. */
export interface SourceColumn {
  header: string;
  definition: ColumnDefinition & { key: string };
}

/** A table to push, with all its rows. */
export interface Table {
  type: Entity;
  name: string;
  columns: ColumnDefinition[];
  items: Row[];
}

/** Describes a column. By default its key is the CSV header in lower case, and its name is the header. */
export function column(header: string, type: ColumnType, more: Partial<ColumnDefinition> = {}): SourceColumn {
  return { header, definition: { key: header.toLowerCase(), name: header, type, ...more } };
}

/** Reads a whole file of some megabytes. Stream larger files to the import endpoint instead. */
export async function readCsv(directory: string, file: string): Promise<CsvRow[]> {
  const text = await readFile(path.join(directory, file)).catch((error: unknown) => {
    throw new UsageError(`Cannot read ${path.join(directory, file)} (${(error as NodeJS.ErrnoException).code ?? ''}).`);
  });
  return parse<CsvRow>(text, { columns: true, bom: true });
}

/**
 * Builds a table from CSV rows. A header without a described column becomes a text column, so that columns which the
 * publisher adds later are not lost.
 *
 * @throws {UsageError} if the header of a described column is missing, because then it is the wrong file.
 */
export function buildTable(type: Entity, name: string, described: SourceColumn[], rows: CsvRow[]): Table {
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
    items: rows.map((row) => buildItem(columns, row)),
  };
}

/**
 * Sends cells as text, whatever the type of the column. The service converts without loss or rejects the cell with its
 * row and column. A conversion here would lose digits silently, as `Number('9007199254740993')` does.
 *
 * An empty cell is `null`, except for a checkbox, where it means "no" (SAP writes its flags as "X" and "").
 */
function buildItem(columns: SourceColumn[], row: CsvRow): Row {
  const item: Row = {};
  for (const { header, definition } of columns) {
    const { key, type } = definition;
    const cell = row[header] ?? '';
    item[key] = cell === '' && type !== 'checkbox' ? null : cell;
  }
  return item;
}
