import { z } from 'zod';
import { FileError } from '../exit-codes.js';
import type { Io } from '../io.js';
import { findRepeatedHeader } from './header.js';
import { readDocument } from './read-document.js';
import type { SourceRow } from './source-row.js';
import type { TextLine } from './text-blocks.js';

const LAYOUT = z.strictObject({
  encoding: z.string().optional(),
  /** Lines before the first row. */
  skipLines: z.int().min(0).default(0),
  fields: z.array(z.strictObject({ name: z.string().min(1), start: z.int().min(0), width: z.int().min(1) })).min(1),
});

/** Positions of the fields in the lines of a file with fixed widths. */
export type Layout = z.infer<typeof LAYOUT>;

/** @throws {UsageError} */
export function readLayout(path: string, io: Io): Promise<Layout> {
  return readDocument(LAYOUT, path, 'layout file', io);
}

/**
 * The rows of a file whose fields have fixed positions. Trailing blanks are removed, because they fill the fields.
 *
 * @throws {UsageError} if the last line is cut: all others have at least the width of the fields
 */
export async function* readFixedWidth(
  lines: AsyncIterable<TextLine>,
  { fields, skipLines }: Layout,
): AsyncGenerator<SourceRow[], void> {
  const names = fields.map(({ name }) => name);
  const width = Math.max(...fields.map((field) => field.start + field.width));
  let shortest = Infinity;
  let former: TextLine | undefined;
  const toRow = ({ text, line }: TextLine): SourceRow[] => {
    if (line <= skipLines || text.trim() === '') return [];
    const cells = fields.map((field) => text.slice(field.start, field.start + field.width).trimEnd());
    const message = `The line has text after its ${width} characters of fields. Add a field to the layout.`;
    const isLonger = text.length > width && text.slice(width).trim() !== '';
    const problem = isLonger ? { code: 'cell_count', message } : findRepeatedHeader(names, cells);
    return [{ line, names, cells, problem }];
  };
  for await (const line of lines) {
    if (former) {
      yield toRow(former);
      if (former.line > skipLines && former.text.trim() !== '') shortest = Math.min(shortest, former.text.length);
    }
    former = line;
  }
  if (!former) return;
  const { text, line } = former;
  if (shortest >= width && shortest < Infinity && text.trim() !== '' && text.length < width)
    throw new FileError(
      `Line ${line} has ${text.length} characters, but all other lines have at least ${width}: the file was cut.`,
    );
  yield toRow(former);
}
