import { readFile } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Cell as WorkbookCell, Sheet, Workbook } from 'hucre';
import { cellRef, readXlsx, writeXlsxStream } from 'hucre/xlsx';
import { UsageError } from '../exit-codes.js';
import { emptyFile } from './csv.js';
import { findRepeatedHeader, requireHeader } from './header.js';
import { displayNumber } from './number-format.js';
import { type Cell, InvalidCell, PaddedNumber, type SourceRow } from './source-row.js';
import { type SheetContent, WorkbookCheck, type WorkbookSheet } from './workbook-check.js';

interface SheetOptions {
  /** The name of the sheet; by default the first visible one. */
  sheet: string | undefined;
  /** The row of the header, from 1. */
  headerRow: number;
}

const BLOCK_ROWS = 1_000;
const DAY_MS = 86_400_000;
/** Excel has a 29 February 1900, so the dates before it are not exact. */
const FIRST_DATE = Date.UTC(1900, 2, 1);
/** Day 0 of times and durations. */
const EPOCHS = { '1900': Date.UTC(1899, 11, 31), '1904': Date.UTC(1904, 0, 1) };

/**
 * The rows of one sheet, in blocks. A workbook is read into memory, a million rows at most.
 *
 * @throws {UsageError} for a value in a column without a name
 */
export async function* readWorkbook(
  path: string,
  { sheet: name, headerRow }: SheetOptions,
  takeHeader: (header: readonly string[], sheet: string) => void,
): AsyncGenerator<SourceRow[], void> {
  const { workbook, sheet } = await openSheet(path, name);
  if (sheet.rows.length < headerRow) throw emptyFile(headerRow);
  const merged = new MergedCells(sheet, headerRow);
  const width = Math.max(0, ...sheet.rows.slice(0, headerRow + 1).map((row) => row.length));
  const header = Array.from({ length: width }, (_, column) => {
    const row = merged.findOrigin(headerRow - 1, column) ?? headerRow - 1;
    return sheet.rows[row]?.[column] ?? '';
  });
  const noName = header.findIndex((cell) => cell instanceof Date);
  if (noName >= 0)
    throw new UsageError(
      `Sheet "${sheet.name}": the cell ${cellRef(headerRow - 1, noName)} of the header is a date. Name the column by a text. Nothing was stored.`,
    );
  const names = requireHeader(header.map(String), headerRow);
  takeHeader(names, sheet.name);
  let block: SourceRow[] = [];
  for (let position = headerRow; position < sheet.rows.length; position++) {
    const row = sheet.rows[position]!;
    const cells = Array.from({ length: Math.max(row.length, names.length) }, (_, column) =>
      merged.readCell(position, column, (row) => readCell(workbook, sheet, row, column)),
    );
    if (cells.every((cell) => cell === null || cell === '')) continue;
    const unnamed = cells.findIndex((cell, column) => cell !== null && cell !== '' && !names[column]);
    if (unnamed >= 0) {
      const address = cellRef(position, unnamed);
      throw new UsageError(
        `Sheet "${sheet.name}": the cell ${address} has a value, but its column has no name in row ${headerRow}. ` +
          'Name the column, or set --header-row to the row of the header. Nothing was stored.',
      );
    }
    const named = cells.slice(0, names.length);
    block.push({ line: position + 1, names, cells: named, problem: findRepeatedHeader(names, named) });
    if (block.length < BLOCK_ROWS) continue;
    yield block;
    block = [];
  }
  yield block;
}

async function openSheet(path: string, name: string | undefined): Promise<{ workbook: Workbook; sheet: Sheet }> {
  const { check, chosen, content } = checkWorkbook(await readFile(path), name);
  // Formatted cells without a value after the last one would cost time and memory.
  const [row, column] = [Math.max(1, content.lastRow), Math.max(1, content.lastColumn)];
  const range = `A1:${cellRef(row - 1, column - 1)}`;
  let workbook: Workbook;
  try {
    const sheets = (_: unknown, index: number): boolean => index === check.sheets.indexOf(chosen);
    workbook = await readXlsx(check.bytes, { readStyles: true, sheets, range });
  } catch {
    // The message of the library names its own parts.
    throw unreadable(new Error('its content is damaged'));
  }
  const [sheet] = workbook.sheets;
  const filled = sheet ? countFilled(sheet) : 0;
  if (!sheet || filled !== content.filled)
    throw unreadable(new Error(`sheet "${chosen.name}" has ${content.filled} values, but ${filled} could be read`));
  return { workbook, sheet };
}

/** @throws {UsageError} if the workbook is damaged, or does not have the sheet */
function checkWorkbook(
  bytes: Buffer,
  name: string | undefined,
): { check: WorkbookCheck; chosen: WorkbookSheet; content: SheetContent } {
  try {
    const check = new WorkbookCheck(bytes);
    const chosen = check.sheets.find((sheet) =>
      name === undefined ? sheet.isVisible && sheet.isWorksheet : sheet.name === name,
    );
    if (!chosen?.isWorksheet) throw missingSheet(check.sheets, name);
    return { check, chosen, content: check.checkSheet(chosen) };
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(error);
  }
}

function missingSheet(sheets: readonly WorkbookSheet[], name: string | undefined): UsageError {
  const isOther = sheets.some((sheet) => sheet.name === name);
  const problem =
    name === undefined ? 'has no visible sheet with cells' : `has no sheet "${name}"${isOther ? ' with cells' : ''}`;
  const names = sheets.map((sheet) => sheet.name).join(', ');
  return new UsageError(`The workbook ${problem}. Its sheets: ${names}. Set --sheet.`);
}

function unreadable(error: unknown): UsageError {
  // Positions outside of the file are errors of Node.
  const reason = error instanceof RangeError ? 'its archive is damaged' : (error as Error).message;
  return new UsageError(`The workbook cannot be read: ${reason}. Save it again. Nothing was stored.`);
}

function countFilled({ rows }: Sheet): number {
  let filled = 0;
  for (const row of rows) for (const value of row) if ((value ?? '') !== '') filled++;
  return filled;
}

/**
 * Merged cells, of which a workbook has only the first one. Cells that are merged in one column have its value; cells
 * of several columns have no certain value.
 */
class MergedCells {
  /** The first row of merged cells, by column and row; undefined for cells of several columns. */
  private readonly origins = new Map<string, { row: number | undefined; range: string }>();

  /** @throws {UsageError} for cells that are merged with cells of the header */
  constructor({ name, rows, merges = [] }: Sheet, headerRow: number) {
    for (const { startRow, startCol, endRow, endCol } of merges) {
      const range = `${cellRef(startRow, startCol)}:${cellRef(endRow, endCol)}`;
      if (startRow < headerRow && endRow >= headerRow)
        throw new UsageError(
          `Sheet "${name}": the cells ${range} are merged with those of the header in row ${headerRow}. Split them, or set --header-row. Nothing was stored.`,
        );
      const origin = startCol === endCol ? startRow : undefined;
      // Cells after the last value have none.
      for (let row = Math.max(startRow, headerRow - 1); row <= Math.min(endRow, rows.length - 1); row++)
        for (let column = startCol; column <= Math.min(endCol, MAX_COLUMNS); column++)
          if (row !== startRow || column !== startCol) this.origins.set(`${row},${column}`, { row: origin, range });
    }
  }

  /** The row with the value of a merged cell. */
  findOrigin(row: number, column: number): number | undefined {
    return this.origins.get(`${row},${column}`)?.row;
  }

  /** @param read reads the cell of the column in a row */
  readCell(row: number, column: number, read: (row: number) => Cell): Cell {
    const origin = this.origins.size === 0 ? undefined : this.origins.get(`${row},${column}`);
    if (!origin) return read(row);
    const own = read(row);
    if (origin.row !== undefined && (own === null || own === '')) return read(origin.row);
    return new InvalidCell(cellRef(row, column), `the cells ${origin.range} are merged`);
  }
}

function readCell({ dateSystem = '1900' }: Workbook, sheet: Sheet, row: number, column: number): Cell {
  const value = sheet.rows[row]![column] ?? null;
  const cell: Partial<WorkbookCell> = sheet.cells?.get(`${row},${column}`) ?? {};
  const reject = (problem: string): InvalidCell => new InvalidCell(cellRef(row, column), problem);
  if (cell.type === 'error') return reject(String(value));
  if (value === null) return cell.formula === undefined ? null : reject('formula without a stored value');
  const format = cell.style?.numFmt ?? '';
  if (value instanceof Date) return readDate(value, format, EPOCHS[dateSystem], reject);
  if (typeof value !== 'number') return value;
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return reject(`${value} is beyond 2^53: digits are lost`);
  const displayed = displayNumber(value, format);
  if (!displayed) return value;
  if (displayed.text === undefined) return reject(`${value} is not displayed as it is by the format ${format}`);
  return new PaddedNumber(value, displayed.text, displayed.isKey);
}

/**
 * A date, a date-time (read as UTC: a workbook has no time zone), a time such as `08:30`, or a duration such as
 * `36:00`.
 */
function readDate(date: Date, format: string, epoch: number, reject: (problem: string) => InvalidCell): Cell {
  // Quoted texts, and brackets such as colors and locales, but not those of durations.
  const parts = format.toLowerCase().replace(/"[^"]*"|\\.|\[(?!(?:h+|m+|s+)\])[^\]]*\]/g, '');
  const seconds = Math.round((date.getTime() - epoch) / 1_000);
  if (/\[(?:h+|m+|s+)\]/.test(parts)) return toClock(seconds, parts);
  const isTime = /[hs]/.test(parts) && !/[yd]/.test(parts);
  if (isTime) return toClock(((seconds % 86_400) + 86_400) % 86_400, parts);
  if (epoch === EPOCHS['1900'] && date.getTime() < FIRST_DATE) return reject('a date before 1900-03-01 is not exact');
  const iso = date.toISOString();
  return date.getTime() % DAY_MS === 0 ? iso.slice(0, 10) : iso;
}

/** `08:30`, or `08:30:15` if the seconds are displayed or not zero. */
function toClock(seconds: number, format: string): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${two(hours)}:${two(minutes)}${rest > 0 || format.includes('s') ? `:${two(rest)}` : ''}`;
}

/** Limits of Excel. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
const MAX_TEXT = 32_767;

type Value = string | number | boolean | null;

/** Writes rows as a workbook of one sheet, in constant memory. @throws {UsageError} if Excel cannot have them */
export async function writeWorkbook(
  columns: string[],
  rows: AsyncIterable<Record<string, Value>>,
  target: Writable,
  { end }: { end: boolean },
): Promise<void> {
  if (columns.length > MAX_COLUMNS) throw tooLarge(`${columns.length} columns`, MAX_COLUMNS);
  const written = async function* (): AsyncGenerator<Value[], void> {
    yield columns;
    let count = 1;
    for await (const row of rows) {
      if (++count > MAX_ROWS) throw tooLarge(`more than ${MAX_ROWS - 1} rows`, MAX_ROWS - 1);
      yield columns.map((column) => toWorkbookValue(row[column] ?? null, `row ${count}, column ${column}`));
    }
  };
  const stream = writeXlsxStream(written(), { name: 'Rows' });
  await pipeline(Readable.fromWeb(stream as ReadableStream), target, { end });
}

function toWorkbookValue(value: Value, position: string): Value {
  if (typeof value !== 'string') return value;
  if (value.length > MAX_TEXT) throw tooLarge(`a text of ${value.length} characters (${position})`, MAX_TEXT);
  // The library escapes control characters as `_x0001_`, but not texts that look like an escaped character.
  return value.replace(/_(?=x[\da-f]{4}_)/gi, '_x005F_');
}

function tooLarge(what: string, limit: number): UsageError {
  return new UsageError(`The export has ${what}; Excel has at most ${limit}. Export CSV, or fewer rows by --filter.`);
}
