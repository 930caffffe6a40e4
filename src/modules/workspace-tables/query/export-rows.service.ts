import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { UnavailableError } from '../../../platform/http/domain-error.js';
import { CatalogRepository } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { physicalColumnName } from '../catalog/physical-table.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { nativeType } from '../catalog/column-types.js';
import { Literals } from './bindings.js';
import type { ItemsQueryDto } from './dto/query-rows.dto.js';
import { InvalidQueryError } from '../workspace-tables.errors.js';
import { JsonLines } from './json-lines.js';
import { orderOf, type RowSelection, selectRows, sourceOf } from './row-selection.js';

export const EXPORT_FORMATS = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' } as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[keyof typeof EXPORT_FORMATS];

/** When to come again where too many exports are under way, in seconds. */
const RETRY_AFTER_S = 5;

/** Rows on their way out. */
export interface RowExport {
  /** The table's revision in the snapshot that the rows are from: changes are followed from there. */
  revision: number;
  stream: Readable;
}

/** All rows of a selection as a stream, from one snapshot. PostgreSQL writes CSV as it is; of its text format the service makes JSON. */
@Injectable()
export class ExportRowsService {
  private open = 0;

  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogRepository,
    private readonly config: Config,
  ) {}

  /** @throws {NotFoundError | InvalidQueryError} @throws {UnavailableError} where too many are under way. */
  async start(path: TableRef, query: ItemsQueryDto, format: ExportFormat): Promise<RowExport> {
    refuseAPage(query);
    const { maxExports } = this.config.tables;
    if (this.open >= maxExports) {
      const message = `${maxExports} exports are under way, and there are no more at once; try again.`;
      throw new UnavailableError('too_many_exports', message, RETRY_AFTER_S);
    }
    this.open++;
    try {
      const prepare = async () => {
        const table = await this.catalog.get(path);
        const selection = selectRows(table, query);
        const result = table.revision;
        if (format === 'csv') return { result, sql: csvSql(selection) };
        return { result, sql: textSql(selection), through: new JsonLines(selection.fields) };
      };
      const { result, stream } = await this.catalog.readWithRetry(() => this.database.copyOut(prepare));
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
    throw new InvalidQueryError(field, 'not_allowed_with_export', message);
  }
}

function csvSql(selection: RowSelection): string {
  const cells = selection.fields.map((column) => `${csvCell(column)} AS "${column.key}"`);
  return `COPY (SELECT ${cells.join(', ')} ${rest(selection)}) TO STDOUT (FORMAT csv, HEADER)`;
}

function textSql(selection: RowSelection): string {
  const cells = selection.fields.map((column) => `t.${physicalColumnName(column)}`);
  return `COPY (SELECT ${cells.join(', ')} ${rest(selection)}) TO STDOUT`;
}

function rest(selection: RowSelection): string {
  return `${sourceOf(selection, new Literals())} ${orderOf(selection)}`;
}

/** What begins a formula in spreadsheets, as OWASP names it: full-width signs too. */
const FORMULA_BEGINS = `'=', '+', '-', '@', E'\\t', E'\\r', E'\\n', '＝', '＋', '－', '＠'`;

/** All of them are smaller than "A" or not smaller than the full-width plus sign: asked first, since most texts are neither. */
const mayBeFormula = (name: string) => `(${name} < 'A' OR ${name} >= '＋')`;

/** Spreadsheets run a text that begins like a formula: it gets an apostrophe before it. */
function csvCell(column: CatalogColumn): string {
  const name = `t.${physicalColumnName(column)}`;
  const native = nativeType(column.type);
  if (native === 'boolean') return `${name}::text`;
  if (native === 'number' || column.type === 'date') return name;
  return `CASE WHEN ${mayBeFormula(name)} AND left(${name}, 1) IN (${FORMULA_BEGINS}) THEN '''' || ${name} ELSE ${name} END`;
}
