import { stringify } from 'yaml';
import { readLayout } from '../files/layout.js';
import { SourceFile } from '../files/source-file.js';
import type { GlobalFlags } from '../global-flags.js';
import type { SourceRow } from '../files/source-row.js';
import { inferMapping, SAMPLE_ROWS } from '../mapping/infer-columns.js';
import { deriveKey } from '../mapping/mapping-file.js';

export interface InitFlags extends GlobalFlags {
  layout?: string;
  encoding?: string;
  delimiter?: string;
}

/** Prints a mapping for a file: its columns with inferred types, to be edited. */
export async function initMapping(file: string, { layout, encoding, delimiter, json }: InitFlags): Promise<void> {
  const fields = layout === undefined ? undefined : await readLayout(layout);
  const source = await SourceFile.open(file, { layout: fields, encoding, delimiter });
  try {
    const sample: SourceRow[] = [];
    for await (const row of source.rows()) {
      sample.push(row);
      if (sample.length === SAMPLE_ROWS) break;
    }
    const { columns, ...rules } = inferMapping(sample);
    const keyed = columns.map(({ from, ...column }) => ({ from, key: deriveKey(from ?? ''), ...column }));
    const mapping = { ...rules, nullValues: ['00.00.0000', '00000000'], columns: keyed };
    process.stdout.write(json ? `${JSON.stringify(mapping, null, 2)}\n` : stringify(mapping));
  } finally {
    await source.close();
  }
}
