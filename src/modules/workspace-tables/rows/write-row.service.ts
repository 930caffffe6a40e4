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
import { TombstonesRepository } from '../engine/tombstones.repository.js';
import { InvalidTablesError, type TableError } from '../workspace-tables.errors.js';
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

/** Writes single rows, by the rules of bulk. */
@Injectable()
export class WriteRowService {
  constructor(
    private readonly locks: TableLocks,
    private readonly catalog: CatalogRepository,
    private readonly physical: PhysicalTablesRepository,
    private readonly engine: MergeEngine,
    private readonly rows: RowsRepository,
    private readonly tombstones: TombstonesRepository,
  ) {}

  /**
   * Creates or replaces the row: omitted values become empty.
   *
   * @throws {InvalidTablesError | PreconditionFailedError | NotFoundError}
   */
  async put(ref: TableRef, sentKey: string, body: Body, conditions: WriteConditions): Promise<WrittenRow> {
    const table = await this.catalog.get(ref);
    const finder = new ColumnFinder(table.columns);
    const sent = new Set(Object.keys(body).flatMap((name) => finder.find(name)));
    const omitted = table.columns.filter((column) => !sent.has(column) && !column.primaryKey);
    const complete = { ...Object.fromEntries(omitted.map(({ key }) => [key, null])), ...body };
    return this.write(table, toNewKey(table, sentKey), complete, conditions);
  }

  /** Changes the values that are sent. @throws {InvalidTablesError | PreconditionFailedError | NotFoundError} */
  async patch(ref: TableRef, sentKey: string, body: Body, accepted: AcceptedVersions): Promise<WrittenItemDto> {
    const table = await this.catalog.get(ref);
    return (await this.write(table, toRowKey(sentKey), body, { accepted, mustExist: true })).row;
  }

  /** Deletes the row and leaves a tombstone. @throws {PreconditionFailedError | NotFoundError} */
  delete(ref: TableRef, sentKey: string, accepted: AcceptedVersions): Promise<DeletedItemDto> {
    return this.locks.withLocks(ref, { referring: false }, async ({ table }) => {
      await this.physical.upgradeLayout(table);
      const key = toRowKey(sentKey);
      const stored = await this.rows.find(table, key);
      if (!stored) throw new NotFoundError('The row');
      requireVersion({ version: stored.revision }, accepted);
      table.revision++;
      await this.tombstones.markDeleted(table, [key], table.revision);
      await this.catalog.setRevision(table, table.revision);
      return { table: toTableSummary(table), key };
    });
  }

  private async write(
    { workspaceId, entity, name, id, columns }: CatalogTable,
    key: string,
    body: Body,
    conditions: WriteConditions,
  ): Promise<WrittenRow> {
    const input = { entity, name, id, items: [withKey({ entity, name, columns }, key, body)] };
    let table: CatalogTable;
    let before: StoredRow | undefined;
    let after: StoredRow | undefined;
    try {
      const report = await this.engine.execute(workspaceId, [input], {
        toMissingTableError: () => new NotFoundError('The table'),
        // A row may have an unresolved reference per column.
        maxUnresolved: columns.length,
        afterLock: async ([locked]) => {
          table = locked!;
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

function requireConditions(stored: StoredRow | undefined, { mustExist, mustBeNew, accepted }: WriteConditions): void {
  if (!stored && mustExist) throw new NotFoundError('The row');
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
  return new InvalidTablesError('invalid_rows', 'The row cannot be stored; nothing was stored.', errors, total);
}
