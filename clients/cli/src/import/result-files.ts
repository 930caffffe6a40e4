import { appendFile, mkdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';

const FILES = ['created', 'updated', 'rejected'] as const;
export type ResultFile = (typeof FILES)[number];
export type Sizes = Record<ResultFile, number>;

export interface ResultRow {
  line: number;
  cells: Record<string, unknown>;
  error?: { code: string; column?: string; message: string };
}

/** `created.csv`, `updated.csv` and `rejected.csv`: the rows as they were read, rejected ones with their error. */
export class ResultFiles {
  private header: string[] | undefined;

  private constructor(private readonly directory: string) {}

  /** @param sizes lengths of the files that an interrupted import had written; the rest of them is removed. */
  static async open(directory: string, sizes?: Sizes): Promise<ResultFiles> {
    await mkdir(directory, { recursive: true });
    for (const name of FILES) {
      const path = join(directory, `${name}.csv`);
      if (sizes) await truncate(path, sizes[name]).catch(() => writeFile(path, ''));
      else await writeFile(path, '');
    }
    return new ResultFiles(directory);
  }

  async append(name: ResultFile, rows: ResultRow[]): Promise<void> {
    if (rows.length === 0) return;
    this.header ??= Object.keys(rows[0]!.cells);
    const path = join(this.directory, `${name}.csv`);
    const isEmpty = (await stat(path)).size === 0;
    const columns = name === 'rejected' ? ['line', 'code', 'column', 'message', ...this.header] : this.header;
    const records = rows.map(({ line, cells, error }) => {
      const values = this.header!.map((column) => cells[column] as string);
      return error ? [line, error.code, error.column ?? '', error.message, ...values] : values;
    });
    await appendFile(path, stringify(isEmpty ? [columns, ...records] : records));
  }

  async sizes(): Promise<Sizes> {
    const size = async (name: ResultFile): Promise<number> => (await stat(join(this.directory, `${name}.csv`))).size;
    return { created: await size('created'), updated: await size('updated'), rejected: await size('rejected') };
  }

  async writeSummary(summary: object): Promise<void> {
    await writeFile(join(this.directory, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`);
  }
}
