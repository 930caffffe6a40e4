import { Injectable } from '@nestjs/common';
import { MAX_BULK_BYTES } from '../../../platform/body/body-limits.js';
import { formatBytes } from '../../../platform/config/limits.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';
import type { View } from '../../../../packages/tables/src/catalog/view.js';
import { TablePermissions } from '../../../../packages/tables/src/catalog/table-permissions.js';
import { coerceKey } from '../../../../packages/tabular/src/coercions.js';
import { DomainError, InvalidRequestError, MAX_LISTED_ERRORS } from '../../../../packages/errors/src/domain-error.js';
import { CatalogRepository, toMissingTableError } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { CatalogWrites } from '../../../../packages/tables/src/catalog/catalog-writes.repository.js';
import { physicalKeyName } from '../../../../packages/tables/src/catalog/physical-table.js';
import { readReferencedTables } from '../../../../packages/tables/src/catalog/referenced-tables.js';
import { MAX_REQUEST_ROWS } from '../../../../packages/tables/src/catalog/request-limits.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { TableTurns } from '../catalog/table-turns.js';
import type { UpsertReportDto } from '../engine/dto/upsert-report.dto.js';
import { toOutsidePolicyErrors } from '../../../../packages/tables/src/writer/policy-checks.js';
import { MergeEngine } from '../../../../packages/tables/src/writer/merge-engine.js';
import type { MergeOptions } from '../../../../packages/tables/src/writer/table-plan.js';
import { Literals } from '../../../../packages/tables/src/reader/bindings.js';
import { listPaths } from '../../../../packages/tables/src/reader/filter-parser.js';
import { compileConditions, parseLimit } from '../../../../packages/tables/src/reader/query-compiler.js';
import { ReadOnlyError } from '../../../../packages/tables/src/catalog/policy.errors.js';
import { BatchTooLargeError, InvalidTablesError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import type { RestoreRowsDto } from './dto/row-history.dto.js';
import {
  RestoredRowsRepository,
  type RowToRestore,
} from '../../../../packages/tables/src/reader/restored-rows.repository.js';

/** Sets rows back to a former moment. */
@Injectable()
export class RestoreService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly rows: RestoredRowsRepository,
    private readonly engine: MergeEngine,
    private readonly turns: TableTurns,
    private readonly writes: CatalogWrites,
    private readonly permissions: TablePermissions,
  ) {}

  /**
   * Writes the values that the rows had, recreates deleted rows, and deletes those that did not exist, as one batch.
   * Columns that were added since are not changed. Keys that no row had or has are reported.
   *
   * @throws {NotFoundError | InvalidRequestError | InvalidQueryError | UnknownRevisionError | HistoryExpiredError}
   * @throws {ReadOnlyError} if an access policy does not permit to change a column that differs.
   * @throws {BatchTooLargeError | InvalidTablesError | DomainError} and nothing is changed; `too_large` above the limit
   *   of bulk requests.
   */
  async restore(ref: TableRef, request: RestoreRowsDto, userId: string, dryRun: boolean): Promise<UpsertReportDto> {
    requireOneSelection(request);
    const options: MergeOptions = { dryRun, origin: { source: 'restore', userId } };
    const known = await this.catalog.get(ref);
    const restore = () => this.engine.run(options, () => this.execute(ref.view, known, request, options));
    return this.turns.run(ref.view.workspaceId, [known], restore);
  }

  private async execute(
    view: View,
    known: CatalogTable,
    request: RestoreRowsDto,
    options: MergeOptions,
  ): Promise<UpsertReportDto> {
    // Rows that change after they were listed could be outside of what the caller may change.
    const locked = await this.writes.lockExisting(known);
    if (!locked) throw toMissingTableError();
    const table = this.permissions.permitWrite(view, locked, toMissingTableError) ?? locked;
    const { rows, missingKeys } = await this.listRows(table, request);
    requirePermitted(table, rows);
    const items = rows.flatMap(({ item }) => (item ? [item] : []));
    const deletions = rows.flatMap(({ key, item }) => (item ? [] : [key]));
    const tables = [await this.engine.readLocked(view, locked, { items, deletions })];
    return { ...(await this.engine.write({ view, options, tables })), missingKeys };
  }

  private async listRows(
    table: CatalogTable,
    { asOf, keys: sent, filter }: RestoreRowsDto,
  ): Promise<{ rows: RowToRestore[]; missingKeys: string[] }> {
    const keys = sent?.map(toStoredKey);
    const select = async (from: CatalogTable): Promise<string[]> => {
      if (keys) return [`t.${physicalKeyName(from)} = ANY (${new Literals().bind(keys)}::text[])`];
      const referenced = await readReferencedTables(this.catalog, from, listPaths(filter));
      return compileConditions(parseLimit(from, { filter }, referenced), new Literals());
    };
    const now = await select(table);
    const past = await this.catalog.getAsOf(table, { field: 'asOf', text: asOf });
    const selection = { then: await select(past), now };
    const limits = { rows: MAX_REQUEST_ROWS, bytes: MAX_BULK_BYTES };
    const { items: rows, hasMore } = await this.rows.list(past, table, selection, limits);
    if (hasMore) throw toTooManyRowsError(rows.length);
    return { rows, missingKeys: keys ? await this.rows.listMissing(past, table, keys) : [] };
  }
}

/**
 * A row that has entered the permitted part since is not deleted: as it was, it is outside.
 *
 * @throws {ReadOnlyError | InvalidTablesError}
 */
function requirePermitted(table: CatalogTable, rows: readonly RowToRestore[]): void {
  const readOnly = rows.find((row) => row.readOnly !== null);
  if (readOnly) throw new ReadOnlyError(table, readOnly.readOnly!);
  const outside = rows.filter(({ wasOutside }) => wasOutside);
  if (outside.length === 0) return;
  const listed = outside.slice(0, MAX_LISTED_ERRORS).map(({ key }) => key);
  const errors = toOutsidePolicyErrors(table, listed);
  const message = `${outside.length} of ${rows.length} rows cannot be restored; nothing was stored. Restore the others.`;
  throw new InvalidTablesError('invalid_rows', message, errors, { total: outside.length });
}

/** @param listed rows before the limit was reached. */
function toTooManyRowsError(listed: number): DomainError {
  if (listed >= MAX_REQUEST_ROWS) return new BatchTooLargeError('rows', MAX_REQUEST_ROWS, listed + 1);
  const message = `The rows to restore have more than ${formatBytes(MAX_BULK_BYTES)}; nothing was stored. Select fewer rows.`;
  return new DomainError(HTTP_ERRORS.too_large, message, { details: { limit: MAX_BULK_BYTES } });
}

/** A text that cannot be a key is one that no row has. */
function toStoredKey(sent: string): string {
  const key = coerceKey(sent);
  return typeof key === 'string' ? key : sent;
}

/** @throws {InvalidRequestError} */
function requireOneSelection({ keys, filter }: RestoreRowsDto): void {
  if ((keys === undefined) !== (filter === undefined)) return;
  const message = 'Send either "keys" or "filter": the rows to restore.';
  throw new InvalidRequestError([{ field: keys ? 'filter' : 'keys', code: 'invalid_field', message }], message);
}
