import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { UnavailableError } from '../../../platform/http/domain-error.js';
import { CatalogRepository } from '../catalog/catalog.repository.js';
import type { PlannedColumn } from '../catalog/column-plan.js';
import { columnOf } from '../catalog/physical-table.js';
import type { EntityKind } from '../entity-kind.js';
import { nativeTypeOf } from '../rows/pg-array.js';
import { Literals } from './bindings.js';
import type { ItemsQueryDto } from './dto/items.dto.js';
import { getTable } from './items.service.js';
import { InvalidQueryError } from '../workspace-tables.errors.js';
import { orderOf, type RowSelection, selectRows, sourceOf } from './row-selection.js';

export const EXPORT_FORMATS = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' } as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[keyof typeof EXPORT_FORMATS];

/** When to come again where too many exports are under way, in seconds. */
const RETRY_AFTER_S = 5;

/** A table as a path names it. */
export interface NamedTable {
  workspaceId: string;
  entity: EntityKind;
  /** Its id, or its name whatever its case. */
  table: string;
}

/** Rows on their way out. */
export interface RowExport {
  /** The table's revision in the snapshot that the rows are from: changes are followed from there. */
  revision: number;
  stream: Readable;
}

/** All rows of a selection as a stream, from one snapshot. PostgreSQL writes the lines; the service hands them on. */
@Injectable()
export class RowExportsService {
  private open = 0;

  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogRepository,
    private readonly config: Config,
  ) {}

  /** @throws {NotFoundError | InvalidQueryError} @throws {UnavailableError} where too many are under way. */
  async start(
    { workspaceId, entity, table: idOrName }: NamedTable,
    query: ItemsQueryDto,
    format: ExportFormat,
  ): Promise<RowExport> {
    refuseAPage(query);
    const { maxExports } = this.config.tables;
    if (this.open >= maxExports) {
      const message = `${maxExports} exports are under way, and there are no more at once; try again.`;
      throw new UnavailableError('too_many_exports', message, RETRY_AFTER_S);
    }
    this.open++;
    try {
      const { result, stream } = await this.database.copyOut(async () => {
        const table = await getTable(this.catalog, workspaceId, entity, idOrName);
        const selection = selectRows(table, query);
        return { result: table.revision, sql: format === 'csv' ? csvSql(selection) : ndjsonSql(selection) };
      });
      stream.once('close', () => this.open--);
      return { revision: result, stream };
    } catch (error) {
      this.open--;
      throw error;
    }
  }
}

/** An export has all rows, and none but the rows. */
function refuseAPage(query: ItemsQueryDto): void {
  for (const field of ['limit', 'cursor', 'count', 'expand'] as const) {
    if (query[field] === undefined) continue;
    const message = `${field} is for pages; an export has all rows that are found.`;
    throw new InvalidQueryError(field, 'not_with_export', message);
  }
}

function csvSql(selection: RowSelection): string {
  const cells = selection.fields.map((column) => `${csvCell(column)} AS "${column.key}"`);
  return `COPY (SELECT ${cells.join(', ')} ${rest(selection)}) TO STDOUT (FORMAT csv, HEADER)`;
}

/**
 * An object a line. In PostgreSQL's CSV a value is quoted where it holds the quote, the delimiter or an end of line; JSON
 * holds no control characters, so that with two of them as quote and delimiter it is written as it is.
 */
function ndjsonSql(selection: RowSelection): string {
  const cells = selection.fields.map((column) => `t.${columnOf(column)} AS "${column.key}"`);
  return `COPY (SELECT row_to_json(item) FROM (SELECT ${cells.join(', ')} ${rest(selection)}) item)
            TO STDOUT (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')`;
}

function rest(selection: RowSelection): string {
  return `${sourceOf(selection, new Literals())} ${orderOf(selection)}`;
}

/** What begins a formula in spreadsheets. All are smaller than "A", which is asked first since most texts are not. */
const FORMULA_BEGINS = `'=', '+', '-', '@', E'\\t', E'\\r'`;

/** Spreadsheets run a text that begins like a formula: it gets an apostrophe before it. */
function csvCell(column: PlannedColumn): string {
  const name = `t.${columnOf(column)}`;
  const native = nativeTypeOf(column.type);
  if (native === 'boolean') return `${name}::text`;
  if (native === 'number' || column.type === 'date') return name;
  return `CASE WHEN ${name} < 'A' AND left(${name}, 1) IN (${FORMULA_BEGINS}) THEN '''' || ${name} ELSE ${name} END`;
}
