import type { CatalogTable } from '../catalog/catalog.repository.js';
import { ColumnFinder } from '../catalog/column-finder.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getPrimaryKey } from '../catalog/physical-table.js';
import { createAmbiguousColumnError, createUnknownColumnError, createCellCountError } from '../engine/row-errors.js';
import { UnreadableRow } from '../engine/row-reader.js';
import type { TakeRow } from '../engine/staging-row-source.js';
import type { TableError } from '../workspace-tables.errors.js';
import { type Cells, CsvRecords } from './csv-records.js';
import { type FileFormat, findMappedColumns } from './import-options.js';
import { InvalidHeaderError, MalformedImportError } from './imports.errors.js';
import type { LineBlock, RowParser } from './line-blocks.js';

/** The table of an import, which may not exist yet. */
export type ImportedTable = Pick<CatalogTable, 'entity' | 'name' | 'columns'>;

/** The columns of a file; undefined for those that are ignored. */
type Header = readonly (CatalogColumn | undefined)[];

/** Rows of a CSV file, whose first record names the columns by key or name. */
export class CsvRows implements RowParser {
  private readonly records: CsvRecords;
  private header?: Header;

  constructor(
    private readonly table: ImportedTable,
    maxRowBytes: number,
    private readonly format: FileFormat,
  ) {
    this.records = new CsvRecords(maxRowBytes, format.delimiter);
    this.records.skipsBlankLines = true;
  }

  /** The columns of the header; undefined before it was read. */
  get columns(): readonly CatalogColumn[] | undefined {
    return this.header?.filter((column) => column !== undefined);
  }

  parse({ text }: LineBlock, take: TakeRow): void {
    this.records.read(text, (cells, line, sent) => {
      if (this.header) {
        take(toItem(this.header, cells), line, sent);
        return;
      }
      this.header = readHeader(this.table, this.format, cells, line);
      this.records.skipsBlankLines = this.header.length > 1;
    });
  }

  end(): void {
    this.records.end();
    if (!this.header)
      throw new MalformedImportError(1, 'must be the header that names the columns. The file is empty.');
  }
}

function toItem(header: Header, cells: Cells): unknown {
  if (cells.length !== header.length) return new UnreadableRow(createCellCountError(header.length, cells.length));
  const item: Record<string, string | null> = {};
  for (let position = 0; position < cells.length; position++) {
    const column = header[position];
    if (column) item[column.key] = cells[position]!;
  }
  return item;
}

/** @throws {InvalidHeaderError} with all errors of the header. */
function readHeader(table: ImportedTable, format: FileFormat, cells: Cells, line: number): Header {
  const finder = new ColumnFinder(table.columns);
  const mapped = findMappedColumns(format, table);
  const header: (CatalogColumn | undefined)[] = [];
  const errors: TableError[] = [];
  const reject = (error: { column?: string; code: string; message: string }) =>
    errors.push({ type: table.entity, table: table.name, line, ...error });
  const hasOtherSeparator = cells.length === 1 && /[,;\t]/.test(cells[0] ?? '');
  for (const cell of cells) {
    const name = cell?.trim() ?? '';
    const [column, other] = finder.find(mapped.get(name) ?? name);
    if (!column && format.ignoresUnknown) header.push(undefined);
    else if (!column) {
      const { message, ...error } = createUnknownColumnError(name);
      const hint = `Cells are separated by ${describeDelimiter(format)}; set "delimiter" for another character.`;
      reject({ ...error, message: hasOtherSeparator ? `${message} ${hint}` : message });
    } else if (other) reject(createAmbiguousColumnError(name));
    else if (header.includes(column)) {
      const message = `Two cells of the header match the column "${column.key}". Remove one.`;
      reject({ column: name.slice(0, 255), code: 'duplicate_column', message });
    } else header.push(column);
  }
  const { key } = getPrimaryKey(table.columns);
  if (errors.length === 0 && !header.some((column) => column?.primaryKey))
    reject({
      column: key,
      code: 'required_key',
      message: `The primary key "${key}" is missing from the header. Add its column.`,
    });
  if (errors.length > 0) throw new InvalidHeaderError(errors);
  return header;
}

function describeDelimiter({ delimiter }: FileFormat): string {
  if (delimiter === ',') return 'commas';
  return delimiter === '\t' ? 'tabs' : `"${delimiter}"`;
}
