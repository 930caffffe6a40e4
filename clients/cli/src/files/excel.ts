import { finished } from 'node:stream/promises';
import type { Writable } from 'node:stream';
import { toText } from './cell-text.js';
import type { SourceRow } from './source-row.js';

/** The rows of the first sheet. Its first row names the columns. A workbook is read into memory, a million rows at most. */
export async function* readWorkbook(
  path: string,
  onProgress: (share: number) => void,
): AsyncGenerator<SourceRow, void> {
  const { readSheet } = await import('read-excel-file/node');
  const [header = [], ...rows] = await readSheet(path);
  const names = header.map((name) => formatCell(name).trim());
  let line = 1;
  for (const row of rows) {
    line++;
    onProgress((line - 1) / rows.length);
    if (row.every((cell) => cell === null)) continue;
    const cells: Record<string, unknown> = {};
    names.forEach((name, index) => {
      if (name !== '') cells[name] = formatCell(row[index]);
    });
    yield { line, cells };
  }
}

/** Dates have no time zone in a workbook. */
function formatCell(cell: unknown): string {
  return cell instanceof Date ? cell.toISOString().replace(/T00:00:00\.000Z$/, '') : toText(cell);
}

/** Writes rows as a workbook of one sheet. */
export async function writeWorkbook(
  columns: string[],
  rows: AsyncIterable<Record<string, string | number | boolean | null>>,
  target: Writable,
): Promise<void> {
  const { default: write } = await import('write-excel-file/node');
  const sheet: ({ value: string; fontWeight: 'bold' } | string | number | boolean | null)[][] = [
    columns.map((value) => ({ value, fontWeight: 'bold' })),
  ];
  for await (const row of rows) sheet.push(columns.map((column) => row[column] ?? null));
  const bytes = await write(sheet).toBuffer();
  if (target === process.stdout) target.write(bytes);
  else await finished(target.end(bytes));
}
