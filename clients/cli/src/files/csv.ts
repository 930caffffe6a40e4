import type { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import type { SourceRow } from './source-row.js';

interface ParsedRow {
  lines: number;
  record: string[];
}

/** The rows of a CSV file. Its first line names the columns; cells that a line lacks are empty. */
export async function* readCsv(text: Readable, delimiter: string, quote: string): AsyncGenerator<SourceRow, void> {
  const parser = parse({
    delimiter,
    quote,
    escape: quote,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    // Its declared type allows only records of the same type.
    on_record: ((record: string[], { lines }: { lines: number }): ParsedRow => ({ lines, record })) as never,
  });
  text.on('error', (error) => parser.destroy(error));
  text.pipe(parser);
  let header: string[] | undefined;
  for await (const { lines, record } of parser as AsyncIterable<ParsedRow>) {
    if (!header) {
      header = record.map((name) => name.trim());
      continue;
    }
    const cells: Record<string, unknown> = {};
    for (let index = 0; index < header.length; index++) cells[header[index]!] = record[index] ?? '';
    yield { line: lines, cells };
  }
}
