import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Layout } from './layout.js';
import type { SourceRow } from './source-row.js';

/** The rows of a file whose fields have fixed positions. Trailing blanks are removed, because they fill the fields. */
export async function* readFixedWidth(text: Readable, { fields, skipLines }: Layout): AsyncGenerator<SourceRow, void> {
  let line = 0;
  for await (const content of createInterface({ input: text, crlfDelay: Infinity })) {
    line++;
    if (line <= skipLines || content.trim() === '') continue;
    const cells: Record<string, unknown> = {};
    for (const { name, start, width } of fields) cells[name] = content.slice(start, start + width).trimEnd();
    yield { line, cells };
  }
}
