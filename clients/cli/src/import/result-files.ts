import { appendFile, mkdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { guardFormula, toCsvRecord } from '../../../../packages/tabular/src/csv-text.js';
import { ERROR_COLUMNS } from '../files/csv.js';
import { CellReader, type SourceRow, toText } from '../files/source-row.js';

const FILES = ['created', 'updated', 'deleted', 'rejected'] as const;
export type ResultFile = (typeof FILES)[number];
export type Sizes = Record<ResultFile, number>;

export interface ResultRow extends SourceRow {
  error?: { code: string; column?: string; message: string };
}

const NUMBER = /^[-+]?[\d.,]+$/;

interface ResultFilesOptions {
  /** The columns of the imported file. */
  header: string[];
  /** The name of the column in `deleted.csv`. */
  primaryKey: string;
  /** Lengths of the files that an interrupted import had written; the rest of them is removed. */
  sizes?: Sizes | undefined;
  /** Between cells, as in the imported file. */
  delimiter: string;
}

/**
 * `created.csv`, `updated.csv` and `rejected.csv`: the rows as they were read, rejected ones with their error. `deleted.csv`: the keys of
 * the rows that a replacement has deleted.
 */
export class ResultFiles {
  private readonly cells = new CellReader();

  private constructor(
    private readonly directory: string,
    private readonly header: string[],
    private readonly delimiter: string,
  ) {}

  static async open(
    directory: string,
    { header, primaryKey, sizes, delimiter }: ResultFilesOptions,
  ): Promise<ResultFiles> {
    await mkdir(directory, { recursive: true });
    const columns: Record<ResultFile, string[]> = {
      created: header,
      updated: header,
      deleted: [primaryKey],
      rejected: [...ERROR_COLUMNS, ...header],
    };
    for (const name of FILES) {
      const path = join(directory, `${name}.csv`);
      const names = columns[name].map((column) => (column === '' ? null : column));
      if (sizes) await truncate(path, sizes[name]);
      else await writeFile(path, toCsvRecord(names, delimiter));
    }
    return new ResultFiles(directory, header, delimiter);
  }

  async append(name: 'created' | 'updated' | 'rejected', rows: ResultRow[]): Promise<void> {
    if (rows.length === 0) return;
    const records = rows.map((row) => {
      // A row with too many or too few cells is written with all of them.
      const cells = row.problem ? row.cells : this.header.map((column) => this.cells.read(row, column));
      const values = cells.map((cell) => toResultCell(toText(cell)));
      const { line, error } = row;
      const position = error ? [String(line), error.code, error.column ?? null, guardFormula(error.message)] : [];
      return toCsvRecord([...position, ...values], this.delimiter);
    });
    await appendFile(join(this.directory, `${name}.csv`), records.join(''));
  }

  async appendDeleted(keys: string[]): Promise<void> {
    const records = keys.map((key) => toCsvRecord([toResultCell(key)], this.delimiter));
    if (keys.length > 0) await appendFile(join(this.directory, 'deleted.csv'), records.join(''));
  }

  async sizes(): Promise<Sizes> {
    const size = async (name: ResultFile): Promise<number> => (await stat(join(this.directory, `${name}.csv`))).size;
    const [created, updated, deleted, rejected] = await Promise.all(FILES.map(size));
    return { created: created!, updated: updated!, deleted: deleted!, rejected: rejected! };
  }

  async writeSummary(summary: object): Promise<void> {
    await writeFile(join(this.directory, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`);
  }
}

/** A spreadsheet does not execute the texts. Signed numbers are not formulas. */
function toResultCell(text: string | null): string | null {
  return text === null || NUMBER.test(text) ? text : guardFormula(text);
}
