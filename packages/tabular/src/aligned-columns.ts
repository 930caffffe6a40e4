import Table from 'cli-table3';

/** Spaces between columns; the width of a column includes them. */
export const COLUMN_GAP = 2;

/** Rows that the library formats at a time: its time grows with the square of their number. */
const ROWS_PER_TABLE = 100;

const NO_BORDERS = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left'],
    ...['left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
  ].map((name) => [name, '']),
);

/**
 * Rows as lines with aligned columns, for a terminal.
 *
 * @param widths of the columns, in columns of the terminal, with the gap.
 * @param overflow of a cell that is wider than its column: shortened with an ellipsis, or continued in the next line.
 */
export function alignColumns(
  rows: readonly string[][],
  widths: readonly number[],
  overflow: 'shorten' | 'continue' = 'shorten',
): string {
  const tables: string[] = [];
  for (let start = 0; start < rows.length; start += ROWS_PER_TABLE) {
    const table = new Table({
      chars: NO_BORDERS,
      colWidths: [...widths],
      style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': COLUMN_GAP },
      wordWrap: overflow === 'continue',
      wrapOnWordBoundary: false,
    });
    table.push(...rows.slice(start, start + ROWS_PER_TABLE));
    tables.push(table.toString());
  }
  return tables.join('\n').replace(/ +$/gm, '');
}
