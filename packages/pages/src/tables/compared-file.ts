import type {
  Column,
  ComparisonSummary,
  CompareOptions,
  Difference,
  FileOptions,
  Row,
  RowError,
  TableClient,
  Value,
} from '@atrium/client';
import { ColumnFinder } from '../../../tabular/src/column-finder.js';
import { CsvRecords } from '../../../tabular/src/csv-records.js';
import { findForeignFormat, isZip } from '../../../tabular/src/foreign-formats.js';
import type { FileForm } from './file-form.js';

export const DELIMITERS: Record<string, string> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'vertical bar' };

/** Group separators, which are not the decimal separator. */
export const GROUP_SEPARATORS = { '.': 'point', ',': 'comma', ' ': 'space', "'": 'apostrophe' } as const;

function isSeparator(text: string): text is keyof typeof GROUP_SEPARATORS {
  return Object.hasOwn(GROUP_SEPARATORS, text);
}

/** Encodings of files that programs write. All others of the WHATWG Encoding Standard can be entered. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'windows-1252', 'windows-1250', 'iso-8859-15', 'shift_jis'];

/** A row of the file that is not valid. */
export interface InvalidRow {
  change: 'error';
  line: number | undefined;
  /** The sent texts by column. */
  cells: Record<string, string>;
  errors: Record<string, string[]>;
  /** Errors without a column, and those of columns that the table lacks. */
  rowErrors: string[];
}

export type ChangedRow = Extract<Difference, { key: string; columns: object }>;
export type ComparedRow = InvalidRow | ChangedRow;

/** How many rows of each kind are shown. */
export const MAX_SHOWN = 1_000;

/** The bytes in which the header is. */
const HEADER_BYTES = 65_536;
/** The bytes in which the table of contents of a workbook is. */
const END_BYTES = 1_048_576;

/** What is known of a comparison so far. */
export interface Comparison {
  rows: ComparedRow[];
  received: number;
  /** Rows by their kind, also those that are not shown. */
  counts: Record<ComparedRow['change'], number>;
  /** Absent until the service has sent the last line. */
  summary?: ComparisonSummary;
}

/** A file, and how the service reads it: the same for a comparison and an import. */
export interface PreparedFile {
  file: Blob;
  options: FileOptions;
  /** The texts of a row that was sent, by column. */
  toCells: (sent: string) => Record<string, string>;
}

/** @throws {Error} if the form does not suit the file. Nothing was sent. */
export async function prepareFile(columns: readonly Column[], file: File, form: FileForm): Promise<PreparedFile> {
  if (await isWorkbook(file)) return prepareWorkbook(columns, file, form);
  const format = /\.(ndjson|jsonl)$/i.test(file.name) ? 'ndjson' : 'csv';
  const delimiter = format === 'csv' ? form.delimiter || (await detectDelimiter(file, form.charset)) : ',';
  const header = format === 'csv' ? await readHeader(file, form.charset, delimiter) : [];
  const toCells = (sent: string) => (format === 'csv' ? readCells(sent, header, delimiter, columns) : readJson(sent));
  const options: FileOptions = { ...readDialect(form), format };
  if (format === 'csv' && delimiter !== ',') options.delimiter = delimiter === '\t' ? 'tab' : delimiter;
  if (form.charset) options.charset = form.charset;
  if (form.ignoresUnknownColumns) options.unknownColumns = 'ignore';
  return { file, options, toCells };
}

/** How texts of cells become values. */
function readDialect(form: FileForm): FileOptions {
  const options: FileOptions = {};
  if (form.decimal === ',') options.decimal = ',';
  if (isSeparator(form.thousands)) options.thousands = form.thousands;
  if (form.dateFormat) options.dateFormat = form.dateFormat.split(',').map((each) => each.trim());
  if (form.timezone) options.timezone = form.timezone;
  return options;
}

/** The sheets of a workbook from which the user must choose one; none of other files. @throws {Error} */
export async function listSheets(file: File): Promise<readonly string[]> {
  if (!(await isWorkbook(file))) return [];
  const { openWorkbook } = await loadReader();
  const { visibleSheets } = await openWorkbook(file);
  return visibleSheets.length > 1 ? visibleSheets : [];
}

async function prepareWorkbook(columns: readonly Column[], file: File, form: FileForm): Promise<PreparedFile> {
  try {
    const { openWorkbook, toNdjson } = await loadReader();
    const rows = await toNdjson(await openWorkbook(file), columns, form);
    return { file: rows, options: { ...readDialect(form), format: 'ndjson' }, toCells: readJson };
  } catch (error) {
    throw new Error(`${(error as Error).message} Nothing was sent.`, { cause: error });
  }
}

/** The reader is larger than the page, which loads it only for a workbook. The build writes it next to the page. */
const loadReader = () => import('./workbook-reader.js');

/** @throws {Error} for a file in a format that is not read */
async function isWorkbook(file: File): Promise<boolean> {
  const [start, end] = await Promise.all(
    [file.slice(0, HEADER_BYTES), file.slice(-END_BYTES)].map(async (part) => new Uint8Array(await part.arrayBuffer())),
  );
  const foreign = findForeignFormat(start!, end!);
  if (foreign !== undefined) throw new Error(`${file.name} ${foreign} Nothing was sent.`);
  return isZip(start!);
}

/** Compares a file with a table. Nothing is stored. @yields the comparison so far @throws {AtriumError | Error} */
export async function* compareFile(
  table: TableClient,
  columns: readonly Column[],
  { file, options: fileOptions, toCells }: PreparedFile,
  signal: AbortSignal,
): AsyncGenerator<Comparison, void> {
  const comparison: Comparison = { rows: [], received: 0, counts: { error: 0, create: 0, update: 0, delete: 0 } };
  const onSummary = (summary: ComparisonSummary) => (comparison.summary = summary);
  const options: CompareOptions<Row> = { ...fileOptions, signal, onSummary };
  let invalid: { index: number | undefined; row: InvalidRow } | undefined;
  for await (const difference of table.compare(file, options)) {
    comparison.received++;
    const { change } = difference;
    if (change !== 'error') {
      if (comparison.counts[change]++ < MAX_SHOWN) comparison.rows.push(difference);
    } else if (invalid && difference.index === invalid.index) {
      addError(invalid.row, difference, columns);
    } else {
      const row: InvalidRow = {
        change: 'error',
        line: difference.line,
        cells: toCells(difference.sent),
        errors: {},
        rowErrors: [],
      };
      addError(row, difference, columns);
      invalid = { index: difference.index, row };
      if (comparison.counts.error++ < MAX_SHOWN) comparison.rows.push(row);
    }
    if (comparison.received % MAX_SHOWN === 0) yield comparison;
  }
  yield comparison;
}

function addError(row: InvalidRow, { column, message }: RowError, columns: readonly Column[]): void {
  if (column !== undefined && columns.some(({ key }) => key === column)) (row.errors[column] ??= []).push(message);
  else row.rowErrors.push(message);
}

/** @throws {Error} if the header contains several of the usual delimiters */
async function detectDelimiter(file: File, charset: string): Promise<string> {
  const text = await readStart(file, charset);
  const found = Object.entries(DELIMITERS).filter(([delimiter]) => (readRecord(text, delimiter)?.length ?? 0) > 1);
  if (found.length > 1) {
    const named = found.map(([, name]) => name).join(' or ');
    throw new Error(`The cells of the header may be separated by ${named}. Choose the delimiter. Nothing was sent.`);
  }
  return found[0]?.[0] ?? ',';
}

async function readHeader(file: File, charset: string, delimiter: string): Promise<string[]> {
  const cells = readRecord(await readStart(file, charset), delimiter) ?? [];
  return cells.map((cell) => cell ?? '');
}

/** @throws {Error} if the browser does not know the encoding */
async function readStart(file: File, charset: string): Promise<string> {
  try {
    return new TextDecoder(charset || 'utf-8').decode(await file.slice(0, HEADER_BYTES).arrayBuffer());
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error(`"${charset}" is not a known encoding. Enter a label such as windows-1252. Nothing was sent.`, {
      cause: error,
    });
  }
}

/** The first record of a text. Undefined if its quotes are not valid, which the service reports with the line. */
function readRecord(text: string, delimiter: string): (string | null)[] | undefined {
  let first: (string | null)[] | undefined;
  try {
    // The end of the last line is the end of a record that may be cut.
    new CsvRecords(Infinity, { delimiter }).read(`${text}\n`, (cells) => (first ??= cells));
  } catch {
    return first;
  }
  return first;
}

function readCells(
  sent: string,
  header: readonly string[],
  delimiter: string,
  columns: readonly Column[],
): Record<string, string> {
  const cells = readRecord(sent, delimiter) ?? [];
  const finder = new ColumnFinder(columns);
  const found: Record<string, string> = {};
  for (const [position, name] of header.entries()) {
    const [column] = finder.find(name);
    if (column !== undefined) found[column.key] = cells[position] ?? '';
  }
  return found;
}

/** A line of NDJSON, whose names are keys of columns. */
function readJson(sent: string): Record<string, string> {
  try {
    const row = JSON.parse(sent) as Record<string, Value>;
    return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toText(value)]));
  } catch {
    return {};
  }
}

/** An object is not a value of a column: it has the address of a cell of a workbook, and its problem. */
function toText(value: Value | object): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
