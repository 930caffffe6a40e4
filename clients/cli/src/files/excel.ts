import { readFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { writeXlsxStream } from 'hucre/xlsx';
import { Workbook, WorkbookError } from '../../../../packages/tabular/src/workbook/workbook.js';
import { FileError, UsageError } from '../exit-codes.js';
import { writeBody } from '../io.js';
import { findRepeatedHeader } from './header.js';
import type { SourceRow } from './source-row.js';

interface SheetOptions {
  /** The name of the sheet; by default the first visible one. */
  sheet: string | undefined;
  /** The row of the header, from 1. */
  headerRow: number;
}

const BLOCK_ROWS = 1_000;
/** Of all parts of a workbook, decompressed. */
const MAX_BYTES = 1_073_741_824;

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
  try {
    const bytes = new Uint8Array(await readFile(path));
    const workbook = await Workbook.open(bytes, MAX_BYTES, { sheet: '--sheet', headerRow: '--header-row' });
    const { sheet, names, rows } = await workbook.read(name, headerRow);
    takeHeader(names, sheet);
    let block: SourceRow[] = [];
    for (const { line, cells } of rows) {
      block.push({ line, names, cells, problem: findRepeatedHeader(names, cells) });
      if (block.length < BLOCK_ROWS) continue;
      yield block;
      block = [];
    }
    yield block;
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error;
    throw new FileError(error.message);
  }
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
  end: boolean,
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
  await writeBody(stream, target, end);
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
