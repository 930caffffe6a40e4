import { Injectable } from '@nestjs/common';
import {
  type AcceptedVersions,
  PreconditionFailedError,
  requireVersion,
} from '../../../platform/http/conditional-requests.js';
import { NotFoundError } from '../../../platform/http/domain-error.js';
import { CatalogRepository, type CatalogTable } from '../catalog/catalog.repository.js';
import { ColumnFinder } from '../catalog/column-finder.js';
import { coerceKey } from '../catalog/column-types.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { getPrimaryKey } from '../catalog/physical-table.js';
import { PhysicalTablesRepository } from '../catalog/physical-tables.repository.js';
import { TableLocks } from '../catalog/table-locks.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { MergeEngine } from '../engine/merge-engine.js';
import { RowWriter, type RowWriteOptions } from '../engine/row-writer.js';
import { TombstonesRepository } from '../engine/tombstones.repository.js';
import { ColumnsBusyError, InvalidTablesError, type TableError } from '../workspace-tables.errors.js';
import type { DeletedItemDto, WrittenItemDto } from './dto/row.dto.js';
import { toNewKey, toRowKey } from './row-key.js';
import { RowsRepository, type StoredRow } from '../catalog/rows.repository.js';

type Body = Record<string, unknown>;

/** Conditions of a write. */
interface WriteConditions {
  /** Revisions of the row that `If-Match` accepts. */
  accepted: AcceptedVersions;
  /** `If-None-Match: *`. */
  mustBeNew?: boolean;
  mustExist?: boolean;
}

export interface WrittenRow {
  row: WrittenItemDto;
  created: boolean;
}

/** Rolls a write back whose values were prepared for other columns than the table has. */
class ColumnsChanged extends Error {}

/** How often a write is prepared if the columns of its table change each time before it is locked. */
const MAX_ATTEMPTS = 5;

/** Writes single rows, by the rules of bulk. */
@Injectable()
export class WriteRowService {
  constructor(
    private readonly locks: TableLocks,
    private readonly catalog: CatalogRepository,
    private readonly physical: PhysicalTablesRepository,
    private readonly engine: MergeEngine,
    private readonly writer: RowWriter,
    private readonly rows: RowsRepository,
    private readonly tombstones: TombstonesRepository,
  ) {}

  /**
   * Creates or replaces the row: omitted values become empty.
   *
   * @throws {InvalidTablesError | PreconditionFailedError | NotFoundError}
   */
  async put(ref: TableRef, sentKey: string, body: Body, conditions: WriteConditions): Promise<WrittenRow> {
    return this.repeat(async () => {
      const table = await this.catalog.get(ref);
      const finder = new ColumnFinder(table.columns);
      const sent = new Set(Object.keys(body).flatMap((name) => finder.find(name)));
      const omitted = table.columns.filter((column) => !sent.has(column) && !column.primaryKey);
      const complete = { ...Object.fromEntries(omitted.map(({ key }) => [key, null])), ...body };
      return this.write(table, toNewKey(table, sentKey), complete, conditions);
    });
  }

  /** Changes the values that are sent. @throws {InvalidTablesError | PreconditionFailedError | NotFoundError} */
  async patch(ref: TableRef, sentKey: string, body: Body, accepted: AcceptedVersions): Promise<WrittenItemDto> {
    const written = await this.repeat(async () => {
      const table = await this.catalog.get(ref);
      return this.write(table, toRowKey(sentKey), body, { accepted, mustExist: true });
    });
    return written.row;
  }

  /** Repeats a write if the columns of the table change before it is locked: PUT depends on all columns. */
  private async repeat<T>(write: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof ColumnsChanged)) throw error;
        if (attempt === MAX_ATTEMPTS) throw new ColumnsBusyError();
      }
    }
  }

  /** Deletes the row and leaves a tombstone. @throws {PreconditionFailedError | NotFoundError} */
  async delete(ref: TableRef, sentKey: string, accepted: AcceptedVersions): Promise<DeletedItemDto> {
    const table = await this.catalog.get(ref);
    const key = toRowKey(sentKey);
    const revision = toSingleRevision(accepted);
    const deleted = revision === 'several' ? undefined : await this.writer.delete(table, key, revision);
    if (!deleted) return this.deleteLocked(ref, key, accepted);
    return { table: toTableSummary({ ...table, name: deleted.tableName, revision: deleted.revision }), key };
  }

  private deleteLocked(ref: TableRef, key: string, accepted: AcceptedVersions): Promise<DeletedItemDto> {
    return this.locks.withLocks(ref, { referring: false }, async ({ table }) => {
      await this.physical.upgradeLayout(table);
      const stored = await this.rows.find(table, key);
      if (!stored) throw new NotFoundError('The row', undefined, 'Check the key.');
      requireVersion({ version: stored.revision }, accepted);
      table.revision++;
      await this.tombstones.markDeleted(table, [key], table.revision);
      await this.catalog.setRevision(table, table.revision);
      return { table: toTableSummary(table), key };
    });
  }

  private async write(table: CatalogTable, key: string, body: Body, conditions: WriteConditions): Promise<WrittenRow> {
    const item = withKey(table, key, body);
    const options = toWriteOptions(conditions);
    const written = options && (await this.writer.write(table, item, options));
    if (!written) return this.merge(table, key, item, conditions);
    const { tableName, created, revision, createdAt, updatedAt } = written;
    const summary = toTableSummary({ ...table, name: tableName, revision });
    const unresolved = written.unresolved.map(({ column, value }) => ({ column, value }));
    return { row: { table: summary, item: written.item, revision, createdAt, updatedAt, unresolved }, created };
  }

  /** Decides under the lock of the table. */
  private async merge(
    { workspaceId, entity, name, id, columns, definitionId }: CatalogTable,
    key: string,
    item: Body,
    conditions: WriteConditions,
  ): Promise<WrittenRow> {
    const input = { entity, name, id, items: [item] };
    let table: CatalogTable;
    let before: StoredRow | undefined;
    let after: StoredRow | undefined;
    try {
      const report = await this.engine.execute(workspaceId, [input], {
        toMissingTableError: () => new NotFoundError('The table', undefined, 'Check the name or ID.'),
        // A row may have an unresolved reference per column.
        maxUnresolved: columns.length,
        afterLock: async ([locked]) => {
          table = locked!;
          if (table.definitionId !== definitionId) throw new ColumnsChanged();
          before = await this.rows.find(table, key);
          requireConditions(before, conditions);
        },
        completeWith: async () => {
          after = await this.rows.find(table, key);
        },
      });
      const unresolved = report.tables[0]!.unresolved.first.map(({ column, value }) => ({ column, value }));
      const summary = toTableSummary({ ...table!, revision: report.revision });
      return { row: { table: summary, ...after!, unresolved }, created: !before };
    } catch (error) {
      throw error instanceof InvalidTablesError ? toSingleRowError(error) : error;
    }
  }
}

/** The body with the key of the path. @throws {InvalidTablesError} if the body contains another key. */
function withKey(table: Pick<CatalogTable, 'entity' | 'name' | 'columns'>, key: string, body: Body): Body {
  const finder = new ColumnFinder(table.columns);
  const primaryKey = getPrimaryKey(table.columns);
  const row: Body = {};
  for (const [name, value] of Object.entries(body)) {
    if (!finder.find(name).includes(primaryKey)) row[name] = value;
    else if (coerceKey(value) !== key) {
      const message = `"${primaryKey.key}" differs from the key "${key}" in the path. To change the key, rename the row.`;
      const error = { key, column: primaryKey.key, code: 'invalid_key', message };
      throw createInvalidRowError([{ type: table.entity, table: table.name, ...error }]);
    }
  }
  return { ...row, [primaryKey.key]: key };
}

/** How RowWriter writes a row under these conditions; undefined if it cannot check them. */
function toWriteOptions({ mustExist, mustBeNew, accepted }: WriteConditions): RowWriteOptions | undefined {
  const revision = toSingleRevision(accepted);
  if (revision === 'several' || (mustBeNew && accepted !== undefined)) return undefined;
  if (mustBeNew) return { write: 'create' };
  return { write: mustExist || accepted !== undefined ? 'update' : 'upsert', accepted: revision };
}

/** The only revision that is accepted; undefined if all are. */
function toSingleRevision(accepted: AcceptedVersions): number | undefined | 'several' {
  if (accepted === undefined || accepted === '*') return undefined;
  return accepted.length === 1 ? accepted[0] : 'several';
}

function requireConditions(stored: StoredRow | undefined, { mustExist, mustBeNew, accepted }: WriteConditions): void {
  if (!stored && mustExist) throw new NotFoundError('The row', undefined, 'Check the key.');
  if (stored && mustBeNew)
    throw new PreconditionFailedError('The row already exists, but If-None-Match requires a new one. Nothing changed.');
  requireVersion(stored && { version: stored.revision }, accepted);
}

/** The errors without the position in a batch. */
function toSingleRowError({ details }: InvalidTablesError): InvalidTablesError {
  const errors = (details?.errors ?? []) as TableError[];
  return createInvalidRowError(
    errors.map((error) => ({ ...error, index: undefined })),
    details?.total,
  );
}

function createInvalidRowError(errors: TableError[], total?: number): InvalidTablesError {
  const message = 'The row cannot be stored; nothing was stored. Correct the values in details.errors.';
  return new InvalidTablesError('invalid_rows', message, errors, { total });
}
