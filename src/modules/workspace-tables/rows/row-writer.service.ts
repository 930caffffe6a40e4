import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { NotFoundError } from '../../../platform/http/domain-error.js';
import {
  type AcceptedVersions,
  PreconditionFailedError,
  requireVersion,
} from '../../../platform/http/conditional-requests.js';
import type { TablePlan } from '../engine/table-plan.js';
import { TableWriter } from '../engine/table-writer.js';
import { CatalogRepository, type CatalogTable } from '../catalog/catalog.repository.js';
import { ColumnFinder } from '../catalog/column-finder.js';
import { coerceKey } from '../catalog/column-types.js';
import { getPrimaryKey } from '../catalog/physical-table.js';
import type { RowErrors } from '../engine/row-errors.js';
import { TombstonesRepository } from '../engine/tombstones.repository.js';
import { InvalidTablesError } from '../workspace-tables.errors.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import type { DeletedItemDto, WrittenItemDto } from './dto/row.dto.js';
import { RowRepository, type KeptItem } from './row.repository.js';
import { keyOf } from './row.service.js';
import { toTableSummary } from '../catalog/dto/table.dto.js';
import { newKey } from './new-key.js';

type Body = Record<string, unknown>;

/** What the caller knows of the row. */
export interface KnownItem {
  /** Revisions of the row that `If-Match` accepts. */
  accepted: AcceptedVersions;
  /** `If-None-Match: *`: the row must not be there. */
  mustBeNew: boolean;
}

/** Writes single rows, by the rules and under the lock of bulk. */
@Injectable()
export class RowWriterService {
  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogRepository,
    private readonly writer: TableWriter,
    private readonly items: RowRepository,
    private readonly tombstones: TombstonesRepository,
  ) {}

  /**
   * Makes the row just so: what is not sent is empty.
   *
   * @returns whether the row is new. @throws {InvalidTablesError | PreconditionFailedError | NotFoundError}
   */
  async put(
    path: TableRef,
    sentKey: string,
    body: Body,
    known: KnownItem,
  ): Promise<{ row: WrittenItemDto; created: boolean }> {
    const table = await this.catalog.get(path);
    const finder = new ColumnFinder(table.columns);
    const sent = new Set(Object.keys(body).flatMap((name) => finder.find(name)));
    const empty: Body = {};
    for (const column of table.columns) if (!sent.has(column) && !column.primaryKey) empty[column.key] = null;
    return this.write(table, sentKey, { ...empty, ...body }, known);
  }

  /** Changes what is sent of a row that is there. @throws {InvalidTablesError | PreconditionFailedError | NotFoundError} */
  async patch(path: TableRef, sentKey: string, body: Body, accepted: AcceptedVersions): Promise<WrittenItemDto> {
    const table = await this.catalog.get(path);
    return (await this.write(table, sentKey, body, { accepted, mustBeNew: false }, true)).row;
  }

  /** Deletes the row; those who follow the changes are told. @throws {PreconditionFailedError | NotFoundError} */
  async delete(path: TableRef, sentKey: string, accepted: AcceptedVersions): Promise<DeletedItemDto> {
    const table = await this.catalog.get(path);
    const key = keyOf(sentKey);
    return this.database.transaction(async () => {
      const locked = await this.lock(this.writer.plan(batchOf(table, []), table));
      const standing = await this.items.find(locked.table, key);
      if (!standing) throw new NotFoundError('The row');
      requireVersion({ version: standing.revision }, accepted);
      await this.tombstones.markDeleted(locked.table, [key], locked.table.revision + 1);
      await this.writer.incrementRevision(locked.table);
      return { table: toTableSummary(locked.table), key };
    });
  }

  private async write(
    table: CatalogTable,
    sentKey: string,
    body: Body,
    known: KnownItem,
    mustExist = false,
  ): Promise<{ row: WrittenItemDto; created: boolean }> {
    const key = mustExist ? keyOf(sentKey) : newKey(table, sentKey);
    const plan = this.writer.plan(batchOf(table, [withKey(table, key, body)]), table);
    return this.database.transaction(async () => {
      const locked = await this.lock(plan);
      const standing = await this.items.find(locked.table, key);
      if (!standing && mustExist) throw new NotFoundError('The row');
      refuseUnexpected(standing, known);
      const checked = await this.writer.check(locked);
      refuseFaults(checked.table, checked.errors);
      const outcome = await this.writer.write(checked, false);
      const written = await this.items.find(outcome.table, key);
      const unresolved = (await this.writer.unresolved(outcome)).map(({ column, value }) => ({ column, value }));
      return { row: { table: toTableSummary(outcome.table), ...written!, unresolved }, created: !standing };
    });
  }

  /** @throws {NotFoundError} where the table is gone by now; nothing makes it anew here. */
  private async lock(plan: TablePlan) {
    const locked = await this.writer.lock(plan.found!.workspaceId, plan);
    if (locked.created) throw new NotFoundError('The table');
    return locked;
  }
}

function batchOf({ entity, name, id }: CatalogTable, items: readonly Body[]) {
  return { entity, name, id, items };
}

/** The body with the key of the path. Another one in the body is refused: a rename is a call of its own. */
function withKey(table: CatalogTable, key: string, body: Body): Body {
  const finder = new ColumnFinder(table.columns);
  const primaryKey = getPrimaryKey(table.columns);
  const row: Body = {};
  for (const [name, value] of Object.entries(body)) {
    if (!finder.find(name).includes(primaryKey)) row[name] = value;
    else if (coerceKey(value) !== key) throw otherKey(table, key, primaryKey.key);
  }
  return { ...row, [primaryKey.key]: key };
}

function otherKey(table: CatalogTable, key: string, column: string): InvalidTablesError {
  const message = `"${column}" is the row's key, which is "${key}" in the path; another one is given by rename.`;
  return new InvalidTablesError('invalid_rows', 'The row cannot be stored; nothing was stored.', [
    { type: table.entity, table: table.name, key, column, code: 'invalid_key', message },
  ]);
}

function refuseUnexpected(standing: KeptItem | undefined, { accepted, mustBeNew }: KnownItem): void {
  if (standing && mustBeNew)
    throw new PreconditionFailedError(
      'The row is there already; If-None-Match asks for a new one. Nothing was changed.',
    );
  requireVersion(standing && { version: standing.revision }, accepted);
}

function refuseFaults(table: CatalogTable, errors: RowErrors): void {
  if (errors.total === 0) return;
  const listed = errors.first.map((fault) => ({ type: table.entity, table: table.name, ...fault, index: undefined }));
  throw new InvalidTablesError('invalid_rows', 'The row cannot be stored; nothing was stored.', listed, errors.total);
}
