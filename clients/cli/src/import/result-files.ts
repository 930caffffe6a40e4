import { createWriteStream } from 'node:fs';
import { appendFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { guardFormula, toCsvRecord } from '../../../../packages/tabular/src/csv-text.js';
import { InvalidCell, PaddedNumber } from '../../../../packages/tabular/src/workbook/cells.js';
import type { FileKind } from '../choices.js';
import type { ReportedError } from '../failure.js';
import { type Cell, CellReader, ERROR_COLUMNS, type SourceRow, toText } from '../files/source-row.js';

const FILES = ['created', 'updated', 'deleted', 'rejected', 'skipped'] as const;
type ResultFile = (typeof FILES)[number];
/** The files whose rows have an error. */
const WITH_ERRORS: readonly ResultFile[] = ['rejected', 'skipped'];
/** The kinds of files whose cells have types. */
const OBJECTS: readonly FileKind[] = ['ndjson', 'xlsx'];

export interface ResultRow extends SourceRow {
  error?: ReportedError;
}

const ENDINGS = ['csv', 'ndjson'];
export const SUMMARY_FILE = 'summary.json';
export const ERRORS_FILE = 'errors.ndjson';

/** Is it the name of a file that a load writes? */
export function isResultFile(name: string): boolean {
  return listNames().includes(name);
}

/** Removes the files of an earlier load, so that none is taken for a result of the next one. */
export async function removeResultFiles(directory: string): Promise<void> {
  for (const name of listNames()) await rm(join(directory, name), { force: true });
}

/** The summary is last: if the removal is interrupted, it still shows that the others are files of a load. */
function listNames(): string[] {
  return [ERRORS_FILE, ...FILES.flatMap((name) => ENDINGS.map((ending) => `${name}.${ending}`)), SUMMARY_FILE];
}

const NUMBER = /^[-+]?[\d.,]+$/;

interface ResultFilesOptions {
  /** The columns of the imported file. */
  header: string[];
  /** The column of the file with the primary key, for `deleted.csv`; undefined if no rows can be deleted. */
  deletedKey: string | undefined;
  /** Does a rule choose one of several rows with the same key? */
  hasSkipped: boolean;
  /** Between cells, as in the imported file. */
  delimiter: string;
  /**
   * Of the imported file. Rejected and skipped rows of NDJSON and of workbooks are written as objects: an empty cell
   * would clear a value that an object lacks, and a text would lose the type of a cell.
   */
  kind: FileKind;
  /** Is the text that a column of a workbook displays for a number read, instead of the number? */
  readsText: (name: string, text: unknown) => boolean;
}

/**
 * `created.csv`, `updated.csv` and `rejected.csv` or `rejected.ndjson`: the rows as they were read, rejected ones with
 * their error. `skipped.csv` or `skipped.ndjson`, only with a rule for duplicates: the rows instead of which another
 * row with their key is imported. A retry does not send them. `deleted.csv`, only of a replacement: the keys of the
 * rows that it has deleted. `errors.ndjson`: all errors of the rejected rows, of which a row may have several.
 */
export class ResultFiles {
  private readonly cells = new CellReader();

  private constructor(
    private readonly directory: string,
    private readonly options: ResultFilesOptions,
  ) {}

  static async open(directory: string, options: ResultFilesOptions): Promise<ResultFiles> {
    const { header, deletedKey, hasSkipped, delimiter } = options;
    const rejected = [...ERROR_COLUMNS, ...header];
    const columns: Record<ResultFile, string[] | undefined> = {
      created: header,
      updated: header,
      deleted: deletedKey === undefined ? undefined : [deletedKey],
      rejected,
      skipped: hasSkipped ? rejected : undefined,
    };
    const files = new ResultFiles(directory, options);
    await writeFile(join(directory, ERRORS_FILE), '');
    for (const name of FILES) {
      const path = files.pathOf(name);
      const names = columns[name]?.map((column) => (column === '' ? null : column));
      if (names) await writeFile(path, path.endsWith('.csv') ? toCsvRecord(names, delimiter) : '');
    }
    return files;
  }

  async append(name: Exclude<ResultFile, 'deleted'>, rows: ResultRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { header, delimiter, kind } = this.options;
    const toRecord = (row: ResultRow): string => {
      // A record is written as it was read, also with too many or too few cells. Objects have their keys in any order.
      const cells = kind === 'ndjson' ? header.map((column) => this.cells.read(row, column)) : row.cells;
      const values = cells.map((cell) => toResultCell(toText(cell)));
      const { line, origin = line, error } = row;
      const position = error ? [String(origin), error.code, error.column ?? null, guardFormula(error.message)] : [];
      return toCsvRecord([...position, ...values], delimiter);
    };
    const path = this.pathOf(name);
    const toLine = (row: ResultRow): string => this.toLine(row);
    await appendFile(path, rows.map(path.endsWith('.csv') ? toRecord : toLine).join(''));
  }

  /** @param errors in the order of the rows */
  async appendErrors(errors: readonly ReportedError[]): Promise<void> {
    const toErrorLine = ({ line, key, column, code, message }: ReportedError): string =>
      `${JSON.stringify({ line, key, column, code, message })}\n`;
    if (errors.length > 0) await appendFile(join(this.directory, ERRORS_FILE), errors.map(toErrorLine).join(''));
  }

  async appendDeleted(keys: AsyncIterable<string>): Promise<void> {
    const { delimiter } = this.options;
    const toRecords = async function* (): AsyncGenerator<string, void> {
      for await (const key of keys) yield toCsvRecord([toResultCell(key)], delimiter);
    };
    await pipeline(toRecords(), createWriteStream(this.pathOf('deleted'), { flags: 'a' }));
  }

  /** A rejected or skipped row with its error. The row is a member: its columns may have the names of the others. */
  private toLine(row: ResultRow): string {
    const { line, origin = line, names, error } = row;
    const { code = null, column = null, message = null } = error ?? {};
    const members = [...new Set(names)].map(
      (name) => `${JSON.stringify(name)}:${this.toJson(this.cells.read(row, name), name)}`,
    );
    const errors = JSON.stringify({ line: origin, code, column, message }).slice(0, -1);
    return `${errors},"row":{${members.join(',')}}}\n`;
  }

  /** Numbers that a double does not have are written as they were read. */
  private toJson(cell: Cell, name: string): string {
    const { kind, readsText } = this.options;
    if (cell instanceof InvalidCell && kind === 'ndjson') return cell.problem;
    if (!(cell instanceof PaddedNumber)) return JSON.stringify(cell);
    return JSON.stringify(readsText(name, cell.text) ? cell.text : cell.value);
  }

  private pathOf(name: ResultFile): string {
    const isObject = WITH_ERRORS.includes(name) && OBJECTS.includes(this.options.kind);
    return join(this.directory, `${name}.${isObject ? 'ndjson' : 'csv'}`);
  }
}

export async function writeSummary(directory: string, summary: object): Promise<void> {
  // A load that is killed leaves the former summary or this one, never a part of it.
  const path = join(directory, SUMMARY_FILE);
  await writeFile(`${path}.new`, `${JSON.stringify(summary, null, 2)}\n`);
  await rename(`${path}.new`, path);
}

/** A spreadsheet does not execute the texts. Signed numbers are not formulas. */
function toResultCell(text: string | null): string | null {
  return text === null || NUMBER.test(text) ? text : guardFormula(text);
}
