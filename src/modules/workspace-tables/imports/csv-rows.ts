import type { CatalogTable } from '../catalog/catalog.repository.js';
import { ColumnFinder } from '../catalog/column-finder.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getPrimaryKey } from '../catalog/physical-table.js';
import { createAmbiguousColumnError, createUnknownColumnError, createCellCountError } from '../engine/row-errors.js';
import { UnreadableRow } from '../engine/row-reader.js';
import type { TakeRow } from '../engine/staging-row-source.js';
import type { TableError } from '../workspace-tables.errors.js';
import { type Cells, CsvRecords } from './csv-records.js';
import { InvalidHeaderError, MalformedImportError } from './imports.errors.js';
import type { LineBlock, RowParser } from './line-blocks.js';

/** Rows of a CSV file, whose first record names the columns by key or name. */
export class CsvRows implements RowParser {
  private readonly records: CsvRecords;
  private header?: readonly CatalogColumn[];

  constructor(
    private readonly table: CatalogTable,
    maxRowBytes: number,
  ) {
    this.records = new CsvRecords(maxRowBytes);
    this.records.skipsBlankLines = true;
  }

  /** The columns of the header; undefined before it was read. */
  get columns(): readonly CatalogColumn[] | undefined {
    return this.header;
  }

  parse({ text }: LineBlock, take: TakeRow): void {
    this.records.read(text, (cells, line) => {
      if (this.header) {
        take(toItem(this.header, cells), line);
        return;
      }
      this.header = readHeader(this.table, cells, line);
      this.records.skipsBlankLines = this.header.length > 1;
    });
  }

  end(): void {
    this.records.end();
    if (!this.header)
      throw new MalformedImportError(1, 'must be the header that names the columns. The file is empty.');
  }
}

function toItem(header: readonly CatalogColumn[], cells: Cells): unknown {
  if (cells.length !== header.length) return new UnreadableRow(createCellCountError(header.length, cells.length));
  const item: Record<string, string | null> = {};
  for (let position = 0; position < cells.length; position++) item[header[position]!.key] = cells[position]!;
  return item;
}

/** @throws {InvalidHeaderError} with all errors of the header. */
function readHeader(table: CatalogTable, cells: Cells, line: number): CatalogColumn[] {
  const finder = new ColumnFinder(table.columns);
  const header: CatalogColumn[] = [];
  const errors: TableError[] = [];
  const reject = (error: { column?: string; code: string; message: string }) =>
    errors.push({ type: table.entity, table: table.name, line, ...error });
  const hasOtherSeparator = cells.length === 1 && /[;\t]/.test(cells[0] ?? '');
  for (const cell of cells) {
    const name = cell?.trim() ?? '';
    const [column, other] = finder.find(name);
    if (!column) {
      const { message, ...error } = createUnknownColumnError(name);
      reject({ ...error, message: hasOtherSeparator ? `${message} Cells are separated by commas.` : message });
    } else if (other) reject(createAmbiguousColumnError(name));
    else if (header.includes(column)) {
      const message = `Two cells of the header match the column "${column.key}". Remove one.`;
      reject({ column: name.slice(0, 255), code: 'duplicate_column', message });
    } else header.push(column);
  }
  const { key } = getPrimaryKey(table.columns);
  if (errors.length === 0 && !header.some(({ primaryKey }) => primaryKey))
    reject({
      column: key,
      code: 'required_key',
      message: `The primary key "${key}" is missing from the header. Add its column.`,
    });
  if (errors.length > 0) throw new InvalidHeaderError(errors);
  return header;
}
