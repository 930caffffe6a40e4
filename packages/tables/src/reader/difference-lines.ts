import type { CatalogColumn } from '../catalog/column-plan.js';
import { getNativeType } from '../catalog/column-types.js';
import { ConvertedLines, toJson } from './json-lines.js';

const NULL = '\\N';

/** Numbers of the differences. */
export interface DifferenceCounts {
  create: number;
  update: number;
  delete: number;
}

/** Converts differences between a file and a table (`copyDifferences`) to JSON objects, one per line. */
export class DifferenceLines extends ConvertedLines {
  readonly counts: DifferenceCounts = { create: 0, update: 0, delete: 0 };
  private readonly columns: { name: string; convert: (written: string) => string }[];

  constructor(columns: readonly CatalogColumn[]) {
    super();
    this.columns = columns
      .filter(({ primaryKey }) => !primaryKey)
      .map(({ key, type }) => {
        const native = getNativeType(type);
        return { name: `"${key}":{"from":`, convert: (written) => toJson(written, native) };
      });
  }

  protected override convert(rows: string): string {
    let lines = '';
    for (const row of rows.split('\n')) {
      const [change, key, ...values] = row.split('\t') as [keyof DifferenceCounts, string, ...string[]];
      this.counts[change]++;
      lines += `{"change":"${change}","key":"${key}","columns":{${this.toColumns(change, values)}}}\n`;
    }
    return lines;
  }

  private toColumns(change: keyof DifferenceCounts, values: readonly string[]): string {
    let changed = '';
    for (const [position, { name, convert }] of this.columns.entries()) {
      const from = values[2 * position]!;
      const to = change === 'delete' ? NULL : values[2 * position + 1]!;
      if (from !== to) changed += `${changed === '' ? '' : ','}${name}${convert(from)},"to":${convert(to)}}`;
    }
    return changed;
  }
}
