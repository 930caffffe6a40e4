import type { Column } from '@atrium/client';
import { ColumnFinder } from '../../../tabular/src/column-finder.js';
import { isHeaderRecord, REPEATED_HEADER } from '../../../tabular/src/csv-records.js';
import { type InvalidCell, PaddedNumber, type WorkbookCell } from '../../../tabular/src/workbook/cells.js';
import { type SheetRows, Workbook } from '../../../tabular/src/workbook/workbook.js';
import type { FileForm } from './file-form.js';

/** Of all parts of a workbook, decompressed. Node needs 380 MiB of memory for 50 MiB of them. */
const MAX_BYTES = 67_108_864;

const SETTINGS = { sheet: '“Sheet”', headerRow: '“Row of the header”' };

/** @throws {Error} if the workbook is damaged, or too large for a tab */
export async function openWorkbook(file: Blob): Promise<Workbook> {
  return Workbook.open(new Uint8Array(await file.arrayBuffer()), MAX_BYTES, SETTINGS);
}

/**
 * The rows of a sheet as NDJSON. A row is on the line that its number names, after empty lines, so that the service
 * reports errors with the rows of the sheet.
 *
 * @throws {Error} naming sheet and cell
 */
export async function toNdjson(workbook: Workbook, columns: readonly Column[], form: FileForm): Promise<Blob> {
  const { visibleSheets } = workbook;
  if (form.sheet === undefined && visibleSheets.length > 1)
    throw new Error(`The workbook has ${visibleSheets.length} sheets. Choose one in ${SETTINGS.sheet}.`);
  const read = await workbook.read(form.sheet, form.headerRow);
  const targets = matchColumns(read, columns, form);
  const parts: string[] = [];
  let written = 0;
  for (const { line, cells } of read.rows) {
    const row = isHeaderRecord(cells, read.names) ? REPEATED_HEADER : toRow(cells, targets);
    parts.push(`${'\n'.repeat(line - 1 - written)}${JSON.stringify(row)}\n`);
    written = line;
  }
  return new Blob(parts);
}

/** The columns of the cells; undefined for those that are ignored. @throws {Error} */
function matchColumns(
  { sheet, names }: SheetRows,
  columns: readonly Column[],
  { headerRow, ignoresUnknownColumns }: FileForm,
): (Column | undefined)[] {
  const finder = new ColumnFinder(columns);
  const sources = new Map<Column, string>();
  const reject = (problem: string): Error => new Error(`Sheet "${sheet}", row ${headerRow}: ${problem}`);
  return names.map((name) => {
    if (name === '') return undefined;
    const [column, second] = finder.find(name);
    if (!column && ignoresUnknownColumns) return undefined;
    if (!column)
      throw reject(
        `the table has no column "${name}". Correct the name, set ${SETTINGS.headerRow}, or choose to ignore such columns.`,
      );
    const other = sources.get(column);
    if (second)
      throw reject(`"${name}" matches the columns "${column.key}" and "${second.key}". Write the key of one of them.`);
    if (other !== undefined)
      throw reject(`"${other}" and "${name}" are both for the column "${column.name}". Remove one of them.`);
    sources.set(column, name);
    return column;
  });
}

function toRow(cells: readonly WorkbookCell[], targets: readonly (Column | undefined)[]): Record<string, unknown> {
  const row: [string, unknown][] = [];
  for (const [position, target] of targets.entries()) {
    const cell = cells[position] ?? null;
    if (target) row.push([target.key, cell instanceof PaddedNumber ? choose(cell, target) : cell]);
  }
  // Also defines the key `__proto__`.
  return Object.fromEntries(row);
}

function choose({ value, text }: PaddedNumber, { type }: Column): string | number | InvalidCell {
  return type === 'number' ? value : text;
}
