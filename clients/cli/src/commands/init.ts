import { stringify } from 'yaml';
import { readLayout } from '../files/layout.js';
import { SourceFile } from '../files/source-file.js';
import type { SourceRow } from '../files/source-row.js';
import { inferMapping, SAMPLE_ROWS } from '../mapping/infer-columns.js';
import { deriveKey } from '../mapping/mapping-file.js';

/** Prints a mapping for a file: its columns with inferred types, to be edited. */
export async function initMapping(file: string, { layout }: { layout?: string }): Promise<void> {
  const source = await SourceFile.open(file, { layout: layout === undefined ? undefined : await readLayout(layout) });
  try {
    const sample: SourceRow[] = [];
    for await (const row of source.rows()) {
      sample.push(row);
      if (sample.length === SAMPLE_ROWS) break;
    }
    const { columns, ...rules } = inferMapping(sample);
    const keyed = columns.map(({ from, ...column }) => ({ from, key: deriveKey(from ?? ''), ...column }));
    process.stdout.write(stringify({ ...rules, nullValues: ['00.00.0000', '00000000'], columns: keyed }));
  } finally {
    await source.close();
  }
}
