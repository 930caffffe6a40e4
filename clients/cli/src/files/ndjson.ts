import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { UsageError } from '../exit-codes.js';
import type { SourceRow } from './source-row.js';

/** The objects of a file with one JSON object per line. */
export async function* readNdjson(text: Readable): AsyncGenerator<SourceRow, void> {
  let line = 0;
  for await (const content of createInterface({ input: text, crlfDelay: Infinity })) {
    line++;
    if (content.trim() === '') continue;
    yield { line, cells: parse(content, line) };
  }
}

function parse(content: string, line: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw new UsageError(`Line ${line} is not a JSON object. Nothing of the file was stored.`);
}
