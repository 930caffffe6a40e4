import { ColumnFinder } from '../../../../packages/tabular/src/column-finder.js';
import {
  type Cells,
  CsvError,
  CsvRecords,
  isHeaderRecord,
  isBlankRecord,
  RecordFitter,
  REPEATED_HEADER,
} from '../../../../packages/tabular/src/csv-records.js';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import { getPrimaryKey } from '../../../../packages/tables/src/catalog/physical-table.js';
import {
  createAmbiguousColumnError,
  createCellCountError,
  createUnknownColumnError,
  createUnnamedColumnError,
} from '../../../../packages/tables/src/sources/row-errors.js';
import { UnreadableRow } from '../../../../packages/tables/src/sources/row-reader.js';
import type { FileTable, TakeRow } from '../../../../packages/tables/src/sources/staging-row-source.js';
import type { TableError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { type FileFormat, findMappedColumns } from './import-options.js';
import { InvalidHeaderError, LineTooLongError, MalformedImportError } from './imports.errors.js';
import type { LineBlock, RowParser } from './line-blocks.js';

/** The columns of a file; undefined for those that are ignored, and UNNAMED for those that must be empty. */
type Header = readonly (CatalogColumn | typeof UNNAMED | undefined)[];
const UNNAMED = 'unnamed';

/** Rows of a CSV file, whose first record names the columns by key or name. */
export class CsvRows implements RowParser {
  private readonly records: CsvRecords;
  private header?: Header;
  /** The names in the header, as in the file, and its line. */
  private names: readonly string[] = [];
  private line = 0;

  /** @param fitter of the file, if it was surveyed. */
  constructor(
    private readonly table: FileTable,
    maxRowBytes: number,
    private readonly format: FileFormat,
    private fitter?: RecordFitter,
  ) {
    this.records = new CsvRecords(maxRowBytes, format, format.headerLine);
    this.records.skipsBlankLines = true;
  }

  /** The columns of the header; undefined before it was read. */
  get columns(): readonly CatalogColumn[] | undefined {
    return this.header?.filter((column) => column !== undefined && column !== UNNAMED);
  }

  /**
   * Reads the header, and counts the cells of the rows.
   *
   * @returns what fits the rows of the file; undefined as long as it depends on the next blocks.
   */
  survey({ text }: LineBlock): RecordFitter | undefined {
    let certain: RecordFitter | undefined;
    this.readRecords(text, (_, cells, line) => {
      if (!certain && this.fitter!.survey(cells, line)) certain = this.fitter;
    });
    return certain;
  }

  parse({ text }: LineBlock, take: TakeRow): void {
    this.readRecords(text, (header, cells, line, sent) => {
      if (header.length === 1 || !isBlankRecord(cells)) take(this.toItem(header, cells), line, sent);
    });
  }

  /** Reads the header, and passes the records after it. */
  private readRecords(
    text: string,
    take: (header: Header, cells: Cells, line: number, sent: () => string) => void,
  ): void {
    toImportErrors(() => {
      this.records.read(text, (cells, line, sent) => {
        if (this.header) {
          take(this.header, cells, line, sent);
          return;
        }
        if (isBlankRecord(cells)) return;
        this.names = cells.map((cell) => cell?.trim() ?? '');
        this.header = readHeader(this.table, this.format, this.names, line);
        this.line = line;
        this.fitter ??= new RecordFitter(this.names);
        this.records.skipsBlankLines = this.header.length > 1;
      });
    });
  }

  /** @returns what fits the rows of the file. @throws {InvalidHeaderError} if all rows have fewer cells. */
  end(): RecordFitter {
    toImportErrors(() => {
      this.records.end();
    });
    const { headerLine } = this.format;
    if (!this.header)
      throw new MalformedImportError(
        headerLine,
        'must be the header that names the columns, but the file has no more lines.',
      );
    const problem = this.fitter!.headerProblem;
    if (problem !== undefined) {
      const { entity, name } = this.table;
      const { line } = this;
      throw new InvalidHeaderError([{ type: entity, table: name, line, code: 'cell_count', message: problem }]);
    }
    return this.fitter!;
  }

  private toItem(header: Header, record: Cells): unknown {
    const cells = this.fitter!.fit(record);
    if (!cells) return new UnreadableRow(createCellCountError(this.fitter!.describe(record)));
    if (isHeaderRecord(cells, this.names))
      return new UnreadableRow({ code: 'repeated_header', message: REPEATED_HEADER });
    const item: Record<string, string | null> = {};
    for (let position = 0; position < cells.length; position++) {
      const column = header[position];
      if (column === UNNAMED) {
        if (cells[position] !== null) return new UnreadableRow(createUnnamedColumnError(position + 1));
      } else if (column) item[column.key] = cells[position]!;
    }
    return item;
  }
}

/** Reports what is not CSV as errors of the import. */
function toImportErrors(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.limit !== undefined)
      throw new LineTooLongError(error.line, error.limit, ', or a quote in it is not closed');
    throw new MalformedImportError(error.line, error.problem);
  }
}

/** @throws {InvalidHeaderError} with all errors of the header. */
function readHeader(table: FileTable, format: FileFormat, names: readonly string[], line: number): Header {
  const finder = new ColumnFinder(table.columns);
  const mapped = findMappedColumns(format, table);
  const header: (CatalogColumn | typeof UNNAMED | undefined)[] = [];
  const used = new Set<CatalogColumn>();
  const errors: TableError[] = [];
  const reject = (error: { column?: string; code: string; message: string }) =>
    errors.push({ type: table.entity, table: table.name, line, ...error });
  const hasOtherSeparator = names.length === 1 && /[,;\t]/.test(names[0]!);
  for (const name of names) {
    if (name === '') {
      header.push(UNNAMED);
      continue;
    }
    const [column, other] = finder.find(mapped.get(normalizeName(name)) ?? name);
    if (!column && format.ignoresUnknown) header.push(undefined);
    else if (!column) {
      const { message, ...error } = createUnknownColumnError(name);
      const hint = `Cells are separated by ${describeDelimiter(format)}; set "delimiter" for another character.`;
      reject({ ...error, message: hasOtherSeparator ? `${message} ${hint}` : message });
    } else if (other) reject(createAmbiguousColumnError(name));
    else if (used.has(column)) {
      const message = `Two cells of the header match the column "${column.key}". Remove one.`;
      reject({ column: name.slice(0, 255), code: 'duplicate_column', message });
    } else {
      header.push(column);
      used.add(column);
    }
  }
  const normalized = new Set(names.map(normalizeName));
  for (const name of format.names.keys()) {
    const message = `The header has no name "${name.slice(0, 80)}", which the parameter "columns" contains. Correct it.`;
    if (!normalized.has(normalizeName(name))) reject({ column: name.slice(0, 255), code: 'unknown_column', message });
  }
  const { key } = getPrimaryKey(table.columns);
  if (errors.length === 0 && !header.some((column) => column !== UNNAMED && column?.primaryKey))
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
