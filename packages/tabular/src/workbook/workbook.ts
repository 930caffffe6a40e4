import type { Cell, Sheet, Workbook as ReadWorkbook } from 'hucre';
import { cellRef, readXlsx } from 'hucre/xlsx';
import { InvalidCell, PaddedNumber, type WorkbookCell } from './cells.js';
import { displayNumber } from './number-format.js';
import { type SheetContent, WorkbookCheck, type WorkbookSheet } from './workbook-check.js';

/** A workbook cannot be read, or its rows cannot be assigned to columns. The message names sheet and cell. */
export class WorkbookError extends Error {}

export interface SheetRows {
  sheet: string;
  /** The names of the columns, without outer white space. Empty names belong to columns without values. */
  names: readonly string[];
  /** The rows with a value, each with its row in the sheet, from 1. @throws {WorkbookError} */
  rows: Iterable<{ line: number; cells: readonly WorkbookCell[] }>;
}

/** How the caller names what the user can set, for messages. */
export interface SettingNames {
  sheet: string;
  headerRow: string;
}

const DAY_MS = 86_400_000;
const MAX_COLUMNS = 16_384;
/** Characters of a number format; Excel permits as many. */
const MAX_FORMAT = 255;
/** Day 0 of dates since 1 March 1900. Excel has a 29 February 1900, so earlier dates are not exact. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const FIRST_DATE = Date.UTC(1900, 2, 1);
const EPOCH_1904 = Date.UTC(1904, 0, 1);

/** A workbook in memory. It runs in Node and in browsers. */
export class Workbook {
  private constructor(
    private readonly bytes: Uint8Array<ArrayBuffer>,
    private readonly check: WorkbookCheck,
    private readonly settings: SettingNames,
  ) {}

  /**
   * @param maxBytes of all parts, decompressed: memory is several times as much.
   * @throws {WorkbookError} if the workbook is damaged or larger
   */
  static async open(bytes: Uint8Array<ArrayBuffer>, maxBytes: number, settings: SettingNames): Promise<Workbook> {
    const check = await WorkbookCheck.open(bytes, maxBytes).catch(rejectUnreadable);
    return new Workbook(bytes, check, settings);
  }

  /** The names of the visible sheets with cells. */
  get visibleSheets(): string[] {
    return this.check.sheets.filter((sheet) => sheet.isVisible && sheet.isWorksheet).map((sheet) => sheet.name);
  }

  /**
   * Reads a sheet.
   *
   * @param name of the sheet; by default the first visible one
   * @param headerRow from 1
   * @throws {WorkbookError} if the sheet does not exist, is damaged, or has no names in the row of the header
   */
  async read(name: string | undefined, headerRow: number): Promise<SheetRows> {
    const sheet = await this.load(this.choose(name));
    if (sheet.rows.length < headerRow)
      throw new WorkbookError(`Sheet "${sheet.name}" has no row ${headerRow}, in which the header should be.`);
    const merged = new MergedCells(sheet, headerRow, this.settings.headerRow);
    const names = this.readNames(sheet, headerRow, merged);
    const read = (row: number, column: number): WorkbookCell =>
      merged.readCell(row, column, (origin) => readCell(sheet, origin, column, this.check.is1904));
    return { sheet: sheet.name, names, rows: this.readRows(sheet, headerRow, names, read) };
  }

  private readNames({ name, rows }: Sheet, headerRow: number, merged: MergedCells): string[] {
    const width = Math.max(0, ...rows.slice(0, headerRow + 1).map((row) => row.length));
    const header = Array.from({ length: width }, (_, column) => {
      const row = merged.findOrigin(headerRow - 1, column) ?? headerRow - 1;
      return rows[row]?.[column] ?? '';
    });
    const date = header.findIndex((cell) => cell instanceof Date);
    if (date >= 0)
      throw new WorkbookError(
        `Sheet "${name}": the cell ${cellRef(headerRow - 1, date)} of the header is a date. Name the column by a text.`,
      );
    const names = header.map((cell) => String(cell).trim());
    if (names.every((each) => each === ''))
      throw new WorkbookError(
        `Sheet "${name}": row ${headerRow} has no names of columns. Set ${this.settings.headerRow} to the row of the header.`,
      );
    return names;
  }

  private *readRows(
    { name, rows }: Sheet,
    headerRow: number,
    names: readonly string[],
    read: (row: number, column: number) => WorkbookCell,
  ): Generator<{ line: number; cells: WorkbookCell[] }, void> {
    const isEmpty = (cell: WorkbookCell): boolean => cell === null || cell === '';
    for (let row = headerRow; row < rows.length; row++) {
      const length = Math.max(rows[row]!.length, names.length);
      const cells = Array.from({ length }, (_, column) => read(row, column));
      if (cells.every(isEmpty)) continue;
      const unnamed = cells.findIndex((cell, column) => !isEmpty(cell) && !names[column]);
      if (unnamed >= 0)
        throw new WorkbookError(
          `Sheet "${name}": the cell ${cellRef(row, unnamed)} has a value, but its column has no name in row ${headerRow}. ` +
            `Name the column, or set ${this.settings.headerRow} to the row of the header.`,
        );
      yield { line: row + 1, cells: cells.slice(0, names.length) };
    }
  }

  private choose(name: string | undefined): WorkbookSheet {
    const { sheets } = this.check;
    const chosen = sheets.find((sheet) =>
      name === undefined ? sheet.isVisible && sheet.isWorksheet : sheet.name === name,
    );
    if (chosen?.isWorksheet) return chosen;
    const problem =
      name === undefined ? 'has no visible sheet with cells' : `has no sheet "${name}"${chosen ? ' with cells' : ''}`;
    const names = sheets.map((sheet) => sheet.name).join(', ');
    throw new WorkbookError(`The workbook ${problem}. Its sheets: ${names}. Set ${this.settings.sheet}.`);
  }

  private async load(chosen: WorkbookSheet): Promise<Sheet> {
    const content = await this.check.checkSheet(chosen).catch(rejectUnreadable);
    const workbook = await this.readChecked(chosen, content).catch(() =>
      // The message of the library names its own parts.
      rejectUnreadable(new Error('its content is damaged')),
    );
    const [sheet] = workbook.sheets;
    const filled = sheet ? countFilled(sheet) : 0;
    if (sheet && filled === content.filled) return sheet;
    const problem = `sheet "${chosen.name}" has ${content.filled} values, but ${filled} could be read`;
    return rejectUnreadable(new Error(problem));
  }

  private readChecked(chosen: WorkbookSheet, { lastRow, lastColumn }: SheetContent): Promise<ReadWorkbook> {
    // Formatted cells without a value after the last one would cost time and memory.
    const range = `A1:${cellRef(Math.max(1, lastRow) - 1, Math.max(1, lastColumn) - 1)}`;
    const sheets = (_: unknown, index: number): boolean => index === this.check.sheets.indexOf(chosen);
    // Only dates since 1904 have all serial numbers: the library reads 59 and 60 as 28 February 1900.
    return readXlsx(this.bytes, { readStyles: true, sheets, range, dateSystem: '1904' });
  }
}

/** @throws {WorkbookError} */
function rejectUnreadable(error: unknown): never {
  // Positions outside of the file are errors of the engine.
  const reason = error instanceof RangeError ? 'its archive is damaged' : (error as Error).message;
  throw new WorkbookError(`The workbook cannot be read: ${reason}. Save it again.`);
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

  /** @throws {WorkbookError} for cells that are merged with cells of the header */
  constructor({ name, rows, merges = [] }: Sheet, headerRow: number, setting: string) {
    for (const { startRow, startCol, endRow, endCol } of merges) {
      const range = `${cellRef(startRow, startCol)}:${cellRef(endRow, endCol)}`;
      if (startRow < headerRow && endRow >= headerRow)
        throw new WorkbookError(
          `Sheet "${name}": the cells ${range} are merged with those of the header in row ${headerRow}. Split them, or set ${setting}.`,
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
  readCell(row: number, column: number, read: (row: number) => WorkbookCell): WorkbookCell {
    const origin = this.origins.size === 0 ? undefined : this.origins.get(`${row},${column}`);
    if (!origin) return read(row);
    const own = read(row);
    if (origin.row !== undefined && (own === null || own === '')) return read(origin.row);
    return new InvalidCell(cellRef(row, column), `the cells ${origin.range} are merged`);
  }
}

function readCell(sheet: Sheet, row: number, column: number, is1904: boolean): WorkbookCell {
  const value = sheet.rows[row]![column] ?? null;
  const cell: Partial<Cell> = sheet.cells?.get(`${row},${column}`) ?? {};
  const reject = (problem: string): InvalidCell => new InvalidCell(cellRef(row, column), problem);
  if (cell.type === 'error') return reject(String(value));
  if (value === null) return cell.formula === undefined ? null : reject('formula without a stored value');
  const format = cell.style?.numFmt ?? '';
  if (format.length > MAX_FORMAT) return reject(`a number format of more than ${MAX_FORMAT} characters`);
  if (value instanceof Date) return readDate(value.getTime() - EPOCH_1904, format, is1904, reject);
  if (typeof value !== 'number') return value;
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return reject(`${value} is beyond 2^53: digits are lost`);
  const displayed = displayNumber(value, format);
  if (!displayed) return value;
  const text = displayed.text ?? reject(`${value} is not displayed as it is by the format ${format}`);
  return new PaddedNumber(value, text, displayed.isKey);
}

/**
 * A date, a date-time (read as UTC: a workbook has no time zone), a time such as `08:30`, or a duration such as
 * `36:00`.
 *
 * @param serial the number of the cell, in milliseconds; NaN if it is beyond all dates
 */
function readDate(
  serial: number,
  format: string,
  is1904: boolean,
  reject: (problem: string) => InvalidCell,
): WorkbookCell {
  const date = new Date(serial + (is1904 ? EPOCH_1904 : EPOCH_1900));
  const year = date.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) return reject('a date outside of the years 1 to 9999');
  // Quoted texts, and brackets such as colors and locales, but not those of durations.
  const parts = format.toLowerCase().replace(/"[^"]*"|\\.|\[(?!(?:h+|m+|s+)\])[^\]]*\]/g, '');
  if (/\[(?:h+|m+|s+)\]/.test(parts)) return toClock(serial, parts);
  const isTime = /[hs]/.test(parts) && !/[yd]/.test(parts);
  if (isTime && serial < 0) return reject('a time before 00:00');
  if (isTime) return toClock(serial % DAY_MS, parts);
  if (!is1904 && date.getTime() < FIRST_DATE) return reject('a date before 1900-03-01 is not exact');
  const iso = date.toISOString();
  return serial % DAY_MS === 0 ? iso.slice(0, 10) : iso;
}

/** `08:30`, `08:30:15` if the seconds are displayed or not zero, `-08:30:15.250` if they have decimals. */
function toClock(milliseconds: number, format: string): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  const total = Math.abs(milliseconds);
  const [hours, minutes] = [Math.floor(total / 3_600_000), Math.floor(total / 60_000) % 60];
  const [seconds, decimals] = [Math.floor(total / 1_000) % 60, total % 1_000];
  const clock = `${milliseconds < 0 ? '-' : ''}${two(hours)}:${two(minutes)}`;
  if (decimals > 0) return `${clock}:${two(seconds)}.${String(decimals).padStart(3, '0')}`;
  return seconds > 0 || format.includes('s') ? `${clock}:${two(seconds)}` : clock;
}
