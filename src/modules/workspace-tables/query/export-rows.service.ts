import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Sql } from '../../../../packages/sql/src/sql.js';
import { Turns } from '../../../platform/turns.js';
import { ExpensiveReads } from '../../../platform/http/expensive-reads.js';
import { currentOrigin } from '../../../platform/http/middleware.js';
import { quoteLiteral } from '../../../../packages/sql/src/sql-literal.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import { FORMULA_PATTERN } from '../../../../packages/tabular/src/csv-text.js';
import { physicalColumnName } from '../../../../packages/tables/src/catalog/physical-table.js';
import { readReferencedTables } from '../../../../packages/tables/src/catalog/referenced-tables.js';
import { ReplicaReads } from '../catalog/replica-reads.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { getNativeType } from '../../../../packages/tables/src/catalog/column-types.js';
import { Literals } from '../../../../packages/tables/src/reader/bindings.js';
import type { ExportFormat } from '../../../platform/http/stream-reply.js';
import type { ItemsQueryDto } from './dto/query-rows.dto.js';
import { InvalidQueryError, TooManyExportsError } from '../../../../packages/tables/src/catalog/query.errors.js';
import { ExportAudit } from './export-audit.js';
import { listPaths } from '../../../../packages/tables/src/reader/filter-parser.js';
import { JsonLines } from '../../../../packages/tables/src/reader/json-lines.js';
import type { RowsVersion } from './query-rows.service.js';
import {
  compileOrderedSource,
  dependsOnOtherTables,
  parseQuery,
  type RowSelection,
} from '../../../../packages/tables/src/reader/query-compiler.js';
import { listenOnce } from '../../../platform/listeners.js';

/** Concurrent exports of an instance, each with a database connection. A quarter remains for other callers. */
export const MAX_EXPORTS = 4;

/** An export in progress. */
export interface RowExport {
  /** With the revision of the table in the snapshot of the rows: the change feed continues there. */
  version: RowsVersion;
  stream: Readable;
}

/**
 * Streams all rows of a query from one snapshot. PostgreSQL writes CSV itself; its text format is converted to JSON
 * lines.
 */
@Injectable()
export class ExportRowsService {
  private readonly turns = Turns.ofCallers(MAX_EXPORTS);

  constructor(
    private readonly sql: Sql,
    private readonly catalog: CatalogRepository,
    private readonly replica: ReplicaReads,
    private readonly reads: ExpensiveReads,
    private readonly audit: ExportAudit,
  ) {}

  /** The used share of the concurrent exports, from 0 to 1. */
  get occupancy(): number {
    return this.turns.occupancy;
  }

  /**
   * @throws {NotFoundError | InvalidQueryError}
   * @throws {UnavailableError} if too many exports are in progress.
   */
  async start(tableRef: TableRef, query: ItemsQueryDto, format: ExportFormat): Promise<RowExport> {
    rejectPageParameters(query);
    const ref = await this.catalog.asOf(tableRef, query.asOf);
    // The replica may contain older rows of the other tables.
    const mayCopyReplica = !dependsOnOtherTables(query) && !ref.view.moment;
    return this.startOf(() => this.catalog.get(ref), query, format, mayCopyReplica);
  }

  /**
   * As `start`, of a relation that the caller describes as a table.
   *
   * @param readTable is called again if a table that the query reads is dropped.
   */
  async startOf(
    readTable: () => Promise<CatalogTable>,
    query: ItemsQueryDto,
    format: ExportFormat,
    mayCopyReplica = false,
  ): Promise<RowExport> {
    const release = this.turns.acquireNow(currentOrigin()?.userId ?? '', (limit) => new TooManyExportsError(limit));
    try {
      const prepare = async () => {
        const table = await readTable();
        await this.sql.awaitCommits(table.workspaceId);
        const referenced = await readReferencedTables(this.catalog, table, listPaths(query.filter));
        const selection = parseQuery(table, query, referenced);
        if (format === 'csv') return { result: table, sql: csvSql(selection) };
        return { result: table, sql: textSql(selection), through: new JsonLines(selection.fields) };
      };
      const copy = () => this.reads.copyOut(prepare);
      const listCurrent = async () => [await readTable()];
      const copyReplica = () => (mayCopyReplica ? this.replica.read(listCurrent, copy) : undefined);
      const read = async () => (await copyReplica()) ?? copy();
      const { result: table, stream } = await this.catalog.readWithRetry(read);
      listenOnce(stream, 'close', release);
      return { version: table, stream: this.audit.recordEnd(stream, table, format) };
    } catch (error) {
      release();
      throw error;
    }
  }
}

/** An export contains all rows, and only rows. */
function rejectPageParameters(query: ItemsQueryDto): void {
  for (const field of ['limit', 'cursor', 'count', 'expand'] as const) {
    if (query[field] === undefined) continue;
    const message = `"${field}" is only for pages; an export contains all rows. Omit it.`;
    throw new InvalidQueryError(field, 'not_allowed_with_export', message);
  }
}

function csvSql(selection: RowSelection): string {
  const cells = selection.fields.map((column) => `${csvCell(column)} AS "${column.key}"`);
  return `COPY (SELECT ${cells.join(', ')} ${rest(selection)}) TO STDOUT (FORMAT csv, HEADER)`;
}

function textSql(selection: RowSelection): string {
  const cells = selection.fields.map((column) => {
    const name = `t.${physicalColumnName(column)}`;
    return column.storedText ? `coalesce(to_json(${name}), to_json(t.${column.storedText}))` : name;
  });
  return `COPY (SELECT ${cells.join(', ')} ${rest(selection)}) TO STDOUT`;
}

function rest(selection: RowSelection): string {
  return compileOrderedSource(selection, new Literals());
}

const FORMULA = quoteLiteral(FORMULA_PATTERN);

/** A fast check before the pattern: the first characters sort before "A", or not before the full-width plus sign. */
const mayBeFormula = (name: string) => `(${name} < 'A' OR ${name} >= '\uFF0B')`;

function csvCell(column: CatalogColumn): string {
  const name = `t.${physicalColumnName(column)}`;
  const { storedText } = column;
  if (storedText) return `coalesce(${name}::text, ${csvText(`t.${storedText}`)})`;
  const native = getNativeType(column.type);
  if (native === 'boolean') return `${name}::text`;
  return native === 'number' || column.type === 'date' ? name : csvText(name);
}

/** Prefixes texts that spreadsheets would execute as a formula with an apostrophe, which imports remove. */
function csvText(name: string): string {
  return `CASE WHEN ${mayBeFormula(name)} AND ${name} ~ ${FORMULA} THEN '''' || ${name} ELSE ${name} END`;
}
