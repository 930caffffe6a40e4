import type { CatalogTable } from '../catalog/catalog.repository.js';
import { ColumnFinder } from '../catalog/column-finder.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getPrimaryKey } from '../catalog/physical-table.js';
import type { TableError } from '../workspace-tables.errors.js';
import { type Cells, CsvRecords } from './csv-records.js';
import { InvalidHeaderError, MalformedImportError } from './imports.errors.js';
import type { LineBlock } from './line-blocks.js';
import { type RowParser, type TakeRow, UnreadableRow } from './row-parser.js';

/** Rows of a CSV file, whose first record names the columns by key or by name. */
export class CsvRows implements RowParser {
  private readonly records: CsvRecords;
  private header?: readonly CatalogColumn[];

  constructor(
    private readonly table: CatalogTable,
    maxRowBytes: number,
  ) {
    this.records = new CsvRecords(maxRowBytes);
    this.records.passesOverBlanks = true;
  }

  /** The columns of the header; undefined before it has come. */
  get columns(): readonly CatalogColumn[] | undefined {
    return this.header;
  }

  parse({ text }: LineBlock, take: TakeRow): void {
    this.records.read(text, (cells, line) => {
      if (this.header) {
        take(rowOf(this.header, cells), line);
        return;
      }
      this.header = readHeader(this.table, cells, line);
      this.records.passesOverBlanks = this.header.length > 1;
    });
  }

  end(): void {
    this.records.end();
    if (!this.header)
      throw new MalformedImportError(1, 'is to be the header that names the columns, and is not there.');
  }
}

function rowOf(header: readonly CatalogColumn[], cells: Cells): unknown {
  if (cells.length !== header.length) {
    return new UnreadableRow(`The header has ${count(header.length)}; this row has ${count(cells.length)}.`);
  }
  const item: Record<string, string | null> = {};
  for (let at = 0; at < cells.length; at++) item[header[at]!.key] = cells[at]!;
  return item;
}

function count(cells: number): string {
  return cells === 1 ? '1 cell' : `${cells} cells`;
}

/** @throws {InvalidHeaderError} naming all that is wrong with it. */
function readHeader(table: CatalogTable, cells: Cells, line: number): CatalogColumn[] {
  const finder = new ColumnFinder(table.columns);
  const header: CatalogColumn[] = [];
  const errors: TableError[] = [];
  const fault = (column: string, code: string, message: string) =>
    errors.push({ type: table.entity, table: table.name, line, column: column.slice(0, 255), code, message });
  const isOtherwiseSeparated = cells.length === 1 && /[;\t]/.test(cells[0] ?? '');
  const hint = isOtherwiseSeparated ? ' Cells are separated by commas.' : '';
  for (const cell of cells) {
    const name = cell?.trim() ?? '';
    const quoted = `"${name.slice(0, 80)}"`;
    const [column, other] = finder.find(name);
    if (!column) fault(name, 'unknown_column', `The table has no column ${quoted}.${hint}`);
    else if (other) fault(name, 'ambiguous_column', `${quoted} may mean several columns: use a key.`);
    else if (header.includes(column))
      fault(name, 'duplicate_column', `Two cells of the header mean the column "${column.key}".`);
    else header.push(column);
  }
  const { key } = getPrimaryKey(table.columns);
  if (errors.length === 0 && !header.some(({ primaryKey }) => primaryKey))
    fault(key, 'required_key', `The header has no "${key}", the primary key.`);
  if (errors.length > 0) throw new InvalidHeaderError(errors);
  return header;
}
