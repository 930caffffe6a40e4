import { appendFile, mkdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { toText } from '../files/cell-text.js';

const FILES = ['created', 'updated', 'deleted', 'rejected'] as const;
export type ResultFile = (typeof FILES)[number];
export type Sizes = Record<ResultFile, number>;

export interface ResultRow {
  line: number;
  cells: Record<string, unknown>;
  error?: { code: string; column?: string; message: string };
}

const ERROR_COLUMNS = ['line', 'code', 'column', 'message'];

/**
 * `created.csv`, `updated.csv` and `rejected.csv`: the rows as they were read, rejected ones with their error. `deleted.csv`: the keys of
 * the rows that a replacement has deleted.
 */
export class ResultFiles {
  private constructor(
    private readonly directory: string,
    private readonly header: string[],
  ) {}

  /**
   * @param header the columns of the imported file
   * @param primaryKey the name of the column in `deleted.csv`
   * @param sizes lengths of the files that an interrupted import had written; the rest of them is removed
   */
  static async open(
    directory: string,
    { header, primaryKey, sizes }: { header: string[]; primaryKey: string; sizes?: Sizes | undefined },
  ): Promise<ResultFiles> {
    await mkdir(directory, { recursive: true });
    for (const name of FILES) {
      const path = join(directory, `${name}.csv`);
      const columns = name === 'rejected' ? [...ERROR_COLUMNS, ...header] : name === 'deleted' ? [primaryKey] : header;
      if (sizes) await truncate(path, sizes[name]);
      else await writeFile(path, stringify([columns]));
    }
    return new ResultFiles(directory, header);
  }

  async append(name: 'created' | 'updated' | 'rejected', rows: ResultRow[]): Promise<void> {
    if (rows.length === 0) return;
    const records = rows.map(({ line, cells, error }) => {
      const values = this.header.map((column) => toText(cells[column]));
      return error ? [line, error.code, error.column ?? '', error.message, ...values] : values;
    });
    await appendFile(join(this.directory, `${name}.csv`), stringify(records));
  }

  async appendDeleted(keys: string[]): Promise<void> {
    if (keys.length > 0) await appendFile(join(this.directory, 'deleted.csv'), stringify(keys.map((key) => [key])));
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
